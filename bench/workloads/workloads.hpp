// workloads.hpp -- the workloads, one function per file (bench/README.md lists what each does).
#pragma once

#include <vector>

#include "workload.hpp"

namespace cleave::bench {

// An array is cut four levels deep, each leaf writes its cells, all is joined.
workload fork_tree(unsigned threads);
// An array is cut down to leaves of 1, 4 and 16 elements, which are summed and freed.
std::vector<workload> walks();
// An array is cut once; both halves are touched and freed.
workload split_once();
// Each element gets a new value: in place, or in a new array of one element.
workload map_in_place();
workload map_anew();
// The elements are put in a linked list.
workload to_list();
// An array of eight elements is made, cut, summed and freed.
workload small();
// A merge sort by halves, and sorts of whole arrays beside it.
workload sort(unsigned threads);
// One thread makes arrays and cuts them, another frees the pieces.
workload handoff();
// Elements are appended at the end, and cut off and freed at the front.
workload window();
// What stays resident when a piece of each of many arrays is kept.
std::vector<workload> retentions();
// One array is made, touched and freed; sizes from 16 bytes to 64 MiB.
std::vector<workload> allocations();

}  // namespace cleave::bench
