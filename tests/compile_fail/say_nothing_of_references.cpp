// say_nothing_of_references.cpp -- a class shows its references, or says that it has none.
// expect: error: .*(no matching|unsatisfied|constraints not satisfied)
#include <cleave/collector.hpp>

struct silent {
#ifndef CLEAVE_SHOULD_FAIL
  static constexpr bool has_references = false;
#endif
  int number = 0;
};

void make(cleave::gc::mutator& m) {
  (void)m.make<silent>();
}
