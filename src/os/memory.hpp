// memory.hpp -- the door to the system's memory: address space, access, return.
//
//   void* p = os::reserve(1 << 30, 1 << 30);   // address space alone: no commit charge
//   os::commit(p, 1 << 22);                    // may be read and written from now on
//   os::discard(p, 1 << 16);                   // its contents go back to the system
//
// Sizes and addresses are multiples of os::page_bytes(), unless said otherwise.
// Nothing throws; what the system refuses is a value.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cleave::os {

std::size_t page_bytes() noexcept;

// Address space without access, aligned to a power of two. nullptr if refused.
void* reserve(std::size_t bytes, std::size_t alignment) noexcept;

// Gives up a whole reservation.
void release(void* begin, std::size_t bytes) noexcept;

// Makes a part of a reservation readable and writable. False if refused; then
// nothing has changed. Repeating it is harmless.
bool commit(void* begin, std::size_t bytes) noexcept;

// Takes the access to a part of a reservation away until it is committed again; its
// contents stay. False if refused; then nothing has changed. For finding late accesses.
bool forbid(void* begin, std::size_t bytes) noexcept;

// Returns the memory behind accessible pages; they read as zero when next
// touched. False if the system refused (the memory stays as it was).
bool discard(void* begin, std::size_t bytes) noexcept;

// Asks for huge pages behind an accessible range. A wish: a refusal is no error.
void prefer_huge_pages(void* begin, std::size_t bytes) noexcept;

// How much more address space this process may take (RLIMIT_AS), or SIZE_MAX.
std::size_t address_space_left() noexcept;

// The calls of the system made by this file since the start.
std::uint64_t call_count() noexcept;

}  // namespace cleave::os
