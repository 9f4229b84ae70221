/* options_test.c -- starting the heap from C, and structs that grow.
 *
 * A struct of another version is played by a larger one that begins with ours.
 */
#include <cleave.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static void defaults_are_those_that_the_header_states(void) {
  const cl_options options = cl_options_default();
  CHECK(options.size == sizeof(cl_options));
  CHECK(options.reserve_bytes == (size_t)1 << (sizeof(size_t) > 4 ? 40 : 30));
  CHECK(options.held_limit == SIZE_MAX);
  CHECK(options.purge_delay_ms == 1000);
  CHECK(options.huge_pages == 1);
  CHECK(options.purge_thread == 0);
  CHECK(options.fork_handlers == 1);
}

struct later_options {
  cl_options known;
  int64_t added;
};

static void a_struct_of_a_later_version_is_filled_to_its_end(void) {
  struct later_options later;
  memset(&later, 0x7F, sizeof(later));
  later.known.size = sizeof(later);
  CHECK(cl_options_init(&later.known) == cl_ok);
  CHECK(later.known.size == sizeof(later));
  CHECK(later.known.purge_delay_ms == 1000);
  CHECK(later.added == 0);
}

static void what_is_not_known_is_refused_and_not_dropped(void) {
  struct later_options later;
  later.known.size = sizeof(later);
  CHECK(cl_options_init(&later.known) == cl_ok);
  later.added = 1;
  CHECK(cl_start(&later.known) == cl_bad_argument);
}

static void a_size_of_no_version_is_refused(void) {
  cl_options options = cl_options_default();
  options.size = sizeof(size_t);
  options.held_limit = 5;
  CHECK(cl_options_init(&options) == cl_bad_argument);
  CHECK(options.held_limit == 5);
  CHECK(cl_start(&options) == cl_bad_argument);
  options.size = 0;
  CHECK(cl_start(&options) == cl_bad_argument);
}

static void a_flag_is_0_or_1(void) {
  cl_options options = cl_options_default();
  options.huge_pages = 2;
  CHECK(cl_start(&options) == cl_bad_argument);
  options = cl_options_default();
  options.purge_thread = -1;
  CHECK(cl_start(&options) == cl_bad_argument);
  options = cl_options_default();
  options.fork_handlers = 3;
  CHECK(cl_start(&options) == cl_bad_argument);
}

/* After this the heap runs with a limit of 8 MiB. */
static void options_hold_from_the_start_on(void) {
  cl_options options = cl_options_default();
  options.held_limit = (size_t)8 << 20;
  options.purge_delay_ms = -1;
  CHECK(cl_start(&options) == cl_ok);
  CHECK(cl_start(&options) == cl_already_started);
  CHECK(cl_start(NULL) == cl_already_started);

  cl_run run = {NULL, 0};
  CHECK(cl_allocate((size_t)9 << 20, &run) == cl_out_of_memory);
  CHECK(run.ptr == NULL && run.bytes == 0);
  CHECK(cl_allocate((size_t)4 << 20, &run) == cl_ok);
  cl_free(run);
}

static void the_limit_can_be_changed(void) {
  cl_set_held_limit((size_t)16 << 20);
  cl_run run = {NULL, 0};
  CHECK(cl_allocate((size_t)9 << 20, &run) == cl_ok);
  memset(run.ptr, 3, run.bytes);
  cl_set_held_limit((size_t)1 << 20);
  CHECK(((unsigned char*)run.ptr)[run.bytes - 1] == 3);
  cl_run more = {NULL, 0};
  CHECK(cl_allocate((size_t)1 << 20, &more) == cl_out_of_memory);
  CHECK(cl_shrink(run, 4096, &run) == cl_ok);
  CHECK(cl_allocate((size_t)512 << 10, &more) == cl_ok);
  cl_free(more);
  cl_free(run);
  cl_purge_expired();
}

static void a_start_that_fails_leaves_the_heap_unstarted(void) {
  cl_options small = cl_options_default();
  small.reserve_bytes = 1u << 20;
  CHECK(cl_start(&small) == cl_out_of_memory);
  CHECK(cl_start(&small) == cl_out_of_memory);
}

int main(void) {
  defaults_are_those_that_the_header_states();
  a_struct_of_a_later_version_is_filled_to_its_end();
  what_is_not_known_is_refused_and_not_dropped();
  a_size_of_no_version_is_refused();
  a_flag_is_0_or_1();
  a_start_that_fails_leaves_the_heap_unstarted();
  options_hold_from_the_start_on();
  the_limit_can_be_changed();
  CHECK(cl_live_bytes() == 0);
  CHECK(cl_verify(NULL, 0) == cl_ok);
  return check_result();
}
