#include <cleave/runtime/start.hpp>

#include <algorithm>
#include <string>
#include <string_view>

#include "os/stack.hpp"
#include "os/stream.hpp"
#include "runtime/arguments.hpp"
#include "runtime/environment.hpp"
#include "runtime/output.hpp"
#include "runtime/statistics.hpp"
#include "runtime/threads.hpp"

namespace cleave::runtime {
namespace {

constexpr std::size_t stack_megabytes = 2048;
constexpr std::size_t most_stack_megabytes = std::size_t{1} << 20;
// Of each other thread: the system may charge for what it does not use.
constexpr std::size_t most_worker_megabytes = 1024;
// What the system must give at least of a larger wish.
constexpr std::size_t least_stack_megabytes = 64;

struct run_of_program {
  thread_team& team;
  void (*program)();
};

void run_program(void* argument) {
  const auto* const run = static_cast<run_of_program*>(argument);
  run->team.run([](void* program) { reinterpret_cast<void (*)()>(program)(); },
                reinterpret_cast<void*>(run->program));
}

}  // namespace

namespace detail {

int start(int argc, char** argv, void (*program)(), bool counts) noexcept {
  set_arguments(argc, argv);
  program_counts_cells(counts);
  output::open();
  os::report_broken_pipes();
  os::on_stack_overflow([] { stop(message::stack_overflow); });
  const std::size_t threads = number_in("CLEAVE_THREADS", 1, most_threads);
  const std::size_t stack = number_in("CLEAVE_STACK", stack_megabytes, most_stack_megabytes);
  {
    thread_team team(threads, std::min(stack, most_worker_megabytes) << 20);
    run_of_program run{team, program};
    if (!os::run_on_stack(stack << 20, std::min(stack, least_stack_megabytes) << 20, run_program,
                          &run)) {
      stop("bend: no memory for a stack");
    }
  }
  output::flush();
  output::put_error(statistics_asked_for());
  return setting("CLEAVE_CHECK") == "1" ? check_heap() : 0;
}

}  // namespace detail

}  // namespace cleave::runtime
