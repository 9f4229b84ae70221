// tree_view.cpp -- an array read as a tree: one element is a leaf, more are a node of two halves.
#include <cleave/array.hpp>
#include <cstdio>
#include <numeric>
#include <utility>

using cleave::array;

// The array is consumed: each leaf is freed where it is met.
long sum(array<int> tree) {
  return match(
      std::move(tree), [](int value) { return long{value}; },
      [](array<int> left, array<int> right) {
        return sum(std::move(left)) + sum(std::move(right));
      });
}

// A leaf that takes the cell, an array of one, may give it back with a new value.
// Then the tree is rebuilt where it stands, and nothing is allocated.
array<int> squares(array<int> tree) {
  return match(
      std::move(tree),
      [](array<int> cell) {
        cell[0] *= cell[0];
        return cell;
      },
      [](array<int> left, array<int> right) {
        array<int> l = squares(std::move(left));
        array<int> r = squares(std::move(right));
        return join(std::move(l), std::move(r));
      });
}

int main() {
  array<int> numbers(1000);
  std::iota(numbers.begin(), numbers.end(), 1);
  const int* const place = numbers.data();

  numbers = squares(std::move(numbers));
  std::printf("%d squares, %s\n", static_cast<int>(numbers.size()),
              numbers.data() == place ? "where the numbers were" : "elsewhere");
  std::printf("their sum is %ld\n", sum(std::move(numbers)));
  std::printf("%zu bytes are live\n", cleave::heap::live_bytes());
}
