// parlaylib.cpp -- ParlayLib as a peer of `cleave bench`: a sort, by the contract of bench/peer.h.
//
//   bench/peers/build DIR OUT              with the sources in DIR/parlaylib
#include <parlay/primitives.h>
#include <parlay/slice.h>

#include "peer.h"

// Its sort for keys that are integers, which is its fastest.
void cleave_peer_sort(uint32_t* cells, size_t n, unsigned threads) {
  parlay::execute_with_scheduler(
      threads, [=] { parlay::integer_sort_inplace(parlay::make_slice(cells, cells + n)); });
}
