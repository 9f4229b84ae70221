// all.hpp -- the strategies, in the order of the tables.
#pragma once

#include "strategies/cleave.hpp"
#include "strategies/copy.hpp"
#include "strategies/midpoint.hpp"
#include "strategies/peer.hpp"
#include "strategies/raw.hpp"
#include "strategies/shared.hpp"
#include "strategies/vec.hpp"

namespace cleave::bench {

template <class... S>
struct strategy_list {};

// Those that own and free their arrays: everything but raw.
using owning_strategies =
    strategy_list<copy<c_malloc>, copy<mimalloc>, copy<jemalloc>, copy<tbb_malloc>, copy<snmalloc>,
                  vec<c_malloc>, vec<mimalloc>, rust_bytes, shared, midpoint<false>, midpoint<true>,
                  cleave_array, cleave_run>;

using all_strategies =
    strategy_list<raw, copy<c_malloc>, copy<mimalloc>, copy<jemalloc>, copy<tbb_malloc>,
                  copy<snmalloc>, vec<c_malloc>, vec<mimalloc>, rust_bytes, shared, midpoint<false>,
                  midpoint<true>, cleave_array, cleave_run>;

// Those whose arrays may be used by two threads.
using shareable_strategies =
    strategy_list<raw, copy<c_malloc>, copy<mimalloc>, copy<jemalloc>, copy<tbb_malloc>,
                  copy<snmalloc>, vec<c_malloc>, vec<mimalloc>, rust_bytes, shared, midpoint<true>,
                  cleave_array, cleave_run>;

// Both: several arrays at a time, on several threads.
using owning_shareable_strategies =
    strategy_list<copy<c_malloc>, copy<mimalloc>, copy<jemalloc>, copy<tbb_malloc>, copy<snmalloc>,
                  vec<c_malloc>, vec<mimalloc>, rust_bytes, shared, midpoint<true>, cleave_array,
                  cleave_run>;

}  // namespace cleave::bench
