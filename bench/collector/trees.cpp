// trees.cpp -- binary trees that live short and long, as a template body over three memories.
//
// binary-trees: trees of growing depth are made, counted and dropped, beside one that lives
// long. gcbench: the same with trees filled from the top too, so that old nodes refer to
// young ones, and with a large array of numbers that lives long.
#include <cleave/collector.hpp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "measure.hpp"

#if CLEAVE_BENCH_BOEHM
#  include <gc.h>
#endif

namespace cleave::bench {
namespace {

struct managed_memory {
  static constexpr const char* name = "cleave";
  struct node {
    gc::ref<node> left, right;
    std::int32_t i = 0, j = 0;
    node() = default;
    node(const gc::local<node>& l, const gc::local<node>& r) : left(l), right(r) {}
    void trace(gc::visitor& to) { to.visit(left, right); }
  };
  using handle = gc::local<node>;
  gc::collector c;
  gc::mutator m{c};

  handle leaf() { return m.make<node>(); }
  handle none() { return handle(m); }
  handle join(const handle& l, const handle& r) { return m.make<node>(l, r); }
  void put(const handle& n, const handle& l, const handle& r) {
    n->left = l;
    n->right = r;
  }
  static const node* raw(const handle& n) { return n.get(); }
  static const node* left(const node* n) { return n->left.get(); }
  static const node* right(const node* n) { return n->right.get(); }
  gc::local<gc::byte_array> numbers(std::size_t bytes) { return m.make_bytes(bytes); }
  void drop(const handle&) {}
  void drop_numbers(const gc::local<gc::byte_array>&) {}
  void finish(sample& s) const {
    const gc::statistics now = c.stats();
    s.young = now.young_collections;
    s.full = now.full_collections;
    s.longest_pause_ms = static_cast<double>(now.pause_longest.count()) * 1e-6;
    s.pauses_ms = static_cast<double>(now.pause_total.count()) * 1e-6;
  }
};

struct plain_node {
  plain_node* left = nullptr;
  plain_node* right = nullptr;
  std::int32_t i = 0, j = 0;
};

// What malloc and Boehm have in common: plain pointers.
template <class Memory>
struct pointers {
  using handle = plain_node*;
  handle leaf() { return new (Memory::get(sizeof(plain_node))) plain_node; }
  handle none() { return nullptr; }
  handle join(handle l, handle r) {
    return new (Memory::get(sizeof(plain_node))) plain_node{l, r, 0, 0};
  }
  void put(handle n, handle l, handle r) {
    n->left = l;
    n->right = r;
  }
  static const plain_node* raw(handle n) { return n; }
  static const plain_node* left(const plain_node* n) { return n->left; }
  static const plain_node* right(const plain_node* n) { return n->right; }
};

struct malloc_memory : pointers<malloc_memory> {
  static constexpr const char* name = "malloc, free";
  static void* get(std::size_t bytes) { return std::malloc(bytes); }
  void* numbers(std::size_t bytes) { return std::calloc(bytes, 1); }
  void drop(handle n) {
    if (n == nullptr) return;
    drop(n->left);
    drop(n->right);
    std::free(n);
  }
  void drop_numbers(void* p) { std::free(p); }
  void finish(sample&) const {}
};

#if CLEAVE_BENCH_BOEHM
struct boehm_memory : pointers<boehm_memory> {
  static constexpr const char* name = "boehm";
  GC_word before;
  boehm_memory() {
    GC_INIT();
    before = GC_get_gc_no();
  }
  static void* get(std::size_t bytes) { return GC_MALLOC(bytes); }
  void* numbers(std::size_t bytes) { return GC_MALLOC_ATOMIC(bytes); }
  void drop(handle) {}
  void drop_numbers(void*) {}
  void finish(sample& s) const { s.full = GC_get_gc_no() - before; }
};
#endif

template <class M>
typename M::handle bottom_up(M& m, int depth) {
  if (depth == 0) return m.leaf();
  const typename M::handle left = bottom_up(m, depth - 1);
  const typename M::handle right = bottom_up(m, depth - 1);
  return m.join(left, right);
}

template <class M>
void top_down(M& m, int depth, const typename M::handle& from) {
  if (depth == 0) return;
  const typename M::handle left = m.leaf();
  const typename M::handle right = m.leaf();
  m.put(from, left, right);
  top_down(m, depth - 1, left);
  top_down(m, depth - 1, right);
}

template <class M, class Node>
std::uint64_t count(const Node* n) {
  return n == nullptr ? 0 : 1 + count<M>(M::left(n)) + count<M>(M::right(n));
}

template <class M>
sample binary_trees(int deepest) {
  sample s;
  M m;
  const typename M::handle kept = bottom_up(m, deepest);
  for (int depth = 4; depth <= deepest; depth += 4) {
    const int times = 1 << (deepest - depth + 4);
    for (int i = 0; i < times; ++i) {
      const typename M::handle tree = bottom_up(m, depth);
      s.checksum += count<M>(M::raw(tree));
      m.drop(tree);
    }
  }
  s.checksum += count<M>(M::raw(kept));
  m.drop(kept);
  m.finish(s);
  return s;
}

template <class M>
sample gcbench(int deepest) {
  sample s;
  M m;
  const typename M::handle kept = m.leaf();
  top_down(m, deepest, kept);
  const auto numbers = m.numbers(500'000 * sizeof(double));
  for (int depth = 4; depth <= deepest; depth += 2) {
    const int times = 2 * ((1 << (deepest + 3)) - 1) / ((1 << (depth + 1)) - 1);
    for (int i = 0; i < times; ++i) {
      const typename M::handle one = m.leaf();
      top_down(m, depth, one);
      s.checksum += M::left(M::raw(one)) != nullptr;
      m.drop(one);
      const typename M::handle other = bottom_up(m, depth);
      s.checksum += M::left(M::raw(other)) != nullptr;
      m.drop(other);
    }
  }
  s.checksum += count<M>(M::raw(kept));
  m.drop(kept);
  m.drop_numbers(numbers);
  m.finish(s);
  return s;
}

template <class M>
std::uint64_t measure(const amount& work) {
  const sample b = repeat(work.rounds, [&] { return binary_trees<M>(work.smoke ? 8 : 18); });
  report("binary-trees", M::name, b);
  const sample g = repeat(work.rounds, [&] { return gcbench<M>(work.smoke ? 6 : 18); });
  report("gcbench", M::name, g);
  return b.checksum * 31 + g.checksum;
}

void require_same(std::uint64_t a, std::uint64_t b) {
  if (a == b) return;
  std::fprintf(stderr, "two memories computed different things\n");
  std::abort();
}

}  // namespace

void trees(const amount& work) {
  const std::uint64_t sum = measure<managed_memory>(work);
  require_same(sum, measure<malloc_memory>(work));
#if CLEAVE_BENCH_BOEHM
  require_same(sum, measure<boehm_memory>(work));
#endif
}

}  // namespace cleave::bench
