/* peer.h -- what a library offers to take part in `cleave bench --peers`.
 *
 * Peers that no package brings are loaded from a folder of yours: CLEAVE_PEERS=DIR, in which
 * DIR/snmalloc.so offers memory, DIR/bytes.so arrays, and DIR/parlaylib.so a sort. Such a
 * library is a few lines over the peer, which define the functions of one group below:
 *
 *   #include "peer.h"
 *   void* cleave_peer_allocate(size_t bytes) { return peer_malloc(bytes); }
 *   void cleave_peer_release(void* pointer, size_t bytes) { peer_free(pointer); }
 *   void cleave_peer_purge(void) { peer_collect(); }
 *
 * All are called from several threads, and nothing is thrown through them.
 */
#ifndef CLEAVE_BENCH_PEER_H
#define CLEAVE_BENCH_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* --- Memory: null if there is none; what was allocated is released with its size --- */

void* cleave_peer_allocate(size_t bytes);
void cleave_peer_release(void* pointer, size_t bytes);
/* Returns free memory to the system. */
void cleave_peer_purge(void);

/* --- Arrays of uint32_t. A handle is moved by copying its bytes --- */

struct cleave_peer_array {
  void* words[4];
};
/* `n` elements that may have any value. */
void cleave_peer_make(struct cleave_peer_array* made, size_t n);
/* Keeps the first `half` elements in `a`, and puts the others in `right`. */
void cleave_peer_cut(struct cleave_peer_array* a, size_t half, struct cleave_peer_array* right);
/* Appends `right` to `a`, in place if they are neighbours. `right` is gone. */
void cleave_peer_join(struct cleave_peer_array* a, struct cleave_peer_array* right);
void cleave_peer_free(struct cleave_peer_array* a);
uint32_t* cleave_peer_data(struct cleave_peer_array* a);

/* --- A sort, on at most so many threads --- */

void cleave_peer_sort(uint32_t* cells, size_t n, unsigned threads);

#ifdef __cplusplus
}
#endif

#endif
