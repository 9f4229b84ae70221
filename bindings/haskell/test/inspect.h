// inspect.h -- what the tests see of the runtime beside what the package gives back.
#pragma once

#include <stdint.h>

// Blocks in use, as the block allocator counts them; -1 where the runtime hides the number.
intptr_t inspect_blocks_in_use(void);

// Of a large array, by `what`: 0 the blocks of its group, 1 its generation, 2 whether no collection
// saw it yet, 3 whether it is on the nonmoving collector's lists, 4 the words between the start of
// its group and its header. A negative reason for any other array.
intptr_t inspect_array(void* payload, intptr_t what);

// Recounts the large objects of every generation. 0: all counters and links are right.
// Else 100 * (1 + generation) + the number of the rule that is broken, as in inspect.c, or 7 for
// the nonmoving collector's list. -1 where the runtime hides the lock.
intptr_t inspect_audit(void);

// 1 in profiled runtimes.
intptr_t inspect_is_profiled(void);
