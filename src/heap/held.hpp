// held.hpp -- the bytes that are held from the system, under their limit.
//
//   if (!held::add(25)) return out_of_memory;      // 25 pages more, or nothing has changed
//   held::subtract(25);
//
// The limit is exact with any number of threads: a sum that exceeds it is never there.
#pragma once

#include <cstddef>

namespace cleave::heap::held {

// Adds pages to what is held, unless that exceeds the limit.
bool add(std::size_t pages) noexcept;
void subtract(std::size_t pages) noexcept;

// In bytes; the largest sum so far.
std::size_t bytes() noexcept;
std::size_t peak() noexcept;
std::size_t limit() noexcept;
void set_limit(std::size_t bytes) noexcept;

// In a child after fork(), where a thread that had added may be missing.
void set(std::size_t pages) noexcept;

}  // namespace cleave::heap::held
