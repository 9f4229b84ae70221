// nodes.hpp -- the door to the system's nodes of memory: how many, and which one is near.
//
//   if (os::node_count() > 1) near = os::current_node();
#pragma once

#include <string_view>

namespace cleave::os {

// Nodes are numbered below this; 1 where the system does not say. Reads a file of the system.
unsigned node_count() noexcept;

// The same for the system's own list, ranges in ascending order: 9 for "0-3,8".
unsigned nodes_in(std::string_view list) noexcept;

// The node of the processor that runs this thread just now; 0 where the system does not say.
// About 20 ns.
unsigned current_node() noexcept;

}  // namespace cleave::os
