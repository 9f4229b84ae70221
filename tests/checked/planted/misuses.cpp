// misuses.cpp -- one misuse of the memory of one allocator, for scripts/misuse_table.py.
//
//   misuses MISUSE BYTES      twice, size, stranger, after_free, past_end, leak
//
// Compiled with MISUSES_OF_CLEAVE it uses Cleave's heap, else operator new and delete, which an
// allocator that is loaded in front of the C library replaces. Ends with code 0 if nothing
// was noticed.

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#if defined(MISUSES_OF_CLEAVE)
#  include <cleave/heap.hpp>
#endif

namespace {

char* take(std::size_t bytes) {
#if defined(MISUSES_OF_CLEAVE)
  return static_cast<char*>(cleave::heap::allocate(bytes));
#else
  return static_cast<char*>(::operator new(bytes));
#endif
}

void give(void* p, std::size_t bytes) {
#if defined(MISUSES_OF_CLEAVE)
  cleave::heap::free(p, bytes);
#else
  ::operator delete(p, bytes);
#endif
}

// Hides from the compiler what a pointer points to.
char* hidden(char* p) {
  char* volatile copy = p;
  return copy;
}

// What a program does after a misuse, in which it may be noticed.
void go_on(std::size_t bytes) {
  char* runs[64];
  for (int round = 0; round < 4; ++round) {
    for (char*& p : runs) {
      p = hidden(take(bytes));
      std::memset(p, round, bytes);
    }
    for (char* const p : runs) give(p, bytes);
  }
}

bool is(const char* name, const char* misuse) {
  return std::strcmp(name, misuse) == 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  const char* const misuse = words[1];
  const std::size_t bytes = std::strtoull(words[2], nullptr, 10);
  static char stranger[64];
  char* const p = hidden(take(bytes));
  char* const neighbour = hidden(take(bytes));
  std::memset(p, 1, bytes);
  if (is("twice", misuse)) {
    give(p, bytes);
    give(hidden(p), bytes);
  } else if (is("size", misuse)) {
    give(p, bytes * 2);
  } else if (is("stranger", misuse)) {
    give(hidden(stranger), sizeof stranger);
    give(p, bytes);
  } else if (is("after_free", misuse)) {
    give(p, bytes);
    hidden(p)[bytes / 2] = 7;
  } else if (is("past_end", misuse)) {
    hidden(p)[bytes] = 7;
    give(p, bytes);
  } else if (is("leak", misuse)) {
    // Forgotten.
  } else {
    return 2;
  }
  go_on(bytes);
  give(neighbour, bytes);
}
