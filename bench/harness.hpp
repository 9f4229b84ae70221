// harness.hpp -- runs workloads under all strategies, side by side, in one process.
//
//   settings chosen;
//   chosen.workloads = {"walk-1", "small"};
//   for (const result& r : run(chosen, nullptr)) ...
//
// The contenders of a workload take turns: A B C, A B C, ... so that a slow
// minute of the machine hits all of them. Each turn begins with a shorter one that
// is not measured and brings its memory in. The median over the rounds counts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace cleave::bench {

struct settings {
  // Empty means all but the extra ones. A name, or the part before "-" of one.
  std::vector<std::string> workloads;
  // Empty means all.
  std::vector<std::string> strategies;
  // 0 means 5, and 3 when quick.
  unsigned rounds = 0;
  // For workloads that can use several: 0 means one, and then two.
  unsigned threads = 0;
  bool quick = false;
  // The extra workloads and strategies as well.
  bool all = false;
  // Strategies over allocators that may not be installed.
  bool peers = false;
  // How often a workload repeats its work in a round; 0 means its own number.
  std::size_t repeats = 0;
};

// What was measured. A field is empty where it has no meaning.
struct result {
  std::string workload;
  std::string strategy;
  unsigned threads = 1;
  unsigned rounds = 0;
  // Repetitions of the work in one round.
  std::size_t repeats = 0;
  // Of one round: the median, the least and the most.
  double seconds = 0;
  double seconds_min = 0;
  double seconds_max = 0;
  std::optional<double> ratio_to_raw;
  // The median over the rounds.
  std::uint64_t page_faults = 0;
  std::optional<std::size_t> rss_bytes;
  // What the work computed; the same for all strategies.
  std::uint64_t checksum = 0;
};

// There is no workload or strategy of that name.
class unknown_name : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Two strategies computed different things, or a process died.
class wrong_result : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Told what is being measured, and of what is left out and why.
struct listener {
  std::function<void(std::string_view)> progress;
  std::function<void(std::string_view)> notice;
};

// Throws unknown_name before anything is run, and wrong_result.
std::vector<result> run(const settings& chosen, const listener& told);

// The names that `settings` knows, for messages.
std::vector<std::string> workload_names();
std::vector<std::string> strategy_names();

}  // namespace cleave::bench
