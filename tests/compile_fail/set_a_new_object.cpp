// set_a_new_object.cpp -- the array could move while its new element is made.
// expect: error: .*(use of deleted function|call to deleted)
#include <cleave/collector.hpp>

struct leaf {
  static constexpr bool has_references = false;
  int number = 0;
};

void fill(cleave::gc::mutator& m, const cleave::gc::local<cleave::gc::ref_array<leaf>>& array) {
#ifdef CLEAVE_SHOULD_FAIL
  array->set(0, m.make<leaf>());
#else
  const cleave::gc::local<leaf> made = m.make<leaf>();
  array->set(0, made);
#endif
}
