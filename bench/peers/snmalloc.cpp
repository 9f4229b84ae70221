// snmalloc.cpp -- snmalloc as a peer of `cleave bench`: memory, by the contract of bench/peer.h.
//
//   bench/peers/build DIR OUT              with the sources in DIR/snmalloc
#include <snmalloc/snmalloc.h>

#include "peer.h"

void* cleave_peer_allocate(size_t bytes) {
  return snmalloc::alloc(bytes);
}
// With the size: its quickest way.
void cleave_peer_release(void* pointer, size_t bytes) {
  snmalloc::dealloc(pointer, bytes);
}
void cleave_peer_purge() {
  snmalloc::cleanup_unused();
}
