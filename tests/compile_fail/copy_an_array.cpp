// copy_an_array.cpp -- an array has one owner; clone() makes a second array.
// expect: error: .*(use of deleted function|call to (implicitly-)?deleted)
#include <cleave/array.hpp>

cleave::array<int> moved(cleave::array<int>& from) {
#ifdef CLEAVE_SHOULD_FAIL
  cleave::array<int> result = from;
#else
  cleave::array<int> result = std::move(from);
#endif
  return result;
}
