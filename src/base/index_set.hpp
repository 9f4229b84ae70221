// index_set.hpp -- a set of small integers that finds its least member in three loads.
//
// A bitmap under two levels of summary: a summary bit is set while the word
// below it is not zero. The storage is the caller's, so that one block of
// memory can hold many sets of different sizes, untouched where they are empty.
//
//   std::uint64_t leaf[index_set::leaf_words(1000)]{}, middle[index_set::middle_words(1000)]{};
//   index_set s(leaf, middle);
//   s.insert(70);  s.insert(900);
//   s.first() == 70;  s.next(71) == 900;  s.next(901) == index_set::none
//
// Invariants (valid() checks them):
//   I1  A bit of the middle level is set exactly if its leaf word is not zero.
//   I2  A bit of the root is set exactly if its middle word is not zero.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace cleave::base {

class index_set {
 public:
  static constexpr std::size_t max_capacity = std::size_t{1} << 18;
  static constexpr std::size_t none = SIZE_MAX;

  static constexpr std::size_t leaf_words(std::size_t capacity) { return (capacity + 63) / 64; }
  static constexpr std::size_t middle_words(std::size_t capacity) {
    return (leaf_words(capacity) + 63) / 64;
  }

  constexpr index_set() noexcept = default;
  // Both arrays hold zeros, and outlive the set.
  index_set(std::uint64_t* leaf, std::uint64_t* middle) noexcept : leaf_(leaf), middle_(middle) {}

  bool empty() const noexcept { return root_ == 0; }
  bool contains(std::size_t i) const noexcept { return (leaf_[i >> 6] >> (i & 63)) & 1; }

  void insert(std::size_t i) noexcept {
    leaf_[i >> 6] |= bit(i);
    middle_[i >> 12] |= bit(i >> 6);
    root_ |= bit(i >> 12);
  }

  void erase(std::size_t i) noexcept {
    if ((leaf_[i >> 6] &= ~bit(i)) != 0) return;
    if ((middle_[i >> 12] &= ~bit(i >> 6)) != 0) return;
    root_ &= ~bit(i >> 12);
  }

  // The least member. Requires: !empty().
  std::size_t first() const noexcept {
    const std::size_t m = lowest(root_);
    const std::size_t l = m << 6 | lowest(middle_[m]);
    return l << 6 | lowest(leaf_[l]);
  }

  // The least member that is at least `from`, or none.
  std::size_t next(std::size_t from) const noexcept {
    if (from >= max_capacity) return none;
    // A leaf word is read only if the summaries say that it is not zero: past
    // the set's capacity there is none, and the memory is another set's.
    if (root_bit(from >> 12) && (middle_[from >> 12] & bit(from >> 6)) != 0) {
      if (const std::uint64_t word = leaf_from(from); word != 0) {
        return (from & ~std::size_t{63}) | lowest(word);
      }
    }
    const std::size_t l = (from >> 6) + 1;
    if ((l & 63) != 0 && root_bit(l >> 6)) {
      if (const std::uint64_t word = middle_[l >> 6] >> (l & 63) << (l & 63); word != 0) {
        return in_leaf((l & ~std::size_t{63}) | lowest(word));
      }
    }
    const std::size_t m = (from >> 12) + 1;
    if (m >= 64) return none;
    const std::uint64_t word = root_ >> m << m;
    if (word == 0) return none;
    return in_leaf(lowest(word) << 6 | lowest(middle_[lowest(word)]));
  }

  // O(capacity): for checks. `capacity` is the one the storage was sized for.
  std::size_t count(std::size_t capacity) const noexcept {
    std::size_t n = 0;
    for (std::size_t l = 0; l < leaf_words(capacity); ++l) {
      n += static_cast<std::size_t>(std::popcount(leaf_[l]));
    }
    return n;
  }

  bool valid(std::size_t capacity) const noexcept {
    for (std::size_t l = 0; l < leaf_words(capacity); ++l) {
      if ((leaf_[l] != 0) != (((middle_[l >> 6] >> (l & 63)) & 1) != 0)) return false;
    }
    for (std::size_t m = 0; m < middle_words(capacity); ++m) {
      if ((middle_[m] != 0) != root_bit(m)) return false;
    }
    return true;
  }

 private:
  static constexpr std::uint64_t bit(std::size_t i) noexcept {
    return std::uint64_t{1} << (i & 63);
  }
  static std::size_t lowest(std::uint64_t word) noexcept {
    return static_cast<std::size_t>(std::countr_zero(word));
  }
  bool root_bit(std::size_t m) const noexcept { return (root_ >> m) & 1; }
  std::uint64_t leaf_from(std::size_t i) const noexcept {
    return leaf_[i >> 6] >> (i & 63) << (i & 63);
  }
  std::size_t in_leaf(std::size_t l) const noexcept { return l << 6 | lowest(leaf_[l]); }

  std::uint64_t* leaf_ = nullptr;
  std::uint64_t* middle_ = nullptr;
  std::uint64_t root_ = 0;
};

}  // namespace cleave::base
