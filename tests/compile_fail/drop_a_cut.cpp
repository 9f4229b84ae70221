// drop_a_cut.cpp -- the piece that cut() returns must go somewhere.
// expect: error: .*(nodiscard|declared with attribute)
#pragma GCC diagnostic error "-Wunused-result"
#pragma GCC diagnostic error "-Wunused-value"
#include <cleave/run.hpp>

void f(cleave::run& from) {
#ifdef CLEAVE_SHOULD_FAIL
  from.cut(1);
#else
  cleave::run piece = from.cut(1);
#endif
}
