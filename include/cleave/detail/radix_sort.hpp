// radix_sort.hpp -- the sort of parallel.hpp for integers in their own order.
//
// Integers that compare equal are the same, so nobody sees whether a sort is stable, and no
// comparison is needed either. A large piece is dealt to 1024 buckets by its highest bits that
// differ, by several threads at once, and each bucket is sorted on its own. A bucket that fits into
// a processor's own cache is dealt by its lowest bits first, digit by digit; each deal keeps the
// order of the one before. What is much larger than all caches is written past them
// (line_writer.hpp). Bits in which no element differs from another are left out, so small
// numbers in wide words cost what small numbers cost.
//
//   radix_sort<std::uint32_t, false>(workers, grain).sort(all);   // all.here is in order then
//
// Invariants (tests/array/radix_sort_test.cpp):
//   S1  All elements of a piece are in the same one of its two memories when its sort ends.
//
// Sources: the deal by low digits is as old as the card sorter; American flag sort (McIlroy,
// Bostic and McIlroy, 1993) deals by high ones first.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cleave/detail/fork.hpp>
#include <cleave/detail/line_writer.hpp>
#include <cleave/detail/merge_sort.hpp>
#include <climits>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

namespace cleave::detail {

template <class T, class Compare>
inline constexpr bool is_ascending =
    std::same_as<Compare, std::ranges::less> || std::same_as<Compare, std::less<>> ||
    std::same_as<Compare, std::less<T>>;
template <class T, class Compare>
inline constexpr bool is_descending =
    std::same_as<Compare, std::ranges::greater> || std::same_as<Compare, std::greater<>> ||
    std::same_as<Compare, std::greater<T>>;

// Whether a sort is one of integers by their own values. Where compilers have wider ones than the
// standard's, and call them integral, those are merged: a digit is taken from 64 bits.
template <class T, class Compare, class Projection>
concept sorts_integers = std::integral<T> && sizeof(T) <= sizeof(std::uint64_t) &&
                         !std::same_as<T, bool> && std::same_as<Projection, std::identity> &&
                         (is_ascending<T, Compare> || is_descending<T, Compare>);

template <class T, bool Descending>
class radix_sort {
 public:
  // Pieces of at most `grain` elements, of which there is one at least, are not worth a task.
  radix_sort(crew& workers, std::size_t grain) noexcept : workers_(workers), grain_(grain) {}

  // Sorts the piece, whose elements are then `here`. O(n * bits / 8).
  void sort(sorting<T>& piece) noexcept {
    if (piece.size <= insertion_limit) return sort_by_insertion(piece);
    const survey seen = survey_of(piece);
    if (!seen.in_order) sort_by(piece, static_cast<unsigned>(std::bit_width(seen.differing)));
  }

 private:
  using key = std::make_unsigned_t<T>;

  static constexpr std::size_t insertion_limit = 24;
  // Of the bytes of a piece that fits, with its spare memory, into the cache of a processor.
  static constexpr std::size_t cached_limit = std::size_t{1} << 19;
  // Of the bytes of a piece that no cache holds until its buckets are sorted.
  static constexpr std::size_t uncached_limit = std::size_t{1} << 25;
  static constexpr unsigned bucket_bits = 10;
  static constexpr std::size_t buckets = std::size_t{1} << bucket_bits;
  static constexpr unsigned most_digit_bits = 11;
  using counts = std::array<std::size_t, buckets>;

  // What stands in order of unsigned numbers as the elements do in theirs.
  static key key_of(T value) noexcept {
    auto bits = static_cast<key>(value);
    if constexpr (std::is_signed_v<T>)
      bits ^= static_cast<key>(key{1} << (sizeof(T) * CHAR_BIT - 1));
    return Descending ? static_cast<key>(~bits) : bits;
  }

  struct survey {
    key differing = 0;  // the bits in which an element differs from the first one
    bool in_order = true;
  };
  survey survey_of(const sorting<T>& piece) noexcept {
    const key pattern = key_of(piece.here[0]);
    std::array<survey, most_parts> parts;
    const std::size_t n = parts_of(piece);
    for_each_of(0, n, [&](std::size_t part) {
      const auto [begin, end] = part_of(piece, n, part);
      const T* const all = piece.here;
      // Without a branch, and in numbers of one size that no round hands to the next, so that the
      // processor takes many elements at a time.
      key differing = 0;
      key disorder = 0;
      for (std::size_t i = std::max<std::size_t>(begin, 1); i < end; ++i) {
        const key here = key_of(all[i]);
        differing |= static_cast<key>(here ^ pattern);
        disorder |= static_cast<key>(here < key_of(all[i - 1]) ? 1 : 0);
      }
      parts[part] = {differing, disorder == 0};
    });
    survey all;
    for (std::size_t part = 0; part < n; ++part) {
      all.differing |= parts[part].differing;
      all.in_order &= parts[part].in_order;
    }
    return all;
  }

  // By the lowest `width` bits; elements do not differ above them.
  void sort_by(sorting<T>& piece, unsigned width) noexcept {
    if (width == 0) return;
    if (piece.size <= insertion_limit) return sort_by_insertion(piece);
    if (piece.size <= cached_limit / sizeof(T)) return sort_by_low_digits(piece, width);
    sort_by_buckets(piece, width);
  }

  static void sort_by_insertion(sorting<T>& piece) noexcept {
    T* const first = piece.here;
    for (std::size_t i = 1; i < piece.size; ++i) {
      const T value = first[i];
      std::size_t at = i;
      while (at > 0 && key_of(value) < key_of(first[at - 1])) {
        first[at] = first[at - 1];
        --at;
      }
      first[at] = value;
    }
  }

  // Deals by the lowest digit, then by the next, and so on. A call of its own, as deal() is: what
  // they count with is large, and must not lie on the stack once for each level of buckets.
  [[gnu::noinline]] static void sort_by_low_digits(sorting<T>& piece, unsigned width) noexcept {
    // More digits than elements would cost more to count than to deal.
    const unsigned most = std::min(
        most_digit_bits, std::max(6u, static_cast<unsigned>(std::bit_width(piece.size)) - 3));
    const unsigned deals = (width + most - 1) / most;
    const unsigned bits = (width + deals - 1) / deals;
    // Two at a time are counted in one pass.
    for (unsigned shift = 0; shift < width; shift += 2 * bits) {
      digit_counts low;
      digit_counts high;
      const std::size_t digits = std::size_t{1} << bits;
      std::fill_n(low.begin(), digits, 0u);
      std::fill_n(high.begin(), digits, 0u);
      const bool both = shift + bits < width;
      const std::size_t mask = digits - 1;
      for (std::size_t i = 0; i < piece.size; ++i) {
        const auto rest = static_cast<std::uint64_t>(key_of(piece.here[i])) >> shift;
        ++low[rest & mask];
        ++high[rest >> bits & mask];
      }
      deal_by_digit(piece, shift, mask, low);
      if (both) deal_by_digit(piece, shift + bits, mask, high);
    }
  }

  using digit_counts = std::array<std::uint32_t, std::size_t{1} << most_digit_bits>;

  static void deal_by_digit(sorting<T>& piece, unsigned shift, std::size_t mask,
                            digit_counts& place) noexcept {
    const auto digit_of = [shift, mask](T value) {
      return static_cast<std::size_t>(key_of(value) >> shift) & mask;
    };
    // Nothing moves by a digit that all have.
    if (place[digit_of(piece.here[0])] == piece.size) return;
    std::uint32_t sum = 0;
    for (std::size_t d = 0; d <= mask; ++d) sum += std::exchange(place[d], sum);
    for (std::size_t i = 0; i < piece.size; ++i) {
      const T value = piece.here[i];
      piece.there[place[digit_of(value)]++] = value;
    }
    std::swap(piece.here, piece.there);
  }

  // Deals to buckets by the highest of the lowest `width` bits, and sorts each.
  void sort_by_buckets(sorting<T>& piece, unsigned width) noexcept {
    const unsigned shift = width > bucket_bits ? width - bucket_bits : 0;
    const counts ends = deal(piece, shift);
    std::swap(piece.here, piece.there);
    if (shift != 0) sort_range(piece, ends, 0, buckets, shift);
  }

  // Moves all elements to the other memory, bucket behind bucket; where each ends.
  [[gnu::noinline]] counts deal(const sorting<T>& piece, unsigned shift) noexcept {
    const auto bucket_of = [shift](T value) {
      return static_cast<std::size_t>(key_of(value) >> shift) & (buckets - 1);
    };
    // Each thread counts and deals parts of its own, so that no two write to one place. One
    // thread does it all where there is no memory for their counts.
    const std::size_t wanted = parts_of(piece);
    const std::unique_ptr<counts[]> more(wanted == 1 ? nullptr : new (std::nothrow) counts[wanted]);
    const std::size_t parts = more == nullptr ? 1 : wanted;
    counts alone;
    counts* const place = more == nullptr ? &alone : more.get();
    const auto for_part = [&](std::size_t part, auto visit) {
      counts& of = place[part];
      const auto [begin, end] = part_of(piece, parts, part);
      for (std::size_t i = begin; i < end; ++i) visit(piece.here[i], of);
    };
    for_each_of(0, parts, [&](std::size_t part) {
      place[part].fill(0);
      for_part(part, [&](T value, counts& of) { ++of[bucket_of(value)]; });
    });
    std::size_t sum = 0;
    counts ends;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      for (std::size_t part = 0; part < parts; ++part)
        sum += std::exchange(place[part][bucket], sum);
      ends[bucket] = sum;
    }
    for_each_of(0, parts, [&](std::size_t part) {
      if (writes_lines && piece.size >= uncached_limit / sizeof(T)) {
        line_writer<T, buckets> out(piece.there, place[part]);
        if (out.is_ready()) {
          for_part(part, [&](T value, counts&) { out.put(bucket_of(value), value); });
          return out.finish();
        }
      }
      for_part(part, [&](T value, counts& of) { piece.there[of[bucket_of(value)]++] = value; });
    });
    return ends;
  }

  // What several threads look through at once.
  static constexpr std::size_t most_parts = 64;
  [[nodiscard]] std::size_t parts_of(const sorting<T>& piece) const noexcept {
    return std::clamp<std::size_t>(piece.size / grain_, 1, most_parts);
  }
  static std::pair<std::size_t, std::size_t> part_of(const sorting<T>& piece, std::size_t parts,
                                                     std::size_t part) noexcept {
    const std::size_t each = (piece.size + parts - 1) / parts;
    return {std::min(piece.size, part * each), std::min(piece.size, (part + 1) * each)};
  }

  // Sorts the buckets [first, last), which lie behind each other, in place.
  void sort_range(const sorting<T>& whole, const counts& ends, std::size_t first, std::size_t last,
                  unsigned width) noexcept {
    const std::size_t begin = first == 0 ? 0 : ends[first - 1];
    const std::size_t size = ends[last - 1] - begin;
    if (size == 0) return;
    if (last - first > 1) {
      const std::size_t middle = first + (last - first) / 2;
      const auto left = [&, middle] { sort_range(whole, ends, first, middle, width); };
      const auto right = [&, middle] { sort_range(whole, ends, middle, last, width); };
      if (size > grain_) {
        workers_.fork(left, right);
      } else {
        left();
        right();
      }
      return;
    }
    sorting<T> bucket{whole.here + begin, whole.there + begin, size};
    sort_by(bucket, width);
    if (bucket.here != whole.here + begin) bucket.cross_over();
  }

  // Calls visit(i) for each i in [first, last), at the same time.
  template <class Visit>
  void for_each_of(std::size_t first, std::size_t last, const Visit& visit) noexcept {
    if (last - first == 1) return visit(first);
    const std::size_t middle = first + (last - first) / 2;
    workers_.fork([&] { for_each_of(first, middle, visit); },
                  [&] { for_each_of(middle, last, visit); });
  }

  crew& workers_;
  const std::size_t grain_;
};

}  // namespace cleave::detail
