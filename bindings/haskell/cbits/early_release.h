// early_release.h -- large byte arrays as the runtime of GHC keeps them.
//
// What early_release.c offers to the Haskell modules, and how it finds an array
// behind the address of its payload; the tests look through the same functions.
//
// Conventions of every function here:
//   - call it by `foreign import ccall unsafe` only: the caller then holds a
//     capability, so no collection starts or ends while it runs;
//   - `payload` is the address of a MutableByteArray#'s first byte;
//   - what gives memory back answers with the bytes given back, which are more
//     than 0, or with a reason below, which is negative: nothing has changed then.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Cleave.Scratch.Runtime.Reason holds these in the same order.
enum {
  SCRATCH_SMALL = -1,          // the array lies among other objects in a block
  SCRATCH_SHARED = -2,         // the same, in a block for small pinned arrays
  SCRATCH_COMPACT = -3,        // the array is part of a compact region
  SCRATCH_NOT_AN_ARRAY = -4,   // no array begins there, or it was forgotten
  SCRATCH_HIDDEN = -5,         // a runtime linked dynamically hides what is needed
  SCRATCH_MARKING = -6,        // the nonmoving collector may be looking at the array
  SCRATCH_NOTHING_LEFT = -7,   // no whole block lies behind the part that is kept
  SCRATCH_OTHER_RUNTIME = -8,  // not a version of GHC that this was tested with
  SCRATCH_FAILED_TEST = -9,    // the self-test found the runtime different
  SCRATCH_CHECKING = -10,      // CLEAVE_SCRATCH_CHECK is set, so nothing is forgotten
  SCRATCH_UNTESTED = -11,      // the self-test comes first; never seen outside this package
};

// What the self-test answers when a collection came before it: try a new array.
enum { SCRATCH_RETRY = 0, SCRATCH_PASSED = 1 };

// Shortens the array to `keep` bytes and gives the whole blocks behind them back.
// Its first block stays, so whatever points to the array points to an array.
// Error: SCRATCH_NOTHING_LEFT also when keep is not in [0, length].
intptr_t cleave_scratch_trim(void* payload, intptr_t keep);

// Gives all blocks of the array back.
// Requires: no object of the heap, dead ones included, points to the array.
intptr_t cleave_scratch_forget(void* payload);

// Compares the runtime with what this code expects of it, on an array that was made just now
// with a length of `bytes` and that nobody uses afterwards: first all that can be looked at, then
// every counter around a trim (whole = 0) or a forget (whole = 1) of the array. Until it passed,
// trims or forgets answer SCRATCH_UNTESTED; after it failed, both answer SCRATCH_FAILED_TEST.
// A test that was decided is not done again.
// Answers SCRATCH_PASSED, SCRATCH_RETRY or a reason.
intptr_t cleave_scratch_self_test(void* payload, intptr_t bytes, intptr_t whole);

// 0 or more: the generation that the array is in. Else a reason.
intptr_t cleave_scratch_generation(void* payload);

// Whether --nonmoving-gc is on; 0 in a runtime that is not looked into.
intptr_t cleave_scratch_nonmoving(void);

// Whether CLEAVE_SCRATCH_CHECK is set, and not to 0: forgets are checked and not done.
intptr_t cleave_scratch_checking(void);
