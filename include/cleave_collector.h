/* cleave_collector.h -- the collector for C, and for every language that calls C.
 *
 * The same collector as cleave/collector.hpp, with the same rules, H1 to H7 in
 * cleave/collector/mutator.hpp. Objects are described by a table that says where in them
 * their references lie.
 *
 *   cl_collector* c;
 *   cl_mutator* m;
 *   const cl_type* pair;
 *   const size_t offsets[2] = {0, 8};
 *   cl_collector_create(NULL, &c);
 *   cl_mutator_attach(c, &m);                          // this thread takes part
 *   cl_type_add(c, "pair", 16, offsets, 2, &pair);
 *   cl_root list, bytes;
 *   cl_root_begin(m, &list);
 *   cl_root_begin(m, &bytes);
 *   cl_make_object(m, pair, &list);                    // all zero
 *   cl_make_bytes(m, 1 << 20, &bytes);
 *   cl_store(&((cl_word*)cl_root_get(&list))[0], cl_root_get(&bytes));
 *   cl_forget(m, &bytes);                              // free at once, and safe
 *   cl_root_end(&bytes);
 *   cl_root_end(&list);
 *   cl_mutator_detach(m);
 *   cl_collector_destroy(c);
 *
 * A cl_word is a reference to an object, that is, its address, or 0, or an immediate: any
 * word whose three low bits are not all zero. Words and addresses are good until the next
 * SAFEPOINT of their thread; roots follow their objects. Functions that are safepoints
 * say so. The conventions for codes, results and threads are those of cleave.h. */
#ifndef CLEAVE_COLLECTOR_H
#define CLEAVE_COLLECTOR_H

#include <cleave.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cl_collector cl_collector;
typedef struct cl_mutator cl_mutator;
typedef struct cl_type cl_type;
typedef uintptr_t cl_word;

/* ---- Collectors ------------------------------------------------------------ */

/* 0 in a field stands for the default. */
typedef struct cl_collector_options {
  size_t size;
  size_t nursery;
  size_t large_threshold;
  size_t large_budget;
  size_t old_minimum;
  size_t limit;
  uint32_t tenure;
  /* As CLEAVE_COLLECTOR does: check after each collection, collect at each n-th allocation. */
  uint32_t verify;
  uint32_t stress;
} cl_collector_options;

/* NULL means the defaults. Error: cl_bad_argument, cl_out_of_memory. */
CLEAVE_API cl_status cl_collector_create(const cl_collector_options* options, cl_collector** out);
/* No mutator, and no root of the program, may be left. */
CLEAVE_API void cl_collector_destroy(cl_collector* collector);

/* Describes objects of `bytes` bytes, from 8 to 8192 in steps of 8, with references at these
 * offsets. Lives as long as the collector. `name` is not copied.
 * Error: cl_bad_argument, cl_out_of_memory. */
CLEAVE_API cl_status cl_type_add(cl_collector* collector, const char* name, size_t bytes,
                                 const size_t* offsets, size_t count, const cl_type** out);

/* Roots that the program keeps in its own way. `show` is called in each collection, with all
 * threads stopped, and calls see(to, &word) for each word. Error: cl_out_of_memory. */
typedef void (*cl_see)(void* to, cl_word* word);
typedef void (*cl_show)(void* context, cl_see see, void* to);
typedef struct cl_shown cl_shown;
CLEAVE_API cl_status cl_shown_add(cl_collector* collector, cl_show show, void* context,
                                  cl_shown** out);
CLEAVE_API void cl_shown_remove(cl_shown* shown);

/* ---- Threads --------------------------------------------------------------- */

/* Error: cl_out_of_memory. */
CLEAVE_API cl_status cl_mutator_attach(cl_collector* collector, cl_mutator** out);
/* None of its roots may be left. */
CLEAVE_API void cl_mutator_detach(cl_mutator* mutator);
/* A safepoint, and nothing else. */
CLEAVE_API void cl_safepoint(cl_mutator* mutator);
/* In between, the thread touches no object and no root, and no collection waits for it. Both
 * are safepoints. They are not nested. Error: cl_out_of_memory. */
CLEAVE_API cl_status cl_blocking_begin(cl_mutator* mutator);
CLEAVE_API void cl_blocking_end(cl_mutator* mutator);
/* A young collection, or a full one. A safepoint. */
CLEAVE_API void cl_collect(cl_mutator* mutator, int full);

/* ---- Roots ----------------------------------------------------------------- */

/* The fields are the library's. A cl_root is not copied or moved between begin and end. */
typedef struct cl_root {
  cl_word inside[3];
} cl_root;

/* A root of this thread, 0 at first. Begin and end may be in any order among roots. */
CLEAVE_API void cl_root_begin(cl_mutator* mutator, cl_root* root);
CLEAVE_API void cl_root_end(cl_root* root);
CLEAVE_API cl_word cl_root_get(const cl_root* root);
CLEAVE_API void cl_root_set(cl_root* root, cl_word word);

/* ---- Objects: safepoints. Error: cl_out_of_memory, and *out is unchanged ------- */

CLEAVE_API cl_status cl_make_object(cl_mutator* mutator, const cl_type* type, cl_root* out);
CLEAVE_API cl_status cl_make_bytes(cl_mutator* mutator, size_t bytes, cl_root* out);
CLEAVE_API cl_status cl_make_references(cl_mutator* mutator, size_t count, cl_root* out);

/* Every store of a word in a field of an object. Loads need nothing. */
CLEAVE_API void cl_store(cl_word* field, cl_word word);
/* Elements of an array of references. Error: cl_out_of_range; cl_bad_argument for another
 * object. */
CLEAVE_API cl_status cl_references_get(const cl_root* array, size_t i, cl_word* out);
CLEAVE_API cl_status cl_references_set(const cl_root* array, size_t i, cl_word word);
/* The bytes of an array; an empty run if it was forgotten. Good until the next safepoint.
 * Error: cl_bad_argument for another object. */
CLEAVE_API cl_status cl_bytes_get(const cl_root* array, cl_run* out);
/* NULL for an array, and for 0 and immediates. */
CLEAVE_API const cl_type* cl_type_of(cl_word word);

/* ---- Letting go: O(1), no safepoint ------------------------------------------ */

/* All but cl_release_done leave everything unchanged. */
typedef enum cl_release {
  cl_release_done = 0,
  cl_release_not_bytes = 1,
  cl_release_too_small = 2,
  cl_release_already = 3,
  cl_release_lent = 4,
  cl_release_stranger = 5,
  cl_release_out_of_range = 6
} cl_release;

CLEAVE_API const char* cl_release_text(cl_release answer);
CLEAVE_API cl_release cl_forget(cl_mutator* mutator, const cl_root* bytes);
/* The bytes become a run of the caller. */
CLEAVE_API cl_release cl_take(cl_mutator* mutator, const cl_root* bytes, cl_run* out);
/* Keeps the first `bytes` bytes. */
CLEAVE_API cl_release cl_trim(cl_mutator* mutator, const cl_root* array, size_t bytes);
/* Makes an array of a run, which is the collector's then. A safepoint.
 * Error: cl_out_of_memory, and the run is still the caller's. */
CLEAVE_API cl_status cl_give(cl_mutator* mutator, cl_run run, cl_root* out);

/* ---- Numbers ---------------------------------------------------------------- */

typedef struct cl_collector_statistics {
  size_t size;
  uint64_t young_collections;
  uint64_t full_collections;
  /* allocated + given = forgotten + taken + swept + large_young + large_old. */
  uint64_t allocated;
  uint64_t given;
  uint64_t forgotten;
  uint64_t taken;
  uint64_t swept;
  size_t large_young;
  size_t large_old;
  size_t charged;
  size_t blocks;
  uint64_t pause_total_ns;
  uint64_t pause_longest_ns;
} cl_collector_statistics;

/* Fills out->size bytes, which the caller sets. Error: cl_bad_argument. */
CLEAVE_API cl_status cl_collector_get_statistics(const cl_collector* collector,
                                                 cl_collector_statistics* out);

#ifdef __cplusplus
}
#endif

#endif /* CLEAVE_COLLECTOR_H */
