/* emitted_test.c -- C as a compiler of a functional language would emit it.
 *
 * A tree walk matches an array into halves down to its elements, frees each
 * element's bytes where it is read, and a fork tree writes in place and joins
 * back, on two threads. Cut and join are inline: the heap hears of neither.
 */
#include <cleave.h>
#include <pthread.h>
#include <stdint.h>

#include "check.h"

static uint64_t sum_and_free(cl_run array) {
  if (array.bytes == sizeof(uint32_t)) {
    const uint64_t value = *(const uint32_t*)array.ptr;
    cl_free(array);
    return value;
  }
  cl_run left;
  cl_run right;
  const size_t cells = array.bytes / sizeof(uint32_t);
  CHECK(cl_cut(array, cells / 2 * sizeof(uint32_t), &left, &right) == cl_ok);
  const uint64_t first = sum_and_free(left);
  return first + sum_and_free(right);
}

struct task {
  cl_run array;
  uint32_t first;
  int depth;
};

static void* write_cells(void* argument) {
  struct task* const task = argument;
  if (task->array.bytes == sizeof(uint32_t)) {
    *(uint32_t*)task->array.ptr = task->first;
    return NULL;
  }
  struct task left = {{NULL, 0}, task->first, task->depth + 1};
  struct task right = left;
  const size_t cells = task->array.bytes / sizeof(uint32_t);
  const size_t half = cells / 2;
  CHECK(cl_cut(task->array, half * sizeof(uint32_t), &left.array, &right.array) == cl_ok);
  right.first += (uint32_t)half;
  if (task->depth == 0) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, write_cells, &right) == 0);
    write_cells(&left);
    CHECK(pthread_join(thread, NULL) == 0);
  } else {
    write_cells(&left);
    write_cells(&right);
  }
  CHECK(cl_join(left.array, right.array, &task->array) == cl_ok);
  return NULL;
}

static void* sum_in_thread(void* argument) {
  struct task* const task = argument;
  const uint64_t sum = sum_and_free(task->array);
  task->array.ptr = NULL;
  task->array.bytes = (size_t)sum;
  return NULL;
}

int main(void) {
  const size_t sizes[] = {1, 2, 3, 1000, 4096, 65537};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
    const size_t cells = sizes[i];
    struct task all = {{NULL, 0}, 0, 0};
    CHECK(cl_allocate(cells * sizeof(uint32_t), &all.array) == cl_ok);
    const void* const place = all.array.ptr;
    write_cells(&all);
    CHECK(all.array.ptr == place && all.array.bytes == cells * sizeof(uint32_t));

    const uint64_t expected = (uint64_t)cells * (cells - 1) / 2;
    if (i % 2 == 0) {
      CHECK(sum_and_free(all.array) == expected);
    } else {
      pthread_t thread;
      CHECK(pthread_create(&thread, NULL, sum_in_thread, &all) == 0);
      CHECK(pthread_join(thread, NULL) == 0);
      CHECK(all.array.bytes == expected);
    }
    CHECK(cl_live_bytes() == 0);
  }
  CHECK(cl_verify(NULL, 0) == cl_ok);
  return check_result();
}
