#include "runtime/runs.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cleave/heap.hpp>
#include <cleave/runtime/start.hpp>
#include <cstdlib>
#include <new>
#include <thread>

#include "os/stack.hpp"
#include "runtime/threads.hpp"

namespace cleave::test {
namespace {

testing::AssertionResult leaves_nothing_behind(const std::function<void()>& work) {
  const std::size_t before = heap::live_bytes();
  std::thread(work).join();
  const std::size_t after = heap::live_bytes();
  if (after != before) {
    return testing::AssertionFailure() << before << " bytes were live, and now " << after;
  }
  const std::string wrong = heap::verify();
  if (!wrong.empty()) return testing::AssertionFailure() << wrong;
  return testing::AssertionSuccess();
}

struct pipe_ends {
  int read = -1;
  int write = -1;
};

pipe_ends make_pipe() {
  std::array<int, 2> both{};
  if (::pipe(both.data()) != 0) std::abort();
  return {both[0], both[1]};
}

[[noreturn]] void become(void (*program)(), const surroundings& around, int output, int error) {
  if (!around.output_path.empty()) output = ::open(around.output_path.c_str(), O_WRONLY);
  ::dup2(output, 1);
  ::dup2(error, 2);
  for (const auto& [name, value] : around.variables) ::setenv(name.c_str(), value.c_str(), 1);
  std::string name = "program";
  std::vector<std::string> words = around.words;
  std::vector<char*> all{name.data()};
  for (std::string& word : words) all.push_back(word.data());
  all.push_back(nullptr);
  ::_exit(runtime::start(static_cast<int>(all.size()) - 1, all.data(), program));
}

// Reads both to their ends.
void collect(int output, int error, outcome& into) {
  std::array<pollfd, 2> from{{{output, POLLIN, 0}, {error, POLLIN, 0}}};
  int open = 2;
  while (open != 0) {
    if (::poll(from.data(), from.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < 2; ++i) {
      if (from[i].revents == 0) continue;
      std::array<char, 4096> bytes{};
      const ssize_t n = ::read(from[i].fd, bytes.data(), bytes.size());
      if (n > 0) {
        (i == 0 ? into.output : into.error).append(bytes.data(), static_cast<std::size_t>(n));
      } else {
        ::close(from[i].fd);
        from[i].fd = -1;
        --open;
      }
    }
  }
}

}  // namespace

testing::AssertionResult leaves_nothing(const std::function<void()>& work) {
  return leaves_nothing_behind(work);
}

testing::AssertionResult leaves_nothing(std::size_t threads, const std::function<void()>& work) {
  return leaves_nothing_behind([&] {
    constexpr std::size_t stack = std::size_t{256} << 20;
    runtime::thread_team team(threads, stack);
    struct job {
      runtime::thread_team& team;
      const std::function<void()>& work;
    } all{team, work};
    // The runtime's own thread gives back what it kept when it ends, as here. It needs a stack
    // like the others: oneTBB takes a thread with less for one that has used most of it, and lets
    // it take no work while it waits.
    const auto run = [](void* one) {
      const job& here = *static_cast<const job*>(one);
      here.team.run([](void* f) { (*static_cast<const std::function<void()>*>(f))(); },
                    const_cast<std::function<void()>*>(&here.work));
    };
    if (!os::run_on_stack(stack, stack, run, &all)) throw std::bad_alloc();
  });
}

outcome run_alone(void (*program)(), const surroundings& around) {
  const pipe_ends output = make_pipe();
  const pipe_ends error = make_pipe();
  const pid_t child = ::fork();
  if (child < 0) std::abort();
  if (child == 0) {
    ::close(output.read);
    ::close(error.read);
    become(program, around, output.write, error.write);
  }
  ::close(output.write);
  ::close(error.write);
  outcome end{};
  if (around.output_closed) {
    ::close(output.read);
    collect(::open("/dev/null", O_RDONLY), error.read, end);
  } else {
    collect(output.read, error.read, end);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return end;
}

}  // namespace cleave::test
