// objects.hpp -- what the tests of the collector make objects of, and with which options.
#pragma once

#include <cleave/collector.hpp>
#include <cstdint>

namespace cleave::test {

struct node {
  static constexpr const char* type_name = "node";
  gc::ref<node> left, right;
  std::uint64_t number = 0;

  explicit node(std::uint64_t n) : number(n) {}
  node(const gc::local<node>& l, const gc::local<node>& r, std::uint64_t n)
      : left(l), right(r), number(n) {}
  void trace(gc::visitor& to) { to.visit(left, right); }
};

struct pair {
  static constexpr const char* type_name = "pair";
  gc::ref<gc::value> head, tail;
  void trace(gc::visitor& to) { to.visit(head, tail); }
};

struct number {
  static constexpr bool has_references = false;
  double value = 0;
};

// Small enough that a test meets every kind of collection, and checked after each.
inline gc::options small(std::size_t stress = 0) {
  gc::options chosen;
  chosen.nursery = 2 * 65536;
  chosen.large_threshold = 256;
  chosen.large_budget = std::size_t{1} << 20;
  chosen.old_minimum = std::size_t{1} << 20;
  chosen.debug = {.verify = true, .stress = stress, .poison = true};
  return chosen;
}

}  // namespace cleave::test
