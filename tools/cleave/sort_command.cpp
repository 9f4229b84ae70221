// sort_command.cpp -- `cleave sort`: reads, sorts by a fork tree over one array,
// merges, and writes lines of text or binary numbers (docs/guide/tool.md).
#include <fmt/core.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <tbb/info.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cleave/heap.hpp>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <latch>
#include <memory>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>

#include "commands.hpp"
#include "output.hpp"
#include "sort_input.hpp"
#include "sort_lines.hpp"
#include "sort_numbers.hpp"
#include "sort_parts.hpp"
#include "sort_tree.hpp"

namespace cleave::tool {
namespace {

enum class element { lines, u32, u64, f64 };

struct element_type {
  element type;
  std::string_view name;
  std::size_t bytes;
};
constexpr element_type element_types[] = {{element::lines, "lines", 1},
                                          {element::u32, "u32", sizeof(std::uint32_t)},
                                          {element::u64, "u64", sizeof(std::uint64_t)},
                                          {element::f64, "f64", sizeof(double)}};

constexpr std::uint64_t max_threads = 1024;

struct request {
  std::vector<std::string> files;
  std::string target;
  std::string type = "lines";
  std::uint64_t threads = 0;
  std::uint64_t memory = 0;
  bool stats = false;
  bool json = false;
  bool sync = false;
};

class stopwatch {
 public:
  // The seconds since the last call, or since the start.
  double lap() {
    const auto now = clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  using clock = std::chrono::steady_clock;
  clock::time_point last_ = clock::now();
};

struct report {
  std::size_t elements = 0;
  std::size_t bytes = 0;
  sort_tree::numbers tree;
  double read = 0;
  double sort = 0;
  double merge = 0;
  double write = 0;
};

template <class T>
report sort_numbers_of(input& source, output& target, std::size_t threads, bool doubles) {
  report result;
  stopwatch watch;
  array<T> values = read_all<T>(source, 0);
  result.elements = values.size();
  result.bytes = values.size() * sizeof(T);
  result.read = watch.lap();

  sort_tree tree(threads, values.size());
  values = tree.sort_leaves(std::move(values), [&](std::span<T> leaf) {
    if constexpr (std::is_same_v<T, std::uint64_t>) {
      if (doubles) doubles_to_keys(leaf);
    }
    sort_numbers(leaf);
  });
  result.sort = watch.lap();
  values = tree.merge(std::move(values), std::less<>());
  if constexpr (std::is_same_v<T, std::uint64_t>) {
    if (doubles) parallel::for_pieces(values, keys_to_doubles);
  }
  result.merge = watch.lap();
  target.write(std::as_bytes(values.span()));
  result.write = watch.lap();
  result.tree = tree.counts();
  return result;
}

report sort_lines_of(input& source, output& target, std::size_t threads) {
  report result;
  stopwatch watch;
  const array<char> bytes = read_all<char>(source, text_room);
  const line_text text{bytes.data(), bytes.size() - text_room};
  array<line_record> records = find_lines(text, threads);
  result.elements = records.size();
  result.bytes = text.size;
  result.read = watch.lap();

  sort_tree tree(threads, records.size());
  records = tree.sort_leaves(std::move(records),
                             [&](std::span<line_record> leaf) { sort_lines(leaf, text); });
  result.sort = watch.lap();
  records = tree.merge(std::move(records), line_less(text));
  result.merge = watch.lap();
  write_lines(records.span(), text, threads,
              [&](std::span<const std::byte> block) { target.write(block); });
  result.write = watch.lap();
  result.tree = tree.counts();
  return result;
}

void print_report(const request& asked, const report& seen, std::size_t threads) {
  const heap::statistics heap = heap::stats();
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto resident = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
  if (asked.json) {
    fmt::print(stderr,
               "{{\"type\": \"{}\", \"elements\": {}, \"bytes\": {}, \"threads\": {}, "
               "\"joins\": {}, \"bytes_copied_by_joins\": {}, "
               "\"allocations\": {}, \"peak_heap_bytes\": {}, \"peak_resident_bytes\": {}, "
               "\"seconds\": {{\"read\": {:.6f}, \"sort\": {:.6f}, \"merge\": {:.6f}, "
               "\"write\": {:.6f}}}}}\n",
               asked.type, seen.elements, seen.bytes, threads, seen.tree.joins,
               seen.tree.bytes_moved, heap.allocations, heap.peak_held, resident, seen.read,
               seen.sort, seen.merge, seen.write);
    return;
  }
  constexpr double mib = 1 << 20;
  fmt::print(stderr,
             "elements               {} ({}, {:.1f} MiB)\n"
             "threads                {}\n"
             "joins                  {}\n"
             "bytes copied by joins  {}\n"
             "allocations            {}\n"
             "peak memory            {:.1f} MiB in the heap, {:.1f} MiB resident\n"
             "read                   {:.3f} s\n"
             "sort                   {:.3f} s\n"
             "merge                  {:.3f} s\n"
             "write                  {:.3f} s\n",
             seen.elements, asked.type, static_cast<double>(seen.bytes) / mib, threads,
             seen.tree.joins, seen.tree.bytes_moved, heap.allocations,
             static_cast<double>(heap.peak_held) / mib, static_cast<double>(resident) / mib,
             seen.read, seen.sort, seen.merge, seen.write);
}

[[noreturn]] void fail_for_memory() {
  throw command_error(
      "not enough memory to sort this; free some, raise the limit (--memory, ulimit -v), or sort "
      "in parts and merge those");
}

// A size that is at least one byte.
CLI::Validator size_validator() {
  const auto read = [size = CLI::AsSizeValue(false)](std::string& text) -> std::string {
    constexpr const char* help = "a size is a number and perhaps a unit, such as 512MB";
    if (text.empty() || text[0] < '0' || text[0] > '9' || !size(text).empty()) return help;
    return text == "0" ? help : "";
  };
  return CLI::Validator(read, "");
}

// How many threads there can be, this one included, up to `wanted`: a limit on
// processes or address space may allow fewer, and oneTBB ends the program then.
std::size_t startable_threads(std::size_t wanted) {
  std::latch all_started(1);
  std::vector<std::jthread> started;
  started.reserve(wanted);
  try {
    while (started.size() + 1 < wanted) started.emplace_back([&] { all_started.wait(); });
  } catch (const std::system_error&) {
    // As many as there are.
  }
  all_started.count_down();
  return started.size() + 1;
}

std::size_t threads_for(std::uint64_t asked) {
  // As many as oneTBB will use, which looks at what this process may use (taskset, cpuset);
  // it prints a warning when it is asked for more.
  const auto cores = static_cast<std::size_t>(std::max(1, tbb::info::default_concurrency()));
  // A sort never waits, so threads beyond the cores only cost memory.
  return startable_threads(asked == 0 ? cores : std::min<std::uint64_t>(asked, cores));
}

void run(const request& asked) {
  if (asked.memory != 0) {
    heap::options options;
    options.held_limit = asked.memory;
    heap::start(options);
  }
  const std::size_t threads = threads_for(asked.threads);
  const element_type& type = *std::ranges::find(element_types, asked.type, &element_type::name);
  input source(asked.files, {.lines = type.type == element::lines, .unit = type.bytes});
  output target(asked.target.empty() ? std::nullopt : std::optional(asked.target));

  report seen;
  try {
    // What works in parallel uses the arena that it is called in.
    tbb::task_arena(static_cast<int>(threads)).execute([&] {
      switch (type.type) {
        case element::lines: seen = sort_lines_of(source, target, threads); break;
        case element::u32:
          seen = sort_numbers_of<std::uint32_t>(source, target, threads, false);
          break;
        case element::u64:
        case element::f64:
          seen = sort_numbers_of<std::uint64_t>(source, target, threads, type.type == element::f64);
          break;
      }
    });
    target.finish(asked.sync);
  } catch (const std::bad_alloc&) {
    fail_for_memory();
  } catch (const std::length_error&) {
    fail_for_memory();
  }
  if (asked.stats || asked.json) print_report(asked, seen, threads);
}

}  // namespace

void add_sort_command(CLI::App& app, outcome&) {
  const auto asked = std::make_shared<request>();
  CLI::App* const command =
      app.add_subcommand("sort", "Sorts files of lines or of binary numbers, together");
  std::vector<std::string> names;
  for (const element_type& each : element_types) names.emplace_back(each.name);

  command->add_option("FILE", asked->files, "The input; - is standard input")
      ->required()
      ->type_name("");
  command
      ->add_option("-o,--output", asked->target,
                   "Write here, all or nothing, instead of to standard output")
      ->type_name("FILE")
      ->check([](const std::string& name) { return name.empty() ? "a file needs a name" : ""; });
  command->add_option("--type", asked->type, "What the files hold (default: lines)")
      ->type_name("TYPE")
      ->check(CLI::IsMember(std::move(names)));
  command->add_option("--threads", asked->threads, "At most so many threads (default: all cores)")
      ->type_name("N")
      ->check(CLI::Range(std::uint64_t{1}, max_threads).description(""));
  command
      ->add_option("--memory", asked->memory,
                   "The most memory that arrays may take, such as 512MB (default: no limit)")
      ->type_name("SIZE")
      ->transform(size_validator());
  command->add_flag("--stats", asked->stats, "Print what it took on standard error");
  command->add_flag("--json", asked->json, "Print it as one JSON object");
  command->add_flag("--sync", asked->sync, "Wait until the output has reached the disk");
  command->callback([asked] { run(*asked); });
}

}  // namespace cleave::tool
