// inspect.c -- see inspect.h. Compiled into the tests only, for the runtimes that the package is
// tested with.
#include "inspect.h"

#include <pthread.h>

#include "large_array.h"

extern pthread_mutex_t sm_mutex __attribute__((weak));
extern memcount n_alloc_blocks __attribute__((weak));
extern bdescr* nonmoving_large_objects __attribute__((weak));
extern memcount n_nonmoving_large_blocks __attribute__((weak));

static int lock_storage(void) {
  if (!rtsSupportsBoundThreads()) return 1;
  if (&sm_mutex == NULL) return 0;
  pthread_mutex_lock(&sm_mutex);
  return 1;
}

static void unlock_storage(void) {
  if (rtsSupportsBoundThreads()) pthread_mutex_unlock(&sm_mutex);
}

intptr_t inspect_blocks_in_use(void) {
  if (&n_alloc_blocks == NULL || !lock_storage()) return -1;
  const intptr_t blocks = (intptr_t)n_alloc_blocks;
  unlock_storage();
  return blocks;
}

static int is_new(const bdescr* group) {
  return group->gen == g0 && !(group->flags & BF_EVACUATED);
}

intptr_t inspect_array(void* payload, intptr_t what) {
  large_array array;
  if (!lock_storage()) return -1;
  intptr_t answer = cleave_scratch_find(payload, &array);
  if (answer == 0) {
    const bdescr* group = array.group;
    switch (what) {
      case 0: answer = group->blocks; break;
      case 1: answer = group->gen_no; break;
      case 2: answer = is_new(group); break;
      case 3: answer = (group->flags & BF_NONMOVING_SWEEPING) != 0; break;
      default: answer = array.header - group->start; break;
    }
  }
  unlock_storage();
  return answer;
}

static intptr_t broken_rule(const generation* gen) {
  W_ blocks = 0, words = 0, new_words = 0;
  const bdescr* before = NULL;
  for (const bdescr* bd = gen->large_objects; bd != NULL; before = bd, bd = bd->link) {
    blocks += bd->blocks;
    *(is_new(bd) ? &new_words : &words) += (W_)(bd->free - bd->start);
    if (bd->u.back != before) return 1;
    if (bd->gen != gen) return 2;
    if (bd->free > bd->start + (W_)bd->blocks * BLOCK_SIZE_W) return 3;
  }
  if (blocks != gen->n_large_blocks) return 4;
  if (words != gen->n_large_words) return 5;
  if (gen == g0 && new_words > gen->n_new_large_words) return 6;
  return 0;
}

// The nonmoving collector's own list. With threads it may be at work on it.
static int nonmoving_is_right(void) {
  if (rtsSupportsBoundThreads() || &nonmoving_large_objects == NULL) return 1;
  W_ blocks = 0;
  for (const bdescr* bd = nonmoving_large_objects; bd != NULL; bd = bd->link) blocks += bd->blocks;
  return blocks == n_nonmoving_large_blocks;
}

intptr_t inspect_audit(void) {
  if (!lock_storage()) return -1;
  intptr_t answer = nonmoving_is_right() ? 0 : 7;
  // By `to`: how long a generation is differs between runtimes.
  for (const generation* gen = g0; answer == 0; gen = gen->to) {
    const intptr_t rule = broken_rule(gen);
    if (rule != 0) answer = 100 * (1 + (intptr_t)gen->no) + rule;
    if (gen == oldest_gen) break;
  }
  unlock_storage();
  return answer;
}

intptr_t inspect_is_profiled(void) {
  return rts_isProfiled();
}
