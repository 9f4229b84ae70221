/* peer.h -- what a library offers to take part in `cleave bench --peers`.
 *
 * Peers that no package brings are loaded from a folder: CLEAVE_PEERS=DIR, in which
 * DIR/snmalloc.so offers memory, DIR/bytes.so arrays, DIR/parlaylib.so a sort, and DIR/immer.so
 * vectors. bench/peers/build makes them from the peers' sources. Such a library is a few
 * lines over the peer, which define the functions of one group below:
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

/* --- Vectors whose elements do not lie in one row. Since nobody can write to them through a
 * pointer, each work of a round is one call, and what it does between is the peer's. A vector is
 * one pointer, which is never null --- */

struct cleave_peer_vector;
/* With the cells as elements. */
struct cleave_peer_vector* cleave_peer_vector_of(const uint32_t* cells, size_t n);
/* Its elements, to `cells`; the vector is gone. */
void cleave_peer_vector_end(struct cleave_peer_vector* v, uint32_t* cells);
/* Cut in halves down to so many elements, which are summed; every piece is freed. */
uint32_t cleave_peer_vector_walk(struct cleave_peer_vector* v, size_t leaf);
/* Cut in halves down to one element x, which becomes 3 * x + 1; all joined. */
void cleave_peer_vector_map(struct cleave_peer_vector* v);
/* Cut so many levels deep; element i of all becomes first + i; all joined. */
void cleave_peer_vector_fork_tree(struct cleave_peer_vector* v, unsigned levels, uint32_t first);
/* A new vector of `n` elements of any value is cut once, the first elements of its halves become
 * `value` and `value + 1`, and both halves are freed. The sum of what these elements are then. */
uint32_t cleave_peer_vector_split(size_t n, uint32_t value);
/* A new vector of first, first + 1, ..., of `n` elements, is cut once, and both halves are
 * summed and freed. The sum. */
uint32_t cleave_peer_vector_small(size_t n, uint32_t first);

#ifdef __cplusplus
}
#endif

#endif
