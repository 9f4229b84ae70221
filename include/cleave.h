/* cleave.h -- the heap and its runs for C, and for every language that calls C.
 *
 * A run is a range of bytes with one owner: a pointer and a size. It is cut in
 * two, and two neighbours join, by arithmetic that the heap is not told of;
 * cl_free() takes any run: a whole allocation, a piece, or joined neighbours.
 *
 *   cl_run left, right;
 *   if (cl_allocate(1000, &left) != cl_ok) { ... }
 *   cl_cut(left, 400, &left, &right);          // [0, 400) and [400, 1000)
 *   cl_free(right);                            // its 600 bytes are free now
 *   if (cl_extend(left, 500, &left) == cl_no_room) { ... }
 *   cl_free(left);
 *
 * Conventions, for every function here:
 *   Codes      What can fail returns a cl_status; 0 is cl_ok. Only cl_free(),
 *              cl_purge() and the like, which cannot fail, return nothing.
 *   Errors     On any other code than cl_ok nothing has changed: no byte, no
 *              run, no result. Out of memory is such a code, never an abort.
 *   Results    go through the last parameters. They must not be NULL, and may
 *              point to the variable that an argument was read from.
 *   Ownership  A cl_run is plain data and is passed by value. Whoever holds it
 *              owns its bytes; after a successful call the results own what the
 *              arguments owned. Each byte is freed exactly once.
 *   Empty runs have 0 bytes, own nothing, need no free (it does nothing) and
 *              join with anything. Their pointer may be NULL or a place.
 *   Threads    Any function may be called from any thread at any time, also in
 *              a thread's last destructor and in a child after fork(), but one
 *              run is used by one thread at a time.
 *   Misuse     A byte that is freed twice, or not owned, damages the heap. With CLEAVE_CHECK=1 in
 *              the environment each misuse is named, and ends the process with code 70
 *              (docs/reliability.md).
 *   Costs      Where none is named a call is O(1).
 *   Exceptions Nothing throws through this interface.
 *   Strings    that are returned are static: valid for ever, not to be freed.
 *   Growth     A struct that begins with `size` may get more fields at its end.
 *              The caller puts the sizeof() that it was compiled with there, and
 *              the library reads and writes no byte beyond it.
 *
 * C99, C11 and C++. cl_cut() and cl_join() are inline, so that a compiler of
 * another language can put them into the C code that it emits.
 */
#ifndef CLEAVE_H
#define CLEAVE_H

#include <stddef.h>
#include <stdint.h>

#ifndef CLEAVE_API
#  if defined(__GNUC__)
#    define CLEAVE_API __attribute__((visibility("default")))
#  else
#    define CLEAVE_API
#  endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Codes ---------------------------------------------------------------- */

typedef enum cl_status {
  cl_ok = 0,
  /* The system, the reservation or the held limit gives no more. */
  cl_out_of_memory = 1,
  /* A position or size does not lie within the run. */
  cl_out_of_range = 2,
  /* The second run does not begin where the first one ends. */
  cl_not_neighbours = 3,
  /* The memory to the right of the run is not free. */
  cl_no_room = 4,
  /* The heap has started before; its options are fixed. */
  cl_already_started = 5,
  /* An alignment that is no power of two, a struct size that is no version's. */
  cl_bad_argument = 6,
  /* cl_verify() found a broken invariant. */
  cl_corrupt = 7
} cl_status;

/* One sentence, lower case, without a full stop; also for unknown codes. */
CLEAVE_API const char* cl_status_text(cl_status status);

/* The version of the library that runs, such as "1.2.3". */
CLEAVE_API const char* cl_version(void);

/* ---- Runs ----------------------------------------------------------------- */

typedef struct cl_run {
  void* ptr;
  size_t bytes;
} cl_run;

enum {
  /* What cl_allocate() aligns to. */
  cl_default_alignment = 16,
  cl_max_alignment = 1 << 30
};

/* A run of exactly `bytes` bytes, not zeroed; 0 gives an empty run. O(1) for sizes that the
 * thread has cached, else O(log size) under the lock of one arena.
 * Error: cl_out_of_memory. */
CLEAVE_API cl_status cl_allocate(size_t bytes, cl_run* out);

/* The same, aligned to a power of two up to cl_max_alignment.
 * Error: cl_out_of_memory, cl_bad_argument for another alignment. */
CLEAVE_API cl_status cl_allocate_aligned(size_t bytes, size_t alignment, cl_run* out);

/* The same with at least `bytes` bytes: the room that rounding up would
 * otherwise waste belongs to the run. Errors as above. */
CLEAVE_API cl_status cl_allocate_at_least(size_t bytes, size_t alignment, cl_run* out);

/* Gives the bytes of any run back. Never fails. O(1) for up to a page, else O(log size). */
CLEAVE_API void cl_free(cl_run run);

/* Cuts `whole` into [0, at) and [at, bytes). O(1); no byte moves.
 * Error: cl_out_of_range if at > bytes. */
static inline cl_status cl_cut(cl_run whole, size_t at, cl_run* left, cl_run* right) {
  if (at > whole.bytes) return cl_out_of_range;
  left->ptr = whole.ptr;
  left->bytes = at;
  /* A null pointer plus nothing is not defined in C. */
  right->ptr = at == 0 ? whole.ptr : (void*)((char*)whole.ptr + at);
  right->bytes = whole.bytes - at;
  return cl_ok;
}

/* Makes one run of `left` and of the run that begins where it ends, also when
 * they were allocated apart; the other one of an empty run. O(1); no byte moves.
 * Error: cl_not_neighbours. */
static inline cl_status cl_join(cl_run left, cl_run right, cl_run* out) {
  if (right.bytes == 0) {
    *out = left;
    return cl_ok;
  }
  if (left.bytes == 0) {
    *out = right;
    return cl_ok;
  }
  if ((char*)left.ptr + left.bytes != (char*)right.ptr) return cl_not_neighbours;
  out->ptr = left.ptr;
  out->bytes = left.bytes + right.bytes;
  return cl_ok;
}

/* Lets the run reach to `bytes` bytes, in place, if the memory to its right is free.
 * O(bytes / 4096) at most.
 * Error: cl_no_room if it is not, cl_out_of_range if bytes < run.bytes,
 * cl_bad_argument for an empty run. */
CLEAVE_API cl_status cl_extend(cl_run run, size_t bytes, cl_run* out);

/* Keeps [0, bytes) and frees the rest at once, for the cost of a free.
 * Error: cl_out_of_range if bytes > run.bytes. */
CLEAVE_API cl_status cl_shrink(cl_run run, size_t bytes, cl_run* out);

/* ---- The heap ------------------------------------------------------------- */

typedef struct cl_options {
  size_t size;
  /* Address space to reserve, from 4 MiB to 4 TiB: costs no memory; less when the system says
   * no. */
  size_t reserve_bytes;
  /* The most bytes that the heap may hold from the system. */
  size_t held_limit;
  /* Free memory goes back to the system after this time; negative: only by cl_purge(). */
  int64_t purge_delay_ms;
  /* 0 or 1. Ask for huge pages behind runs of 2 MiB and more. */
  int32_t huge_pages;
  /* 0 or 1. A thread returns memory while the program does not call the heap. */
  int32_t purge_thread;
  /* 0 or 1. fork() waits until no other thread is inside, so that a child has a whole heap. */
  int32_t fork_handlers;
} cl_options;

/* Fills the options->size bytes with the defaults.
 * Error: cl_bad_argument if `size` is less than the first version's. */
CLEAVE_API cl_status cl_options_init(cl_options* options);

/* The defaults, to change some and pass on. */
static inline cl_options cl_options_default(void) {
  cl_options options;
  options.size = sizeof(options);
  (void)cl_options_init(&options);
  return options;
}

/* Starts the heap; the first allocation does it with the defaults. NULL means the defaults.
 * Error: cl_already_started; cl_out_of_memory if there is no address space at all, or if less
 * than 4 MiB are to be reserved;
 * cl_bad_argument for a size below the first version's, or for fields that this
 * library does not know and that are not 0. */
CLEAVE_API cl_status cl_start(const cl_options* options);

/* Returns what this thread caches, and then all free memory, to the system. A call of the
 * system for each range, outside all locks. */
CLEAVE_API void cl_purge(void);

/* Returns what has been free for longer than the delay: for idle loops. */
CLEAVE_API void cl_purge_expired(void);

/* Changes the limit on held bytes. Below what is held, free memory goes back first; live memory
 * is never taken away, and allocations fail until the limit is met. */
CLEAVE_API void cl_set_held_limit(size_t bytes);

/* Around the making of a process by other means than fork(), of a runtime that calls the
 * system itself, say. cl_before_fork() waits until no other thread is inside and keeps all of
 * them out; the others let them in again, in the parent also when there is no child. The calling
 * thread may use the heap in between. Each call of the first wants one of the others in the same
 * thread, and in the child's one thread; they may be nested, also with the handlers of fork(). */
CLEAVE_API void cl_before_fork(void);
CLEAVE_API void cl_after_fork_in_parent(void);
CLEAVE_API void cl_after_fork_in_child(void);

/* ---- Looking at the heap -------------------------------------------------- */

enum { cl_order_count = 32 };

/* All sizes in bytes; exact when no other thread is inside a call. */
typedef struct cl_statistics {
  size_t size;
  /* The bytes in live runs. */
  size_t live;
  /* Memory that the system may have put behind the heap's pages, and its peak. */
  size_t held;
  size_t peak_held;
  size_t held_limit;
  /* Address space, and the part of it that is accessible. */
  size_t reserved;
  size_t committed;
  /* The heap's own tables; not part of `held`. */
  size_t metadata;
  /* Pages that stand free, and those that wait in thread caches. */
  size_t free;
  size_t cached;
  /* The largest run that the address space can give, whatever the held limit allows. */
  size_t largest_free;
  uint64_t allocations;
  uint64_t frees;
  uint64_t extensions;
  uint64_t system_calls;
  /* How many free blocks of 2^k pages there are. */
  size_t free_blocks[cl_order_count];
} cl_statistics;

/* Fills out->size bytes, which the caller sets; fields that this library does not know become 0.
 * O(threads + classes + arenas).
 * Error: cl_bad_argument if `size` is less than the first version's. */
CLEAVE_API cl_status cl_get_statistics(cl_statistics* out);

/* The use of one size class of small runs. */
typedef struct cl_class_statistics {
  size_t slot_bytes;
  size_t slabs;
  size_t slots;
  size_t slots_used;
} cl_class_statistics;

/* Writes up to `capacity` classes, by rising size, and how many there are in all to `count`.
 * Never fails. */
CLEAVE_API cl_status cl_get_class_statistics(cl_class_statistics* classes, size_t capacity,
                                             size_t* count);

/* What the two functions above know as text: one JSON object, or the text format of Prometheus with
 * HELP and TYPE lines. Write it, cut to `capacity` bytes and ended by a zero, and to `needed` how
 * many bytes all of it takes with its zero: a text is whole if needed <= capacity. The numbers move
 * while other threads run, so what was enough a moment ago may be short. `text` may be NULL if
 * `capacity` is 0. O(threads + classes + arenas). Never fail. */
CLEAVE_API cl_status cl_statistics_as_json(char* text, size_t capacity, size_t* needed);
CLEAVE_API cl_status cl_statistics_as_prometheus(char* text, size_t capacity, size_t* needed);

/* The bytes in live runs. O(threads + classes + arenas). */
CLEAVE_API size_t cl_live_bytes(void);

/* 1 if the address lies in the heap's reservation, else 0. */
CLEAVE_API int cl_contains(const void* ptr);

/* Checks the heap's invariants; no other thread may be inside a call meanwhile. O(pages ever
 * used).
 * Writes what is wrong first, cut to `capacity` bytes and ended by a zero, or an
 * empty string. `text` may be NULL if `capacity` is 0.
 * Error: cl_corrupt. */
CLEAVE_API cl_status cl_verify(char* text, size_t capacity);

#ifdef __cplusplus
}
#endif

#endif /* CLEAVE_H */
