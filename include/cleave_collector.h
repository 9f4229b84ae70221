/* cleave_collector.h -- the collector for C, and for every language that calls C.
 *
 * The collector of cleave/collector.hpp, with the same rules, H1 to H7 in
 * cleave/collector/mutator.hpp. Objects are described by a table that says where in them
 * their references lie. Weak references, finalizers, lending, events and verify() are
 * C++ only.
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
 * say so. A safepoint costs a load and a branch, unless a collection is due: then it stops
 * the thread until that has ended.
 *
 * The conventions for codes and results are those of cleave.h. What gets a mutator, or a
 * root of one, is called by the thread that attached it, and not between cl_blocking_begin()
 * and its end; the other functions may be called by any thread. Where no cost is named it is
 * O(1). */
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

/* 0 in a field stands for the default, but for `size`, the caller's sizeof. In bytes. */
typedef struct cl_collector_options {
  size_t size;
  /* Small objects between two young collections; 4 MiB. */
  size_t nursery;
  /* Arrays of more bytes can be let go; 64 to 8192, 4096 by default. */
  size_t large_threshold;
  /* Large arrays between two young collections; 64 MiB. */
  size_t large_budget;
  /* No full collection comes while the old generation is smaller; 32 MiB. */
  size_t old_minimum;
  /* The most memory of objects and arrays; none. */
  size_t limit;
  /* Young collections that an object survives before it is old: 1 to 3, 2 by default. */
  uint32_t tenure;
  /* As CLEAVE_COLLECTOR does: check after each collection, collect at each n-th allocation. */
  uint32_t verify;
  uint32_t stress;
} cl_collector_options;

/* NULL means the defaults.
 * Error: cl_bad_argument for a value out of its range, or for fields that this library does
 * not know and that are not 0; cl_out_of_memory. */
CLEAVE_API cl_status cl_collector_create(const cl_collector_options* options, cl_collector** out);
/* Frees all objects. O(heap). No mutator, and no cl_shown, may be left. */
CLEAVE_API void cl_collector_destroy(cl_collector* collector);

/* Describes objects of `bytes` bytes, from 8 to 8192 in steps of 8, with words at these
 * offsets, multiples of 8, or NULL if `count` is 0; the rest of an object is the program's. Lives
 * as long as the collector. `name`, for reports, is not NULL, and not copied. O(count).
 * Error: cl_bad_argument, cl_out_of_memory. */
CLEAVE_API cl_status cl_type_add(cl_collector* collector, const char* name, size_t bytes,
                                 const size_t* offsets, size_t count, const cl_type** out);

/* Roots that the program keeps in its own way. `show` is called in each collection, with all
 * threads stopped, and calls see(to, &word) for each word, which may change it; it calls
 * nothing else of the collector. Error: cl_bad_argument for NULL, cl_out_of_memory. */
typedef void (*cl_see)(void* to, cl_word* word);
typedef void (*cl_show)(void* context, cl_see see, void* to);
typedef struct cl_shown cl_shown;
CLEAVE_API cl_status cl_shown_add(cl_collector* collector, cl_show show, void* context,
                                  cl_shown** out);
CLEAVE_API void cl_shown_remove(cl_shown* shown);

/* ---- Threads --------------------------------------------------------------- */

/* Waits for a collection that is running. Error: cl_out_of_memory. */
CLEAVE_API cl_status cl_mutator_attach(cl_collector* collector, cl_mutator** out);
/* None of its roots may be left. */
CLEAVE_API void cl_mutator_detach(cl_mutator* mutator);
/* A safepoint, and nothing else: for loops that run long without allocating. */
CLEAVE_API void cl_safepoint(cl_mutator* mutator);
/* In between, the thread touches no object and no root, and no collection waits for it. Both
 * are safepoints, and any other safepoint between them stops the program with a message. They
 * are not nested. Error: cl_out_of_memory. */
CLEAVE_API cl_status cl_blocking_begin(cl_mutator* mutator);
CLEAVE_API void cl_blocking_end(cl_mutator* mutator);
/* A young collection, or, unless `full` is 0, a full one. A safepoint. O(what survives). */
CLEAVE_API void cl_collect(cl_mutator* mutator, int full);

/* ---- Roots ----------------------------------------------------------------- */

/* The fields are the library's. A cl_root is not copied or moved between begin and end. */
typedef struct cl_root {
  cl_word inside[3];
} cl_root;

/* A root of this thread, 0 at first. Begin and end may be in any order among roots. */
CLEAVE_API void cl_root_begin(cl_mutator* mutator, cl_root* root);
CLEAVE_API void cl_root_end(cl_root* root);
/* The word, as it is until the next safepoint; another word. */
CLEAVE_API cl_word cl_root_get(const cl_root* root);
CLEAVE_API void cl_root_set(cl_root* root, cl_word word);

/* ---- Objects: safepoints. Error: cl_out_of_memory, and *out is unchanged ------- */

/* An object, all zero; an array of zero bytes; one of `count` words, all 0. `out` is a root
 * that has begun. O(bytes). Error: cl_bad_argument for no type, or one of another collector. */
CLEAVE_API cl_status cl_make_object(cl_mutator* mutator, const cl_type* type, cl_root* out);
CLEAVE_API cl_status cl_make_bytes(cl_mutator* mutator, size_t bytes, cl_root* out);
CLEAVE_API cl_status cl_make_references(cl_mutator* mutator, size_t count, cl_root* out);

/* Every store of a word in a field of an object. Loads need nothing. */
CLEAVE_API void cl_store(cl_word* field, cl_word word);
/* Elements of an array of references; the program knows how many it has.
 * Error: cl_out_of_range; cl_bad_argument for another object. */
CLEAVE_API cl_status cl_references_get(const cl_root* array, size_t i, cl_word* out);
CLEAVE_API cl_status cl_references_set(const cl_root* array, size_t i, cl_word word);
/* The bytes of an array; an empty run if it was forgotten. Good until the next safepoint.
 * Error: cl_bad_argument for another object. */
CLEAVE_API cl_status cl_bytes_get(const cl_root* array, cl_run* out);
/* What cl_type_add() gave for the object; NULL for an array, and for 0 and immediates. */
CLEAVE_API const cl_type* cl_type_of(cl_word word);

/* ---- Letting go: O(1), no safepoint ------------------------------------------ */

/* All but cl_release_done leave everything unchanged. */
typedef enum cl_release {
  cl_release_done = 0,
  /* The root is 0, an immediate, or no array of bytes. */
  cl_release_not_bytes = 1,
  /* The array has no more than `large_threshold` bytes, which lie in the object. */
  cl_release_too_small = 2,
  /* It was forgotten or taken before. */
  cl_release_already = 3,
  /* C++ code has borrowed the bytes. */
  cl_release_lent = 4,
  /* The array is another collector's. */
  cl_release_stranger = 5,
  /* cl_trim() to more bytes than there are. */
  cl_release_out_of_range = 6
} cl_release;

/* One sentence, lower case, without a full stop. */
CLEAVE_API const char* cl_release_text(cl_release answer);
/* Frees the bytes now. The array is empty for everyone who has it. */
CLEAVE_API cl_release cl_forget(cl_mutator* mutator, const cl_root* bytes);
/* The same, but the bytes become a run of the caller. */
CLEAVE_API cl_release cl_take(cl_mutator* mutator, const cl_root* bytes, cl_run* out);
/* Keeps the first `bytes` bytes, and frees the rest. */
CLEAVE_API cl_release cl_trim(cl_mutator* mutator, const cl_root* array, size_t bytes);
/* Makes an array of a run, which is the collector's then; up to `large_threshold` bytes are
 * copied. A safepoint. Error: cl_out_of_memory, and the run is still the caller's. */
CLEAVE_API cl_status cl_give(cl_mutator* mutator, cl_run run, cl_root* out);

/* ---- Numbers ---------------------------------------------------------------- */

typedef struct cl_collector_statistics {
  size_t size;
  uint64_t young_collections;
  uint64_t full_collections;
  /* The bytes of large arrays since the beginning, and by generation those that are there:
   * allocated + given = forgotten + taken + swept + large_young + large_old. What a trim
   * frees counts as forgotten. */
  uint64_t allocated;
  uint64_t given;
  uint64_t forgotten;
  uint64_t taken;
  uint64_t swept;
  size_t large_young;
  size_t large_old;
  /* What the budget of the next young collection has been charged with. */
  size_t charged;
  /* The memory of small objects. */
  size_t blocks;
  uint64_t pause_total_ns;
  uint64_t pause_longest_ns;
} cl_collector_statistics;

/* Fills out->size bytes, which the caller sets; fields that this library does not know become
 * 0. Exact for large arrays, and for all else when no other thread allocates.
 * Error: cl_bad_argument if `size` is less than the first version's. */
CLEAVE_API cl_status cl_collector_get_statistics(const cl_collector* collector,
                                                 cl_collector_statistics* out);

#ifdef __cplusplus
}
#endif

#endif /* CLEAVE_COLLECTOR_H */
