// recorded.hpp -- runs a body in a process of its own with CLEAVE_TRACE, and reads what it left.
//
//   const outcome end = run_recorded([](std::uint64_t* told) { told[0] = address(allocate(16)); });
//   EXPECT_EQ(end.seen.events.front().address, end.told[0]);
//
// The test itself must not use the heap, so that the child is the one that starts it.
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cleave/trace.hpp>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "support/waiting.hpp"

namespace cleave::test {

struct outcome {
  int exit_code = -1;  // 128 + signal, as a shell says it
  std::string error;
  trace::recording seen;
  std::array<std::uint64_t, 64> told{};

  // Without what the system's own needs may add.
  [[nodiscard]] std::vector<trace::event> of_kind(trace::event_kind kind) const {
    std::vector<trace::event> some;
    std::ranges::copy_if(seen.events, std::back_inserter(some),
                         [kind](const trace::event& e) { return e.kind == kind; });
    return some;
  }
};

// A folder that goes away.
class scratch_folder {
 public:
  scratch_folder() {
    std::string name = (std::filesystem::temp_directory_path() / "cleave_trace_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  scratch_folder(const scratch_folder&) = delete;
  scratch_folder& operator=(const scratch_folder&) = delete;
  ~scratch_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] std::filesystem::path file(const std::string& name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

struct child {
  pid_t process = 0;
  int error_end = -1;
};

// What it tells stands in memory that it shares with the test.
template <typename Body>
child start_recorded(const std::string& trace, std::uint64_t* told, const Body& body) {
  int ends[2];
  if (::pipe(ends) != 0) std::abort();
  const pid_t process = ::fork();
  if (process == 0) {
    ::dup2(ends[1], 2);
    ::close(ends[0]);
    ::close(ends[1]);
    ::setenv("CLEAVE_TRACE", trace.c_str(), 1);
    die_if_stuck();
    body(told);
    std::exit(0);
  }
  ::close(ends[1]);
  return {process, ends[0]};
}

inline std::uint64_t* shared_words() {
  void* const p = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) std::abort();
  return static_cast<std::uint64_t*>(p);
}

inline void finish_child(const child& one, outcome& result) {
  char text[4096];
  for (ssize_t n = 0; (n = ::read(one.error_end, text, sizeof text)) > 0;) {
    result.error.append(text, static_cast<std::size_t>(n));
  }
  ::close(one.error_end);
  int status = 0;
  ::waitpid(one.process, &status, 0);
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Records to this file, which is read if it can be: a full disk has nothing to read.
template <typename Body>
outcome run_recorded_to(const std::string& trace, const Body& body) {
  outcome result;
  std::uint64_t* const told = shared_words();
  finish_child(start_recorded(trace, told, body), result);
  std::copy_n(told, result.told.size(), result.told.begin());
  ::munmap(told, 4096);
  try {
    result.seen = trace::read(trace);
  } catch (const trace::unreadable& why) {
    result.seen.ending = why.what();
  }
  return result;
}

template <typename Body>
outcome run_recorded(const Body& body) {
  const scratch_folder folder;
  return run_recorded_to(folder.file("heap.trace").string(), body);
}

inline std::uint64_t address_of(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

// What an event says but for time, thread and place.
struct happening {
  trace::event_kind kind;
  std::uint64_t address;
  std::uint64_t size;
  std::uint64_t other = 0;

  friend bool operator==(const happening&, const happening&) = default;
  friend std::ostream& operator<<(std::ostream& out, const happening& h) {
    return out << trace::to_text(h.kind) << ' ' << std::hex << h.address << std::dec << '+'
               << h.size << " (" << h.other << ')';
  }
};

inline std::vector<happening> happenings(const trace::recording& seen) {
  std::vector<happening> all;
  for (const trace::event& e : seen.events) all.push_back({e.kind, e.address, e.size, e.other});
  return all;
}

}  // namespace cleave::test
