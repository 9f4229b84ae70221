// harness.cpp -- chooses the contenders, takes the samples in turn, and sums them up.
#include "harness.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>

#include "workload.hpp"

namespace cleave::bench {
namespace {

// One turn of one contender.
struct sample {
  double seconds = 0;
  std::uint64_t page_faults = 0;
  std::uint64_t checksum = 0;
  std::size_t resident = 0;
};

sample take(const workload& what, const contender& who, std::size_t repeats, crew& workers) {
  stopwatch watch(workers.size() == 1 ? stopwatch::clock::processor : stopwatch::clock::wall);
  job todo{watch, workers, repeats};
  sample taken;
  const std::string name = what.name + ' ' + who.name;
  begin_count();
  const std::uint64_t faults_before = page_faults();
  watch.resume();
  taken.checksum = who.run(todo);
  watch.pause();
  taken.page_faults = page_faults() - faults_before;
  end_count(name.c_str());
  taken.seconds = watch.seconds();
  taken.resident = todo.resident;
  return taken;
}

// The same in a copy of this process, which ends afterwards, so that memory which
// one strategy keeps is not there for the next.
sample take_in_child(const workload& what, const contender& who, std::size_t repeats) {
  int ends[2];
  if (pipe(ends) != 0) throw wrong_result("no pipe to a process of its own");
  const pid_t child = fork();
  if (child < 0) {
    close(ends[0]);
    close(ends[1]);
    throw wrong_result("no process of its own for a workload");
  }
  if (child == 0) {
    // Whatever goes wrong, the parent sees a sample that is missing.
    try {
      crew alone(1);
      const sample taken = take(what, who, repeats, alone);
      if (write(ends[1], &taken, sizeof taken) == sizeof taken) _exit(0);
    } catch (...) {
    }
    _exit(1);
  }
  close(ends[1]);
  sample taken;
  const ssize_t got = read(ends[0], &taken, sizeof taken);
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (got != sizeof taken || status != 0) {
    throw wrong_result(fmt::format("the process of {} died", who.name));
  }
  return taken;
}

bool matches(const std::vector<std::string>& wanted, const std::string& name) {
  return std::any_of(wanted.begin(), wanted.end(),
                     [&](const std::string& w) { return name == w || name.starts_with(w + "-"); });
}

bool is_peer(const std::string& strategy) {
  return strategy.ends_with(mimalloc::suffix) || strategy.ends_with(jemalloc::suffix) ||
         strategy.ends_with(tbb_malloc::suffix) || strategy.ends_with(snmalloc::suffix) ||
         strategy == rust_bytes::name() || strategy == parlaylib::sort_name();
}
bool is_extra(const std::string& strategy) {
  return strategy == midpoint<false>::name();
}

bool is_chosen(const settings& chosen, const workload& what) {
  if (chosen.workloads.empty()) return chosen.all || !what.extra;
  return matches(chosen.workloads, what.name);
}

// By name a strategy is always had; a peer or an extra one must be asked for.
bool is_chosen(const settings& chosen, const contender& who) {
  const auto& wanted = chosen.strategies;
  if (!wanted.empty()) return std::find(wanted.begin(), wanted.end(), who.name) != wanted.end();
  return (chosen.peers || !is_peer(who.name)) && (chosen.all || !is_extra(who.name));
}

// Throws unless each name satisfies `is_known`.
template <class Known>
void check_names(const std::vector<std::string>& names, const char* kind,
                 const std::vector<std::string>& all, Known is_known) {
  for (const std::string& name : names) {
    if (std::any_of(all.begin(), all.end(), [&](const auto& k) { return is_known(name, k); })) {
      continue;
    }
    std::string text = fmt::format("there is no {} '{}'; there are", kind, name);
    for (const std::string& known : all) text += ' ' + known;
    throw unknown_name(text);
  }
}

void check_names(const settings& chosen) {
  check_names(chosen.workloads, "workload", workload_names(),
              [](const auto& name, const auto& known) { return matches({name}, known); });
  check_names(chosen.strategies, "strategy", strategy_names(), std::equal_to<>());
}

template <class T, class Field>
auto median(const std::vector<T>& samples, Field field) {
  std::vector<std::remove_cvref_t<decltype(samples[0].*field)>> values;
  for (const T& s : samples) values.push_back(s.*field);
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

result sum_up(const workload& what, const contender& who, const std::vector<sample>& samples) {
  result seen;
  seen.workload = what.name;
  seen.strategy = who.name;
  seen.threads = what.threads;
  seen.rounds = static_cast<unsigned>(samples.size());
  seen.seconds = median(samples, &sample::seconds);
  const auto [least, most] =
      std::minmax_element(samples.begin(), samples.end(),
                          [](const sample& a, const sample& b) { return a.seconds < b.seconds; });
  seen.seconds_min = least->seconds;
  seen.seconds_max = most->seconds;
  seen.page_faults = median(samples, &sample::page_faults);
  if (what.in_child) seen.rss_bytes = median(samples, &sample::resident);
  seen.checksum = samples.front().checksum;
  return seen;
}

class measuring {
 public:
  measuring(const settings& chosen, const listener& told) : chosen_(chosen), told_(told) {}

  std::vector<result> operator()(const workload& what) {
    const auto contenders = ready_contenders(what);
    const std::size_t repeats = chosen_.repeats != 0
                                    ? chosen_.repeats
                                    : (chosen_.quick ? what.quick_repeats : what.repeats);
    const unsigned rounds = chosen_.rounds != 0 ? chosen_.rounds : (chosen_.quick ? 3 : 5);
    std::vector<std::vector<sample>> samples(contenders.size());
    crew workers(what.in_child ? 1 : what.threads);

    const auto turn = [&](std::size_t i, std::size_t count, std::string_view round) {
      const contender& who = contenders[i];
      report(told_.progress, fmt::format("{}, {}: {}", what.name, round, who.name));
      return what.in_child ? take_in_child(what, who, count) : take(what, who, count, workers);
    };
    for (unsigned round = 1; round <= rounds; ++round) {
      const std::string text = fmt::format("round {} of {}", round, rounds);
      for (std::size_t i = 0; i < contenders.size(); ++i) {
        // The others may have worked for seconds. What that has done to caches, and what was
        // returned to the system meanwhile, would be most of the time of a short round.
        if (!what.in_child) turn(i, std::max<std::size_t>(1, repeats / 8), "warming up");
        samples[i].push_back(turn(i, repeats, text));
        check(what, contenders[i], samples[i].back(), contenders[0], samples[0].front());
      }
    }

    std::vector<result> results;
    for (std::size_t i = 0; i < contenders.size(); ++i) {
      results.push_back(sum_up(what, contenders[i], samples[i]));
      results.back().repeats = repeats;
    }
    add_ratios(results);
    return results;
  }

 private:
  static void report(const std::function<void(std::string_view)>& to, std::string_view text) {
    if (to) to(text);
  }

  std::vector<contender> ready_contenders(const workload& what) {
    std::vector<contender> ready;
    for (const contender& who : what.contenders) {
      if (!is_chosen(chosen_, who)) continue;
      const std::string missing = who.prepare();
      if (missing.empty()) {
        ready.push_back(who);
      } else if (left_out_.insert(who.name).second) {
        report(told_.notice, fmt::format("{} is left out: {}", who.name, missing));
      }
    }
    return ready;
  }

  static void check(const workload& what, const contender& who, const sample& taken,
                    const contender& first, const sample& expected) {
    if (taken.checksum == expected.checksum) return;
    throw wrong_result(fmt::format("{}: {} computed {:#x}, but {} computed {:#x}", what.name,
                                   who.name, taken.checksum, first.name, expected.checksum));
  }

  static void add_ratios(std::vector<result>& results) {
    const auto lower_bound = std::find_if(
        results.begin(), results.end(), [](const result& r) { return r.strategy == raw::name(); });
    if (lower_bound == results.end() || lower_bound->seconds <= 0) return;
    const double least = lower_bound->seconds;
    for (result& r : results) r.ratio_to_raw = r.seconds / least;
  }

  const settings& chosen_;
  const listener& told_;
  std::set<std::string> left_out_;
};

}  // namespace

std::vector<result> run(const settings& chosen, const listener& told) {
  check_names(chosen);
  const auto all = all_workloads(chosen.threads);
  std::vector<std::vector<result>> results(all.size());
  measuring measure(chosen, told);
  // Those that fork come first, while this process is still as it began.
  for (const bool in_child : {true, false}) {
    if (!in_child) keep_c_memory();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (all[i].in_child == in_child && is_chosen(chosen, all[i])) results[i] = measure(all[i]);
    }
  }
  std::vector<result> flat;
  for (auto& part : results) flat.insert(flat.end(), part.begin(), part.end());
  return flat;
}

std::vector<std::string> workload_names() {
  std::vector<std::string> names;
  for (const workload& what : all_workloads(1)) names.push_back(what.name);
  return names;
}

std::vector<std::string> strategy_names() {
  std::vector<std::string> names;
  for (const workload& what : all_workloads(1)) {
    for (const contender& who : what.contenders) {
      if (std::find(names.begin(), names.end(), who.name) == names.end()) names.push_back(who.name);
    }
  }
  return names;
}

}  // namespace cleave::bench
