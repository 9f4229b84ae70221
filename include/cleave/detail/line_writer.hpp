// line_writer.hpp -- elements that go to many places leave by whole lines of the cache.
//
// Who deals elements to a thousand places writes to a thousand lines in turn. They do not fit into
// the nearest cache, and each is read from memory first, though all of it will be written. Here
// each place fills a line of its own that stays near, and a full one goes to memory past the
// caches. That pays only where the memory is much larger than the caches: what was written is not
// in them.
//
//   line_writer<std::uint32_t, 1024> out(there, next);  // place p goes to there[next[p]], and on
//   if (out.is_ready()) {
//     for (std::uint32_t x : all) out.put(place_of(x), x);
//     out.finish();                                     // the rest; others may read then
//   }
//
// Source: software-managed buffers for partitioning, as in Satish et al., "Fast sort on CPUs and
// GPUs", SIGMOD 2010.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

#if defined(__SSE2__)
#  include <emmintrin.h>
#endif

namespace cleave::detail {

// Whether this processor can write past its caches; elsewhere nothing is gained here.
#if defined(__SSE2__)
inline constexpr bool writes_lines = true;
#else
inline constexpr bool writes_lines = false;
#endif

template <class T, std::size_t Places>
class line_writer {
 public:
  using positions = std::array<std::size_t, Places>;

  // `next` counts on while elements are put; it must outlive this.
  line_writer(T* there, positions& next) noexcept
      : there_(there),
        // Positions are counted from where a line begins.
        before_(reinterpret_cast<std::uintptr_t>(there) / sizeof(T) % per_line),
        next_(next),
        room_(new(std::nothrow) room) {
    if (room_ != nullptr) room_->begin = next;
  }

  // False where there is no memory for the lines: then nothing else may be called.
  [[nodiscard]] bool is_ready() const noexcept { return room_ != nullptr; }

  void put(std::size_t place, T value) noexcept {
    const std::size_t at = next_[place]++;
    const std::size_t in_line = (at + before_) % per_line;
    room_->lines[place].elements[in_line] = value;
    if (in_line == per_line - 1) write_full(place, at);
  }

  // Writes what lines hold that never filled. What was put can be read by others who hear of this
  // with acquire.
  void finish() noexcept {
    for (std::size_t place = 0; place < Places; ++place) {
      const std::size_t end = next_[place];
      copy(place, end - std::min(end - room_->begin[place], (end + before_) % per_line), end);
    }
#if defined(__SSE2__)
    // Writes past the caches are in no order with others.
    _mm_sfence();
#endif
  }

 private:
  static constexpr std::size_t line_bytes = 64;
  static constexpr std::size_t per_line = line_bytes / sizeof(T);
  struct alignas(line_bytes) line {
    std::array<T, per_line> elements;
  };
  struct room {
    std::array<line, Places> lines;
    positions begin;
  };

  // The line whose last element lies at `last`.
  void write_full(std::size_t place, std::size_t last) noexcept {
    const std::size_t put_here = last + 1 - room_->begin[place];
    // The first line of a place may begin with elements of the place before.
    if (put_here < per_line) return copy(place, room_->begin[place], last + 1);
    const std::size_t first = last + 1 - per_line;
#if defined(__SSE2__)
    auto* const to = reinterpret_cast<__m128i*>(there_ + first);
    const auto* const from = reinterpret_cast<const __m128i*>(&room_->lines[place]);
    for (std::size_t i = 0; i < line_bytes / sizeof(__m128i); ++i) {
      _mm_stream_si128(to + i, _mm_load_si128(from + i));
    }
#else
    copy(place, first, last + 1);
#endif
  }

  void copy(std::size_t place, std::size_t begin, std::size_t end) noexcept {
    for (std::size_t at = begin; at < end; ++at) {
      there_[at] = room_->lines[place].elements[(at + before_) % per_line];
    }
  }

  T* const there_;
  const std::size_t before_;
  positions& next_;
  const std::unique_ptr<room> room_;
};

}  // namespace cleave::detail
