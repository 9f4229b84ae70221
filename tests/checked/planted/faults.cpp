// faults.cpp -- one planted fault, for a sanitizer or Valgrind to find.
//
//   faults FAULT      none, read_after_free, write_after_free, past_end, piece, unwritten, reused,
//                     odd_end, odd_piece
//
// Uses no standard library that would have to be compiled for the memory sanitizer.

#include <cleave/heap.hpp>
#include <cstdio>
#include <cstring>

namespace {

namespace heap = cleave::heap;

// The compiler cannot know what stands there.
volatile char sink;

char* take(std::size_t bytes) {
  return static_cast<char*>(heap::allocate(bytes));
}

bool is(const char* name, const char* fault) {
  return std::strcmp(name, fault) == 0;
}

}  // namespace

int main(int count, char** words) {
  const char* const fault = count > 1 ? words[1] : "none";
  char* const p = take(1000);
  std::memset(p, 1, 1000);
  if (is("none", fault)) {
    // Cut, freed in pieces, used again: all of it allowed.
    for (int i = 0; i < 1000; i += 8) heap::free(p + i, 8);
    char* const again = take(1000);
    std::memset(again, 2, 1000);
    sink = again[999];
    heap::free(again, 1000);
    for (std::size_t n = 1; n < 5000; n += 13) {
      char* const q = take(n);
      std::memset(q, 3, n);
      heap::free(q + n / 2, n - n / 2);
      if (n > 1) sink = q[0];
      heap::free(q, n / 2);
    }
  } else if (is("read_after_free", fault)) {
    heap::free(p, 1000);
    sink = p[500];
  } else if (is("write_after_free", fault)) {
    heap::free(p, 1000);
    const_cast<volatile char*>(p)[500] = 1;
  } else if (is("past_end", fault)) {
    const_cast<volatile char*>(p)[1000] = 1;
  } else if (is("piece", fault)) {
    // Half of it is freed, the other half is not.
    heap::free(p + 504, 496);
    sink = p[503];
    sink = p[504];
  } else if (is("odd_end", fault)) {
    // The last byte of the run and the one behind it lie in the same eight.
    char* const odd = take(1001);
    odd[1000] = 1;
    const_cast<volatile char*>(odd)[1001] = 1;
  } else if (is("odd_piece", fault)) {
    // So do the last byte that is freed and the first that is not.
    heap::free(p, 503);
    sink = p[503];
    sink = p[502];
  } else if (is("unwritten", fault)) {
    char* const fresh = take(64);
    if (fresh[5] == 7) std::puts("seven");
  } else if (is("reused", fault)) {
    heap::free(p, 1000);
    char* const again = take(1000);
    if (again[5] == 7) std::puts("seven");
  }
  std::puts("end");
}
