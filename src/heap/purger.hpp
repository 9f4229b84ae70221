// purger.hpp -- when memory that stays free goes back to the system.
//
// A clock with two hands: freeing marks the chunks it touches as recent; a round
// returns what is not recent and then forgets the marks. Rounds are a delay
// apart, so memory goes back after one to two delays without a free in its chunk.
//
//   purger::start(options);
//   purger::freed();      // after large frees and now and then: a round, if one is due
#pragma once

#include <cleave/heap.hpp>

namespace cleave::heap::purger {

void start(const options& chosen) noexcept;

// Runs a round if one is due; starts or wakes the helper thread, if one is wanted. To look at the
// clock at each free would cost too much: without `look` only a helper that sleeps is woken.
void freed(bool look = true) noexcept;

// Tells a recording (trace_recorder.hpp) how many pages went back; returns them.
std::size_t noted(std::size_t pages) noexcept;

void after_fork_in_child() noexcept;

}  // namespace cleave::heap::purger
