// copy_a_run.cpp -- a run has one owner.
// expect: error: .*(use of deleted function|call to (implicitly-)?deleted)
#include <cleave/run.hpp>

cleave::run moved(cleave::run& from) {
#ifdef CLEAVE_SHOULD_FAIL
  cleave::run result = from;
#else
  cleave::run result = std::move(from);
#endif
  return result;
}
