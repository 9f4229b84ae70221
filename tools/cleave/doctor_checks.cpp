#include "doctor_checks.hpp"

#include <fmt/format.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cleave/heap.hpp>
#include <cstdint>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace cleave::tool {
namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20;
constexpr std::uint64_t gib = std::uint64_t{1} << 30;

std::string size(std::uint64_t bytes) {
  if (bytes >= 1024 * gib)
    return fmt::format("{:.1f} TiB", static_cast<double>(bytes >> 30) / 1024);
  if (bytes >= gib) return fmt::format("{:.1f} GiB", static_cast<double>(bytes >> 20) / 1024);
  if (bytes >= mib) return fmt::format("{:.1f} MiB", static_cast<double>(bytes >> 10) / 1024);
  return fmt::format("{} KiB", bytes >> 10);
}

std::optional<std::uint64_t> number(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  return value;
}

// The word in brackets: "always [madvise] never".
std::optional<std::string> chosen(std::string_view text) {
  const std::size_t begin = text.find('[');
  const std::size_t end = text.find(']', begin == std::string_view::npos ? 0 : begin);
  if (begin == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(begin + 1, end - begin - 1));
}

// The files of one machine. Without a file, or when it reads differently than it
// should, the answer is nothing.
class machine {
 public:
  explicit machine(std::string root) : root_(std::move(root)) {}

  [[nodiscard]] std::optional<std::string> text(const std::string& path) const {
    std::ifstream file(root_ + path);
    std::ostringstream all;
    if (!file || !(all << file.rdbuf())) return std::nullopt;
    std::string result = std::move(all).str();
    while (!result.empty() && (result.back() == '\n' || result.back() == ' ')) result.pop_back();
    if (result.empty()) return std::nullopt;
    return result;
  }
  [[nodiscard]] std::optional<std::uint64_t> value(const std::string& path) const {
    const auto read = text(path);
    return read ? number(*read) : std::nullopt;
  }
  // A line "Name:  123 kB" of /proc/meminfo, in bytes.
  [[nodiscard]] std::optional<std::uint64_t> memory(std::string_view name) const {
    std::istringstream lines(text("/proc/meminfo").value_or(""));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':')
        continue;
      const auto kib = number(std::string_view(line).substr(name.size() + 1));
      return kib ? std::optional(*kib * 1024) : std::nullopt;
    }
    return std::nullopt;
  }

 private:
  std::string root_;
};

finding unknown(std::string name) {
  return {std::move(name), "unknown", verdict::unknown, ""};
}

// A row that is fine, or that needs the advice.
finding judged(std::string name, std::string value, bool fine, std::string advice) {
  return {std::move(name), std::move(value), fine ? verdict::ok : verdict::warn,
          fine ? "" : std::move(advice)};
}

finding kernel() {
  utsname about{};
  if (::uname(&about) != 0) return unknown("kernel");
  return {"kernel", fmt::format("{} {} {}", about.sysname, about.release, about.machine),
          verdict::ok, ""};
}

finding page_size() {
  const long bytes = ::sysconf(_SC_PAGESIZE);
  if (bytes <= 0) return unknown("page size");
  return judged("page size", size(static_cast<std::uint64_t>(bytes)), bytes <= 65536,
                "memory returns to the system in blocks of 64 KiB; larger pages keep more");
}

finding cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const long online = ::sysconf(_SC_NPROCESSORS_ONLN);
  // Machines with more processors than the set holds have no answer here.
  const bool known = ::sched_getaffinity(0, sizeof set, &set) == 0;
  if (!known && online <= 0) return unknown("cores");
  const long usable = known ? CPU_COUNT(&set) : online;
  return judged("cores", fmt::format("{} of {}", usable, std::max(usable, online)),
                usable >= online, "this process may use some of the cores only (taskset, cpuset)");
}

finding total_memory(const machine& here) {
  const auto bytes = here.memory("MemTotal");
  if (!bytes) return unknown("memory");
  return {"memory", size(*bytes), verdict::ok, ""};
}

finding available_memory(const machine& here) {
  const auto bytes = here.memory("MemAvailable");
  if (!bytes) return unknown("memory available");
  return judged("memory available", size(*bytes), *bytes >= 256 * mib,
                "little is left; end other programs, or limit the heap (options::held_limit)");
}

finding limit(std::string name, decltype(RLIMIT_AS) which, const char* option,
              std::uint64_t enough) {
  rlimit value{};
  if (::getrlimit(which, &value) != 0) return unknown(std::move(name));
  if (value.rlim_cur == RLIM_INFINITY) return {std::move(name), "unlimited", verdict::ok, ""};
  return judged(std::move(name), size(value.rlim_cur), value.rlim_cur >= enough,
                fmt::format("the heap keeps under it; 'ulimit {} unlimited' lifts it", option));
}

finding overcommit(const machine& here) {
  const auto mode = here.value("/proc/sys/vm/overcommit_memory");
  if (!mode || *mode > 2) return unknown("overcommit");
  static constexpr const char* names[] = {"0, a guess", "1, always", "2, strict"};
  std::string value = names[*mode];
  if (const auto ratio = here.value("/proc/sys/vm/overcommit_ratio"); *mode == 2 && ratio) {
    value += fmt::format(", ratio {} %", *ratio);
  }
  return judged("overcommit", std::move(value), *mode != 2,
                "works, but memory counts when it is made accessible; if allocations fail too "
                "early, raise vm.overcommit_ratio");
}

finding commit_room(const machine& here) {
  const auto most = here.memory("CommitLimit");
  const auto used = here.memory("Committed_AS");
  if (!most || !used) return unknown("commit limit");
  const std::uint64_t left = *most - std::min(*most, *used);
  // It binds in strict mode only.
  const bool strict = here.value("/proc/sys/vm/overcommit_memory").value_or(0) == 2;
  return judged("commit limit", fmt::format("{}, {} left", size(*most), size(left)),
                !strict || left >= gib, "raise vm.overcommit_ratio or add swap space");
}

finding map_count(const machine& here) {
  const auto count = here.value("/proc/sys/vm/max_map_count");
  if (!count) return unknown("mappings");
  return judged("mappings", fmt::format("at most {}", *count), *count >= 65530,
                "sysctl vm.max_map_count=65530, the usual value");
}

finding huge_pages(const machine& here) {
  const auto mode = chosen(here.text("/sys/kernel/mm/transparent_hugepage/enabled").value_or(""));
  if (!mode) return unknown("huge pages");
  return judged("huge pages", *mode, *mode != "never",
                "first use of large arrays is slow; echo madvise > "
                "/sys/kernel/mm/transparent_hugepage/enabled");
}

finding huge_page_defrag(const machine& here) {
  const auto mode = chosen(here.text("/sys/kernel/mm/transparent_hugepage/defrag").value_or(""));
  if (!mode) return unknown("huge page defrag");
  return judged("huge page defrag", *mode, *mode != "never",
                "huge pages are used only where memory is not fragmented; echo madvise > "
                "/sys/kernel/mm/transparent_hugepage/defrag");
}

// The least limit of the control group and the groups that it is in. `folder` is where
// the groups are mounted.
std::optional<std::uint64_t> group_limit(const machine& here, const std::string& folder,
                                         std::string group, const std::string& file) {
  std::optional<std::uint64_t> least;
  for (;;) {
    const auto found = here.value(folder + group + "/" + file);
    if (found && (!least || *found < *least)) least = found;
    if (group.empty()) return least;
    group.resize(group.rfind('/') == std::string::npos ? 0 : group.rfind('/'));
  }
}

finding control_group(const machine& here) {
  const auto groups = here.text("/proc/self/cgroup");
  if (!groups) return unknown("control group memory");
  std::optional<std::uint64_t> least;
  std::istringstream lines(*groups);
  // hierarchy:controllers:/group
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find(':');
    const std::size_t second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    std::string group = line.substr(second + 1);
    if (group == "/") group.clear();
    std::optional<std::uint64_t> found;
    if (controllers.empty()) {
      found = group_limit(here, "/sys/fs/cgroup", group, "memory.max");
    } else if (("," + controllers + ",").find(",memory,") != std::string::npos) {
      found = group_limit(here, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    }
    if (found && (!least || *found < *least)) least = found;
  }
  // The first version says "no limit" with a number near 2^63.
  if (!least || *least >= std::uint64_t{1} << 60) {
    return {"control group memory", "unlimited", verdict::ok, ""};
  }
  const auto total = here.memory("MemTotal");
  return judged("control group memory", size(*least), total && *least >= *total,
                "a program beyond it is killed, not told; set options::held_limit below it");
}

finding heap_reservation() {
  heap::start({});
  const heap::options usual;
  const std::size_t bytes = heap::stats().reserved;
  if (bytes == 0) {
    return {"heap reservation", "none", verdict::warn,
            "the system gives no address space; raise 'ulimit -v'"};
  }
  return judged("heap reservation", size(bytes), bytes >= usual.reserve_bytes,
                "arrays fit in it together; raise 'ulimit -v' for more");
}

finding largest_reservation() {
  // The whole of what a process has on usual machines, then half of it, and so on.
  for (std::size_t bytes = std::size_t{1} << 47; bytes >= mib; bytes /= 2) {
    // Directly, since sanitizers would prepare for the use of all of it.
    const long place = ::syscall(SYS_mmap, nullptr, bytes, PROT_NONE,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == -1) continue;
    ::syscall(SYS_munmap, place, bytes);
    return {"address space in one piece", "at least " + size(bytes), verdict::ok, ""};
  }
  return {"address space in one piece", "none", verdict::warn, "raise 'ulimit -v'"};
}

}  // namespace

std::vector<finding> examine(const std::string& root) {
  const machine here(root == "/" ? "" : root);
  constexpr std::uint64_t enough = 16 * gib;
  return {kernel(),
          cores(),
          page_size(),
          total_memory(here),
          available_memory(here),
          control_group(here),
          limit("address space limit", RLIMIT_AS, "-v", enough),
          limit("data limit", RLIMIT_DATA, "-d", enough),
          limit("locked memory limit", RLIMIT_MEMLOCK, "-l", 0),
          overcommit(here),
          commit_room(here),
          map_count(here),
          huge_pages(here),
          huge_page_defrag(here),
          heap_reservation(),
          largest_reservation()};
}

}  // namespace cleave::tool
