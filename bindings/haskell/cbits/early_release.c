// early_release.c -- gives memory of large byte arrays back before the next collection.
//
// GHC puts an array of about 3.3 kB or more into a block group of its own and chains
// the group's descriptor on the large-object list of a generation. Here the
// tail of such a group is cut off (trim) or the whole of it unchained (forget), and
// freed with the runtime's own freeGroup(). What else the runtime knows of
// the group are a few counters, which move with it:
//
//   E1  generation.n_large_blocks counts the blocks of its groups.
//   E2  n_large_words counts their words, start to free, once they survived a collection.
//   E3  Until then g0->n_new_large_words counts them; at large_alloc_lim it starts
//       the next collection. It may count more than there is, never less.
//   E4  Groups on the nonmoving collector's lists are in n_nonmoving_large_blocks only.
//   E5  n_alloc_blocks, all blocks in use, is freeGroup()'s own business.
//   E6  Allocation counters (of capabilities and threads) count what was ever
//       allocated, and stay.
//
// A megablock is 1 MiB: descriptors of its blocks in front, then 252 blocks of 4 KiB.
// A group of up to 252 blocks lies inside one. A larger one takes whole
// megablocks, has descriptors in the first only, and its bytes run over the places
// of the others.
//
// One object file serves the vanilla, threaded, debug, profiled and dynamic runtimes:
// what differs between them is asked for at run time. Symbols that only a
// runtime linked statically shows are weak, and null where they are hidden.
//
// The layout is that of the versions below, on x86-64 Linux; with any other GHC, or with
// CLEAVE_SCRATCH_STUB, all functions answer SCRATCH_OTHER_RUNTIME. To add a version, pass
// `make haskell-soak` with it.
#include "early_release.h"

#include <stdlib.h>
#include <string.h>

#include "ghcversion.h"

#if defined(CLEAVE_SCRATCH_STUB)
#  define TESTED_VERSION 0
#elif __GLASGOW_HASKELL__ == 900 && __GLASGOW_HASKELL_PATCHLEVEL1__ == 2
#  define TESTED_VERSION 1
#else
#  define TESTED_VERSION 0
#endif

intptr_t cleave_scratch_checking(void) {
  const char* value = getenv("CLEAVE_SCRATCH_CHECK");
  return value != NULL && value[0] != '\0' && strcmp(value, "0") != 0;
}

#if TESTED_VERSION && defined(__x86_64__) && defined(__linux__)

#  include <pthread.h>

#  include "Rts.h"
#  include "large_array.h"

_Static_assert(sizeof(bdescr) == 64 && offsetof(bdescr, blocks) == 48, "another descriptor");
_Static_assert(BLOCK_SIZE == 4096 && MBLOCK_SIZE == 1 << 20, "other blocks");
_Static_assert(BLOCKS_PER_MBLOCK == 252, "another table of descriptors");

// Private to the runtime.
extern pthread_mutex_t sm_mutex __attribute__((weak));
extern pthread_mutex_t nonmoving_collection_mutex __attribute__((weak));
extern bdescr* nonmoving_large_objects __attribute__((weak));
extern memcount n_nonmoving_large_blocks __attribute__((weak));
extern memcount n_alloc_blocks __attribute__((weak));
struct address_space {
  W_ begin, end;
};
extern struct address_space mblock_address_space __attribute__((weak));

// ---- locks

static int is_threaded(void) {
  return rtsSupportsBoundThreads();
}

// sm_mutex covers the lists, the counters and the free blocks. Runtimes without threads have none.
// Error: SCRATCH_HIDDEN, and nothing is locked.
static intptr_t lock_storage(void) {
  if (!is_threaded()) return 0;
  if (&sm_mutex == NULL) return SCRATCH_HIDDEN;
  pthread_mutex_lock(&sm_mutex);
  return 0;
}

static void unlock_storage(void) {
  if (is_threaded()) pthread_mutex_unlock(&sm_mutex);
}

// Whether the nonmoving collector took the group over to its own lists.
static int is_nonmoving(const bdescr* group) {
  return (group->flags & BF_NONMOVING_SWEEPING) != 0;
}

// Keeps the nonmoving collector, which runs beside the program, away from a group.
//
// While its write barrier is on, it may hold the address of any array in its queue, so nothing may
// vanish then; barriers change in pauses only, and there is none while we hold a capability.
// It goes on after the barrier, sweeping its lists under nonmoving_collection_mutex: that is
// tried, never waited for, since it may be held for long.
// Error: a reason, and the group must be left alone.
static intptr_t hold_off_collector(const bdescr* group, int whole) {
  const int on_its_list = is_nonmoving(group);
  if (on_its_list && (&nonmoving_large_objects == NULL || &n_nonmoving_large_blocks == NULL))
    return SCRATCH_HIDDEN;
  if (!is_threaded()) return 0;
  if ((whole || on_its_list) && nonmoving_write_barrier_enabled) return SCRATCH_MARKING;
  if (!on_its_list) return 0;
  if (&nonmoving_collection_mutex == NULL) return SCRATCH_HIDDEN;
  return pthread_mutex_trylock(&nonmoving_collection_mutex) == 0 ? 0 : SCRATCH_MARKING;
}

// `on_its_list`: what is_nonmoving() said before the group was freed.
static void let_collector_go(int on_its_list) {
  if (is_threaded() && on_its_list) pthread_mutex_unlock(&nonmoving_collection_mutex);
}

// ---- arrays and their groups

static W_ header_words(void) {
  // Info pointer and length; between them two words for the profiler.
  return rts_isProfiled() ? 4 : 2;
}

// The sizes of `generation` differ between runtimes, but not what stands before `to`.
static int is_generation(const generation* wanted) {
  for (const generation* g = g0;; g = g->to) {
    if (g == wanted) return 1;
    if (g == oldest_gen) return 0;
  }
}

intptr_t cleave_scratch_find(void* payload, large_array* found) {
  StgWord* header = (StgWord*)payload - header_words();
  if (&mblock_address_space != NULL &&
      ((W_)header < mblock_address_space.begin || (W_)header >= mblock_address_space.end))
    return SCRATCH_NOT_AN_ARRAY;

  // The header's block, not the payload's, which may be the next one when arrays are aligned.
  bdescr* group = Bdescr(header);
  if (group->flags & BF_COMPACT) return SCRATCH_COMPACT;
  if (!(group->flags & BF_LARGE)) return SCRATCH_SMALL;

  // A head that was freed has no generation and a `free` of -1; any other block than a head
  // has whatever was there before, which can be no more than the trace of a freed head.
  const StgPtr end = group->start + (W_)group->blocks * BLOCK_SIZE_W;
  if (group->blocks == 0 || !is_generation(group->gen) || group->free > end ||
      header < group->start || header >= group->free)
    return SCRATCH_NOT_AN_ARRAY;

  // Blocks that small pinned arrays share are marked as large too.
  const StgWord length = ((StgWord*)payload)[-1];
  const W_ words = header_words() + (length + sizeof(W_) - 1) / sizeof(W_);
  if ((group->flags & BF_PINNED) && group->blocks == 1 &&
      words < LARGE_OBJECT_THRESHOLD / sizeof(W_))
    return SCRATCH_SHARED;

  if ((const void*)header[0] != (const void*)&stg_ARR_WORDS_info) return SCRATCH_NOT_AN_ARRAY;
  found->group = group;
  found->header = header;
  found->length = (StgWord*)payload - 1;
  return 0;
}

// E1 to E4 for a group that loses blocks and words. `uncharged`: the words that no longer count
// towards the next collection, at most `words`.
static void account(bdescr* group, W_ blocks, W_ words, W_ uncharged) {
  if (is_nonmoving(group)) {
    n_nonmoving_large_blocks -= blocks;
    return;
  }
  generation* g = group->gen;
  g->n_large_blocks -= blocks;
  // Collections mark what they keep as evacuated, and allocation does not.
  const int is_new = g == g0 && !(group->flags & BF_EVACUATED);
  if (!is_new)
    g->n_large_words -= words;
  else
    g->n_new_large_words -= stg_min(uncharged, g->n_new_large_words);
}

// ---- cutting groups

// Makes `first` the head of a group that is in nobody's list.
static void make_head(bdescr* first, W_ blocks) {
  first->blocks = (StgWord32)blocks;
  first->free = first->start;
  first->link = NULL;
  first->u.back = NULL;
  first->gen = NULL;
  first->gen_no = 0;
  first->flags = 0;
}

// The last block of a group leads to its head; freeGroup() of a neighbour looks there.
static void mark_last(bdescr* head) {
  bdescr* last = head + head->blocks - 1;
  if (last == head) return;
  last->blocks = 0;
  last->free = NULL;
  last->link = head;
}

// The number of blocks that a group can be cut down to if it needs `wanted`.
static W_ cut_size(W_ wanted) {
  if (wanted < BLOCKS_PER_MBLOCK) return wanted;
  return MBLOCK_GROUP_BLOCKS(BLOCKS_TO_MBLOCKS(wanted));
}

// Gives the descriptors of a megablock that was the inside of a group, and so full of an
// array's bytes, what the block allocator expects of free blocks.
static bdescr* renew_descriptors(char* megablock, StgWord16 node) {
  bdescr* first = FIRST_BDESCR(megablock);
  char* block = FIRST_BLOCK(megablock);
  for (bdescr* d = first; d <= LAST_BDESCR(megablock); ++d, block += BLOCK_SIZE) {
    memset(d, 0, sizeof *d);
    d->start = (StgPtr)block;
    d->node = node;
  }
  return first;
}

// Frees the blocks of a group but for the first `keep`.
// Requires: keep = cut_size(keep), 0 < keep < group->blocks. Cost: of one or two freeGroup().
static void cut_group(bdescr* group, W_ keep) {
  if (group->blocks > BLOCKS_PER_MBLOCK) {
    const W_ megablocks = BLOCKS_TO_MBLOCKS(group->blocks);
    const W_ kept = keep < BLOCKS_PER_MBLOCK ? 1 : BLOCKS_TO_MBLOCKS(keep);
    if (kept < megablocks) {
      char* behind = (char*)MBLOCK_ROUND_DOWN(group) + kept * MBLOCK_SIZE;
      bdescr* rest = renew_descriptors(behind, group->node);
      make_head(rest, MBLOCK_GROUP_BLOCKS(megablocks - kept));
      group->blocks = (StgWord32)MBLOCK_GROUP_BLOCKS(kept);
      freeGroup(rest);
    }
  }
  if (keep < group->blocks) {
    // The first megablock alone is a group like any other now. Both parts are made whole
    // before the second is freed, since freeGroup() looks at the block in front.
    bdescr* rest = group + keep;
    make_head(rest, group->blocks - keep);
    group->blocks = (StgWord32)keep;
    mark_last(rest);
    mark_last(group);
    freeGroup(rest);
  }
}

// ---- the operations, with the storage locked

static intptr_t trim_locked(void* payload, intptr_t keep) {
  large_array array;
  intptr_t reason = cleave_scratch_find(payload, &array);
  if (reason < 0) return reason;
  bdescr* group = array.group;
  if (keep < 0 || (W_)keep > *array.length) return SCRATCH_NOTHING_LEFT;

  const W_ kept_words = ((W_)keep + sizeof(W_) - 1) / sizeof(W_);
  const StgPtr end = (StgPtr)payload + kept_words;
  const W_ needed = ((W_)(end - group->start) + BLOCK_SIZE_W - 1) / BLOCK_SIZE_W;
  const W_ blocks = cut_size(needed);
  if (blocks >= group->blocks) return SCRATCH_NOTHING_LEFT;
  reason = hold_off_collector(group, 0);
  if (reason < 0) return reason;

  const W_ freed = group->blocks - blocks;
  const W_ old_words = (W_)(group->free - group->start);
  const W_ new_words = (W_)(end - group->start);
  // The next collection is charged with the blocks that stay, not with their few words: stubs
  // of 16 bytes in 4 KiB each would else fill memory before they count for anything.
  const W_ charged = stg_min(blocks * BLOCK_SIZE_W, old_words);
  account(group, freed, old_words - new_words, old_words - charged);
  *array.length = (StgWord)keep;
  group->free = end;
  cut_group(group, blocks);
  let_collector_go(is_nonmoving(group));
  return (intptr_t)(freed * BLOCK_SIZE);
}

static intptr_t forget_locked(void* payload) {
  large_array array;
  intptr_t reason = cleave_scratch_find(payload, &array);
  if (reason < 0) return reason;
  bdescr* group = array.group;
  reason = hold_off_collector(group, 1);
  if (reason < 0) return reason;

  const int on_its_list = is_nonmoving(group);
  const W_ blocks = group->blocks;
  const W_ words = (W_)(group->free - group->start);
  dbl_link_remove(group, on_its_list ? &nonmoving_large_objects : &group->gen->large_objects);
  account(group, blocks, words, words);
  // A second forget finds no array there, for as long as nobody else was given the block.
  array.header[0] = 0;
  group->flags = 0;
  freeGroup(group);
  let_collector_go(on_its_list);
  return (intptr_t)(blocks * BLOCK_SIZE);
}

// How the self-tests of trim and of forget ended. Read and written with the storage locked.
static intptr_t tested[2] = {SCRATCH_UNTESTED, SCRATCH_UNTESTED};

intptr_t cleave_scratch_trim(void* payload, intptr_t keep) {
  const intptr_t reason = lock_storage();
  if (reason < 0) return reason;
  const intptr_t result = tested[0] < 0 ? tested[0] : trim_locked(payload, keep);
  unlock_storage();
  return result;
}

intptr_t cleave_scratch_forget(void* payload) {
  const intptr_t reason = lock_storage();
  if (reason < 0) return reason;
  const intptr_t result = tested[1] < 0 ? tested[1] : forget_locked(payload);
  unlock_storage();
  return result;
}

intptr_t cleave_scratch_generation(void* payload) {
  large_array array;
  const intptr_t reason = lock_storage();
  if (reason < 0) return reason;
  const intptr_t found = cleave_scratch_find(payload, &array);
  const intptr_t result = found < 0 ? found : array.group->gen_no;
  unlock_storage();
  return result;
}

intptr_t cleave_scratch_nonmoving(void) {
  return RtsFlags.GcFlags.useNonmoving;
}

// ---- the self-test

// What a trim or a forget moves.
typedef struct {
  W_ large_blocks, new_words, all_blocks;
} counters;

static counters read_counters(void) {
  counters now = {.large_blocks = g0->n_large_blocks, .new_words = g0->n_new_large_words};
  now.all_blocks = &n_alloc_blocks != NULL ? n_alloc_blocks : 0;
  return now;
}

// Whether the youngest generation's list holds `wanted`, is chained both ways and E1 holds.
static int list_is_as_expected(const bdescr* wanted) {
  W_ blocks = 0;
  int found = 0;
  const bdescr* before = NULL;
  for (const bdescr* bd = g0->large_objects; bd != NULL; before = bd, bd = bd->link) {
    if (bd->u.back != before || bd->gen != g0 || bd->blocks == 0) return 0;
    blocks += bd->blocks;
    found |= bd == wanted;
  }
  return found && blocks == g0->n_large_blocks;
}

static intptr_t self_test_locked(void* payload, intptr_t bytes, intptr_t whole) {
  large_array array;
  if (cleave_scratch_find(payload, &array) < 0) return SCRATCH_FAILED_TEST;
  bdescr* group = array.group;
  if (group->gen != g0 || (group->flags & BF_EVACUATED)) return SCRATCH_RETRY;

  const W_ words = header_words() + (W_)bytes / sizeof(W_);
  const W_ blocks = (words + BLOCK_SIZE_W - 1) / BLOCK_SIZE_W;
  const int looks_right = *array.length == (W_)bytes && array.header == group->start &&
                          (W_)(group->free - group->start) == words && group->blocks == blocks &&
                          group->flags == BF_LARGE && group->gen_no == 0 &&
                          g0->n_new_large_words >= words && list_is_as_expected(group) &&
                          Bdescr(group->start) == group && ((W_)group->start & BLOCK_MASK) == 0;
  if (!looks_right) return SCRATCH_FAILED_TEST;

  const W_ kept = whole ? 0 : 1;
  const W_ charged = whole ? 0 : BLOCK_SIZE_W;
  const counters was = read_counters();
  const intptr_t given = whole ? forget_locked(payload) : trim_locked(payload, 0);
  const counters is = read_counters();
  if (given == SCRATCH_MARKING) return SCRATCH_RETRY;

  const bdescr* freed = group + kept;
  const int moved_right =
      given == (intptr_t)((blocks - kept) * BLOCK_SIZE) &&
      was.large_blocks - is.large_blocks == blocks - kept &&
      was.new_words - is.new_words == words - charged &&
      (&n_alloc_blocks == NULL || was.all_blocks - is.all_blocks == blocks - kept);
  // The tail was merged with free blocks behind it, at most; the head block is in use.
  const int freed_right = whole || (freed->free == (StgPtr)-1 && freed->blocks >= blocks - kept &&
                                    group->blocks == kept && *array.length == 0);
  return moved_right && freed_right ? SCRATCH_PASSED : SCRATCH_FAILED_TEST;
}

intptr_t cleave_scratch_self_test(void* payload, intptr_t bytes, intptr_t whole) {
  const intptr_t reason = lock_storage();
  if (reason < 0) return reason;
  intptr_t result = tested[whole != 0];
  if (result == SCRATCH_UNTESTED) {
    result = self_test_locked(payload, bytes, whole);
    if (result == SCRATCH_PASSED) tested[whole != 0] = result;
    if (result < 0) tested[0] = tested[1] = result;
  }
  unlock_storage();
  return result;
}

#else  // an untested runtime: nothing of it is touched

intptr_t cleave_scratch_trim(void* payload, intptr_t keep) {
  (void)payload, (void)keep;
  return SCRATCH_OTHER_RUNTIME;
}

intptr_t cleave_scratch_forget(void* payload) {
  (void)payload;
  return SCRATCH_OTHER_RUNTIME;
}

intptr_t cleave_scratch_generation(void* payload) {
  (void)payload;
  return SCRATCH_OTHER_RUNTIME;
}

intptr_t cleave_scratch_nonmoving(void) {
  return 0;
}

intptr_t cleave_scratch_self_test(void* payload, intptr_t bytes, intptr_t whole) {
  (void)payload, (void)bytes, (void)whole;
  return SCRATCH_OTHER_RUNTIME;
}

#endif
