#include "os/lookup.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string_view>

namespace cleave::os {
namespace {

// What a command prints; empty if it cannot be run.
std::string output_of(std::vector<std::string> words) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::string text;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return text;
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const bool started =
      ::posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  std::array<char, 16384> part;
  while (started) {
    const ssize_t got = ::read(ends[0], part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(got));
  }
  ::close(ends[0]);
  while (started && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text;
}

// "main at life.cpp:12 (discriminator 3)", "main at ??:?" and "?? at ??:0", as one writes them.
std::string call_in(std::string_view line) {
  if (line.starts_with("??")) return {};
  line = line.substr(0, line.find(" (discriminator"));
  if (const std::size_t at = line.rfind(" at "); at != line.npos) {
    const std::string_view where = line.substr(at + 4);
    if (where.starts_with("??") || where.ends_with(":?")) line = line.substr(0, at);
  }
  return std::string(line);
}

}  // namespace

std::vector<std::vector<std::string>> look_up(const std::string& file,
                                              std::span<const std::uint64_t> addresses) {
  std::vector<std::vector<std::string>> calls(addresses.size());
  // A command line has room for some ten thousand.
  constexpr std::size_t most = 4096;
  for (std::size_t first = 0; first < addresses.size(); first += most) {
    const std::size_t n = std::min(most, addresses.size() - first);
    std::vector<std::string> words = {"addr2line", "-apCfie", file};
    for (const std::uint64_t address : addresses.subspan(first, n)) {
      char number[20];
      std::snprintf(number, sizeof number, "0x%llx", static_cast<unsigned long long>(address));
      words.emplace_back(number);
    }
    const std::string text = output_of(std::move(words));
    // Each address begins a line with its number: "0x12: main at life.cpp:12". What is inlined
    // there follows: " (inlined by) run at life.cpp:30".
    std::size_t i = first;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      std::string_view line = std::string_view(text).substr(begin, end - begin);
      begin = end + 1;
      constexpr std::string_view inlined = " (inlined by) ";
      if (line.starts_with(inlined)) {
        line.remove_prefix(inlined.size());
      } else {
        const std::size_t colon = line.find(": ");
        if (!line.starts_with("0x") || colon == line.npos || i == first + n) break;
        line.remove_prefix(colon + 2);
        ++i;
      }
      if (i == first) break;
      if (std::string call = call_in(line); !call.empty()) calls[i - 1].push_back(std::move(call));
    }
  }
  return calls;
}

}  // namespace cleave::os
