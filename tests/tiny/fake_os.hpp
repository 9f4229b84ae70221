// fake_os.hpp -- a system made of an array: the other side of src/os for the tiny heap.
//
// Pages have 64 bytes. The test decides which call fails and what time it is,
// and sees what is accessible and what has memory.
//
//   fake_os::fail_at(3);               // the third call from now on says no, once
//   fake_os::set_time(2000);
//   fake_os::accessible(p)             // may be touched

#pragma once

#include <cstddef>
#include <cstdint>

namespace cleave::fake_os {

// The k-th fallible call from now on (1 is the next) fails, and with `all_after`
// every later one too. 0: none fails.
void fail_at(std::uint64_t k, bool all_after = false) noexcept;

// Fallible calls since the last fail_at().
std::uint64_t calls() noexcept;

void set_time(std::uint64_t milliseconds) noexcept;

// How many nodes of memory there are when the heap starts (1 at first), and where all threads run.
void set_nodes(unsigned count) noexcept;
void run_on_node(unsigned node) noexcept;

bool accessible(const void* p) noexcept;

// Bytes of accessible pages that are not discarded and have been part of a commit.
std::size_t discarded_pages() noexcept;

}  // namespace cleave::fake_os
