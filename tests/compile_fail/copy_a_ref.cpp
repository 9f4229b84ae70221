// copy_a_ref.cpp -- a field of an object has no place on the stack.
// expect: error: .*(use of deleted function|call to (implicitly-)?deleted)
#include <cleave/collector.hpp>

struct node {
  cleave::gc::ref<node> next;
  void trace(cleave::gc::visitor& to) { to.visit(next); }
};

void read(cleave::gc::mutator& m, const cleave::gc::local<node>& n) {
#ifdef CLEAVE_SHOULD_FAIL
  auto next = n->next;
#else
  cleave::gc::local<node> next(m, n->next);
#endif
  (void)m;
  (void)next;
}
