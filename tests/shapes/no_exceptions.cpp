// no_exceptions.cpp -- the library without exceptions and RTTI, by its try_ forms.
//
// Prints what does not hold, and returns how many that are.
#include <cleave.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cleave/allocator.hpp>
#include <cleave/array.hpp>
#include <cleave/array_builder.hpp>
#include <cleave/byte_buffer.hpp>
#include <cleave/heap.hpp>
#include <cleave/memory_resource.hpp>
#include <cleave/run.hpp>
#include <cleave/shared_array.hpp>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <utility>

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  ++failures;
  std::fprintf(stderr, "does not hold: %s\n", what);
}

// What throws elsewhere ends the program.
template <typename Body>
void expect_abort(const Body& body, const char* what) {
  const pid_t child = ::fork();
  if (child == 0) {
    body();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, what);
}

void use_arrays() {
  auto numbers = cleave::array<std::uint32_t>::try_make(1000);
  expect(numbers.size() == 1000, "an array is made");
  auto tail = numbers.cut(400);
  expect(numbers.size() == 400 && tail.size() == 600, "it is cut");
  expect(numbers.try_join_adjacent(std::move(tail)), "its pieces join");
  auto stranger = cleave::array<std::uint32_t>::try_make(1);
  expect(!numbers.try_join_adjacent(std::move(stranger)) || stranger.empty(),
         "a stranger joins only where it is a neighbour");
  expect(cleave::array<std::uint32_t>::try_make(SIZE_MAX / 8).empty(), "too many are refused");
  expect_abort([&] { (void)numbers.at(5000); }, "an index outside ends the program");
  expect_abort([&] { (void)numbers.cut(5000); }, "a cut outside ends the program");
}

void use_buffers() {
  cleave::byte_buffer buffer;
  const std::byte bytes[3]{};
  expect(buffer.try_append(bytes) && buffer.size() == 3, "a buffer grows");
  expect(!buffer.try_reserve(SIZE_MAX / 2) && buffer.size() == 3, "too much room is refused");
}

void use_runs() {
  cleave::run run = cleave::run::try_make(100);
  expect(run.cut(40).size() == 60, "a run is cut");
  expect(cleave::heap::try_allocate(SIZE_MAX) == nullptr, "no memory is an answer");
  expect_abort([] { (void)cleave::heap::allocate(SIZE_MAX); },
               "and the end where nobody can be told");
}

void use_c() {
  cl_run left;
  cl_run right;
  expect(cl_allocate(50, &left) == cl_ok, "C allocates");
  expect(cl_cut(left, 20, &left, &right) == cl_ok && right.bytes == 30, "C cuts");
  expect(cl_allocate(SIZE_MAX, &left) == cl_out_of_memory && left.bytes == 20, "C is told");
  cl_free(right);
  cl_free(left);
}

}  // namespace

int main() {
  use_arrays();
  use_buffers();
  use_runs();
  use_c();
  expect(cleave::heap_resource()->is_equal(*cleave::heap_resource()), "a resource equals itself");
  expect(cl_live_bytes() == 0, "all of it came back");
  expect(cl_verify(nullptr, 0) == cl_ok, "the heap is whole");
  return failures;
}
