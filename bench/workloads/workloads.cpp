// workloads.cpp -- the list of all workloads.
#include "workloads/workloads.hpp"

#include <iterator>

namespace cleave::bench {
namespace {

void append(std::vector<workload>& to, std::vector<workload> more) {
  to.insert(to.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
}

}  // namespace

std::vector<workload> all_workloads(unsigned threads) {
  std::vector<workload> all;
  if (threads == 0) {
    all.push_back(fork_tree(1));
    all.push_back(fork_tree(2));
  } else {
    all.push_back(fork_tree(threads));
  }
  append(all, walks());
  all.push_back(split_once());
  all.push_back(map_in_place());
  all.push_back(map_anew());
  all.push_back(to_list());
  all.push_back(small());
  if (threads == 0) {
    all.push_back(sort(1));
    all.push_back(sort(2));
  } else {
    all.push_back(sort(threads));
  }
  all.push_back(handoff());
  all.push_back(window());
  append(all, retentions());
  append(all, allocations());
  return all;
}

}  // namespace cleave::bench
