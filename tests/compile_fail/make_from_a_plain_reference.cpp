// make_from_a_plain_reference.cpp -- a plain reference would be stale in the constructor.
// expect: error: .*a plain reference is stale after a safepoint
#include <cleave/collector.hpp>

struct node {
  cleave::gc::ref<node> next;
  explicit node(node* n) { next.set(n); }
  explicit node(const cleave::gc::local<node>& n) : next(n) {}
  void trace(cleave::gc::visitor& to) { to.visit(next); }
};

void make(cleave::gc::mutator& m, const cleave::gc::local<node>& n) {
#ifdef CLEAVE_SHOULD_FAIL
  (void)m.make<node>(n.get());
#else
  (void)m.make<node>(n);
#endif
}
