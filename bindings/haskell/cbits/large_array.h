// large_array.h -- where the runtime keeps one large array.
//
// For early_release.c, and for the inspection that the tests compile against it.
#pragma once

#include <stdint.h>

#include "Rts.h"

typedef struct {
  bdescr* group;    // the descriptor of its blocks
  StgWord* header;  // its first word, the info pointer
  StgWord* length;  // the word that holds its length in bytes
} large_array;

// Fills `found` for an array that owns its blocks. Else a reason, a negative number.
// Requires: the storage is locked, where the runtime has threads.
intptr_t cleave_scratch_find(void* payload, large_array* found);
