/* collector_test.c -- the collector from C: objects, roots, letting go, a thread that is away. */
#include <cleave_collector.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

typedef struct pair {
  cl_word head;
  cl_word tail;
} pair;

static cl_collector* collector;
static cl_mutator* mutator;
static const cl_type* pairs;

static void begin(uint32_t stress) {
  cl_collector_options options;
  const size_t offsets[2] = {offsetof(pair, head), offsetof(pair, tail)};
  memset(&options, 0, sizeof(options));
  options.size = sizeof(options);
  options.nursery = 65536;
  options.verify = 1;
  options.stress = stress;
  CHECK(cl_collector_create(&options, &collector) == cl_ok);
  CHECK(cl_mutator_attach(collector, &mutator) == cl_ok);
  CHECK(cl_type_add(collector, "pair", sizeof(pair), offsets, 2, &pairs) == cl_ok);
}

static void end(void) {
  cl_mutator_detach(mutator);
  cl_collector_destroy(collector);
  CHECK(cl_live_bytes() == 0);
}

static void a_list_survives_a_collection_at_every_allocation(void) {
  cl_root list, cell;
  begin(1);
  cl_root_begin(mutator, &list);
  cl_root_begin(mutator, &cell);
  for (cl_word i = 0; i < 200; ++i) {
    pair* made;
    CHECK(cl_make_object(mutator, pairs, &cell) == cl_ok);
    made = (pair*)cl_root_get(&cell);
    CHECK(made->head == 0 && made->tail == 0);
    cl_store(&made->head, i << 1 | 1);
    cl_store(&made->tail, cl_root_get(&list));
    cl_root_set(&list, cl_root_get(&cell));
  }
  cl_collect(mutator, 1);
  for (cl_word i = 200; i-- > 0;) {
    const pair* const at = (const pair*)cl_root_get(&list);
    CHECK(cl_type_of(cl_root_get(&list)) == pairs);
    CHECK(at->head == (i << 1 | 1));
    cl_root_set(&list, at->tail);
  }
  CHECK(cl_root_get(&list) == 0);
  cl_root_end(&list);
  cl_root_end(&cell);
  end();
}

static void an_array_is_forgotten_once(void) {
  cl_root bytes, other;
  cl_run run = {NULL, 0};
  cl_collector_statistics now;
  begin(0);
  cl_root_begin(mutator, &bytes);
  cl_root_begin(mutator, &other);
  CHECK(cl_make_bytes(mutator, 100000, &bytes) == cl_ok);
  cl_root_set(&other, cl_root_get(&bytes));
  CHECK(cl_bytes_get(&bytes, &run) == cl_ok && run.bytes == 100000);
  memset(run.ptr, 1, run.bytes);
  CHECK(cl_forget(mutator, &bytes) == cl_release_done);
  CHECK(cl_forget(mutator, &other) == cl_release_already);
  CHECK(cl_bytes_get(&other, &run) == cl_ok && run.ptr == NULL && run.bytes == 0);
  now.size = sizeof(now);
  CHECK(cl_collector_get_statistics(collector, &now) == cl_ok);
  CHECK(now.allocated == 100000 && now.forgotten == 100000 && now.large_young == 0);
  CHECK(cl_make_bytes(mutator, 8, &bytes) == cl_ok);
  CHECK(cl_forget(mutator, &bytes) == cl_release_too_small);
  CHECK(strcmp(cl_release_text(cl_release_done), "done") == 0);
  CHECK(cl_make_object(mutator, pairs, &bytes) == cl_ok);
  CHECK(cl_forget(mutator, &bytes) == cl_release_not_bytes);
  CHECK(cl_take(mutator, &bytes, &run) == cl_release_not_bytes);
  CHECK(cl_trim(mutator, &bytes, 0) == cl_release_not_bytes);
  CHECK(cl_bytes_get(&bytes, &run) == cl_bad_argument);
  cl_root_end(&bytes);
  cl_root_end(&other);
  end();
}

static void half_an_array_is_taken_cut_and_given(void) {
  cl_root bytes;
  cl_run whole = {NULL, 0}, tail, seen;
  begin(0);
  cl_root_begin(mutator, &bytes);
  CHECK(cl_make_bytes(mutator, 100000, &bytes) == cl_ok);
  CHECK(cl_take(mutator, &bytes, &whole) == cl_release_done);
  CHECK(whole.bytes == 100000);
  CHECK(cl_cut(whole, 50000, &whole, &tail) == cl_ok);
  cl_free(tail);
  CHECK(cl_give(mutator, whole, &bytes) == cl_ok);
  CHECK(cl_bytes_get(&bytes, &seen) == cl_ok);
  CHECK(seen.ptr == whole.ptr && seen.bytes == 50000);
  CHECK(cl_trim(mutator, &bytes, 50001) == cl_release_out_of_range);
  CHECK(cl_trim(mutator, &bytes, 5) == cl_release_done);
  cl_root_end(&bytes);
  end();
}

static void references_are_kept_by_their_array(void) {
  const size_t sizes[] = {10, 10000};
  for (size_t k = 0; k < 2; ++k) {
    cl_root array, bytes;
    cl_word word = 0;
    begin(1);
    cl_root_begin(mutator, &array);
    cl_root_begin(mutator, &bytes);
    CHECK(cl_make_references(mutator, sizes[k], &array) == cl_ok);
    for (int i = 0; i < 3; ++i) cl_collect(mutator, 0);
    CHECK(cl_make_bytes(mutator, 3, &bytes) == cl_ok);
    CHECK(cl_references_set(&array, 9, cl_root_get(&bytes)) == cl_ok);
    CHECK(cl_references_set(&array, sizes[k], 0) == cl_out_of_range);
    cl_root_set(&bytes, 0);
    for (int i = 0; i < 3; ++i) cl_collect(mutator, i == 1);
    CHECK(cl_references_get(&array, 9, &word) == cl_ok);
    cl_root_set(&bytes, word);
    CHECK(cl_references_get(&array, sizes[k], &word) == cl_out_of_range);
    CHECK(cl_references_get(&bytes, 0, &word) == cl_bad_argument);
    cl_root_end(&array);
    cl_root_end(&bytes);
    end();
  }
}

static cl_word stack[2];

static void show_stack(void* context, cl_see see, void* to) {
  CHECK(context == stack);
  for (int i = 0; i < 2; ++i) see(to, &stack[i]);
}

static void a_stack_of_the_program_is_a_root(void) {
  cl_root made;
  cl_shown* shown = NULL;
  begin(0);
  CHECK(cl_shown_add(collector, show_stack, stack, &shown) == cl_ok);
  cl_root_begin(mutator, &made);
  CHECK(cl_make_object(mutator, pairs, &made) == cl_ok);
  stack[0] = cl_root_get(&made);
  stack[1] = 7;
  cl_store(&((pair*)stack[0])->head, 5);
  cl_root_end(&made);
  cl_collect(mutator, 1);
  CHECK(cl_blocking_begin(mutator) == cl_ok);
  cl_blocking_end(mutator);
  cl_safepoint(mutator);
  CHECK(((pair*)stack[0])->head == 5 && stack[1] == 7);
  cl_shown_remove(shown);
  end();
}

static void wrong_arguments_are_named(void) {
  const size_t outside = 16;
  const cl_type* type = NULL;
  cl_collector* none = NULL;
  cl_shown* shown = NULL;
  cl_root made;
  cl_collector_options options;
  begin(0);
  CHECK(cl_type_add(collector, "odd", 12, NULL, 0, &type) == cl_bad_argument);
  CHECK(cl_type_add(collector, "pair", 16, &outside, 1, &type) == cl_bad_argument);
  CHECK(cl_type_add(collector, "pair", 16, NULL, 1, &type) == cl_bad_argument);
  CHECK(cl_type_add(collector, NULL, 16, NULL, 0, &type) == cl_bad_argument);
  CHECK(type == NULL);
  CHECK(cl_shown_add(collector, NULL, NULL, &shown) == cl_bad_argument && shown == NULL);
  cl_root_begin(mutator, &made);
  CHECK(cl_make_object(mutator, NULL, &made) == cl_bad_argument);
  CHECK(cl_make_bytes(mutator, SIZE_MAX, &made) == cl_out_of_memory);
  CHECK(cl_make_references(mutator, SIZE_MAX / 8, &made) == cl_out_of_memory);
  CHECK(cl_collector_create(NULL, &none) == cl_ok);
  CHECK(cl_type_add(none, "other", 16, NULL, 0, &type) == cl_ok);
  CHECK(cl_make_object(mutator, type, &made) == cl_bad_argument && cl_root_get(&made) == 0);
  cl_collector_destroy(none);
  none = NULL;
  cl_root_end(&made);
  cl_collector_destroy(NULL);
  cl_mutator_detach(NULL);
  cl_shown_remove(NULL);
  CHECK(strcmp(cl_release_text((cl_release)99), "unknown answer") == 0);
  memset(&options, 0, sizeof(options));
  CHECK(cl_collector_create(&options, &none) == cl_bad_argument);
  options.size = sizeof(options);
  options.tenure = 9;
  CHECK(cl_collector_create(&options, &none) == cl_bad_argument);
  CHECK(none == NULL);
  end();
}

static void options_of_a_newer_version_are_refused_unless_they_are_zero(void) {
  struct {
    cl_collector_options known;
    uint64_t newer;
  } options;
  cl_collector* made = NULL;
  memset(&options, 0, sizeof(options));
  options.known.size = sizeof(options);
  options.newer = 1;
  CHECK(cl_collector_create(&options.known, &made) == cl_bad_argument);
  CHECK(made == NULL);
  options.newer = 0;
  CHECK(cl_collector_create(&options.known, &made) == cl_ok);
  cl_collector_destroy(made);
}

int main(void) {
  a_list_survives_a_collection_at_every_allocation();
  an_array_is_forgotten_once();
  half_an_array_is_taken_cut_and_given();
  references_are_kept_by_their_array();
  a_stack_of_the_program_is_a_root();
  wrong_arguments_are_named();
  options_of_a_newer_version_are_refused_unless_they_are_zero();
  return check_result();
}
