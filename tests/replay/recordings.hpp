// recordings.hpp -- recordings made by hand.
//
//   recorder tape;
//   tape.allocate(0, 100, 1).free(20, 10);          // addresses from the begin of the heap
//   const replay::history past = replay::play(tape.made);
//
// Each event is a microsecond after the one before it; wait() makes that longer.
#pragma once

#include <cleave/trace.hpp>
#include <cstdint>

namespace cleave::test {

class recorder {
 public:
  static constexpr std::uint64_t base = 0x10'0000'0000;

  recorder() {
    made.base = base;
    made.reserved = std::uint64_t{1} << 30;
    made.program = "/bin/program";
    made.places.resize(8);
    made.complete = true;
  }

  recorder& allocate(std::uint64_t at, std::uint64_t size, std::uint32_t place = 0) {
    return add(trace::event_kind::allocate, at, size, 0, place);
  }
  recorder& free(std::uint64_t at, std::uint64_t size) {
    return add(trace::event_kind::free, at, size);
  }
  recorder& cut(std::uint64_t at, std::uint64_t size, std::uint64_t left) {
    return add(trace::event_kind::cut, at, size, left);
  }
  recorder& join(std::uint64_t at, std::uint64_t size, std::uint64_t left) {
    return add(trace::event_kind::join, at, size, left);
  }
  recorder& extend(std::uint64_t at, std::uint64_t size, std::uint64_t before) {
    return add(trace::event_kind::extend, at, size, before);
  }
  recorder& copy(std::uint64_t at, std::uint64_t size, std::uint64_t copied,
                 std::uint32_t place = 0) {
    return add(trace::event_kind::copy, at, size, copied, place);
  }
  recorder& wait(std::uint64_t nanoseconds) {
    now_ += nanoseconds;
    return *this;
  }
  recorder& add(trace::event_kind kind, std::uint64_t at, std::uint64_t size,
                std::uint64_t other = 0, std::uint32_t place = 0) {
    now_ += 1000;
    made.events.push_back({now_, base + at, size, other, place, 1, kind});
    return *this;
  }

  trace::recording made;

 private:
  std::uint64_t now_ = 0;
};

}  // namespace cleave::test
