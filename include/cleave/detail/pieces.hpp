// pieces.hpp -- what parallel.hpp cuts into halves, and what it does with leaves.
//
// A piece has size() and halves(), as an array has; fold_tree() (fork.hpp) cuts it.
#pragma once

#include <cleave/array.hpp>
#include <cleave/detail/elements.hpp>
#include <cleave/detail/fork.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <ranges>
#include <span>
#include <utility>

namespace cleave::detail {

template <class R>
concept elements_range = std::ranges::contiguous_range<R> && std::ranges::sized_range<R>;

template <elements_range R>
auto span_of(R&& range) noexcept {
  return std::span(std::ranges::data(range), std::ranges::size(range));
}
template <elements_range R>
using element_of = typename decltype(span_of(std::declval<R>()))::element_type;

template <class T>
struct borrowed {
  std::span<T> elements;

  [[nodiscard]] std::size_t size() const noexcept { return elements.size(); }
  [[nodiscard]] std::pair<borrowed, borrowed> halves() const noexcept {
    const std::size_t half = size() / 2;
    return {{elements.first(half)}, {elements.subspan(half)}};
  }
};

// Elements, and memory of the piece's own for what will be made of each.
template <class T, class U>
struct blank {
  std::span<T> elements;
  raw_elements<U> memory;

  [[nodiscard]] std::size_t size() const noexcept { return elements.size(); }
  [[nodiscard]] std::pair<blank, blank> halves() && noexcept {
    const std::size_t half = size() / 2;
    const std::size_t rest = size() - half;
    U* const places = memory.release();
    return {blank{elements.first(half), {places, half}},
            blank{elements.subspan(half), {places + half, rest}}};
  }
  // If this throws, what was made is destroyed, and the memory freed with the piece.
  template <class Make>
  array<U> fill(Make& make) && {
    struct made_so_far {
      U* first;
      std::size_t count = 0;
      ~made_so_far() { std::destroy_n(first, count); }
    } made{memory.data()};
    for (T& element : elements) {
      ::new (static_cast<void*>(made.first + made.count)) U(std::invoke(make, element));
      ++made.count;
    }
    made.count = 0;
    return array<U>::adopt({memory.release(), size()});
  }
};

// Requires: elements is not empty.
template <class Value, class T, class Combine>
Value fold(std::span<T> elements, Combine& combine) {
  Value sum(elements.front());
  for (T& element : elements.subspan(1)) sum = combine(std::move(sum), element);
  return sum;
}

// For trees whose leaves return nothing.
struct nothing {};
inline constexpr auto no_node = [](nothing, nothing) noexcept { return nothing(); };

}  // namespace cleave::detail
