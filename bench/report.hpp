// report.hpp -- results as tables for people and as JSON for programs.
#pragma once

#include <string>
#include <vector>

#include "harness.hpp"

namespace cleave::bench {

// One line per workload: the seconds of each strategy, and how cleave compares
// with raw and with the best other strategy that owns its arrays. Below, a line for
// each that only one workload has.
std::string summary_table(const std::vector<result>& results);

// One line per result: median, least and most, ratio to raw, page faults,
// resident memory.
std::string detail_table(const std::vector<result>& results);

// One array of objects; a field is null where it has no meaning.
std::string to_json(const std::vector<result>& results);

}  // namespace cleave::bench
