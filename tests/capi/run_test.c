/* run_test.c -- runs from C: made, cut, joined, grown, freed in pieces. */
#include <cleave.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static const cl_run nothing = {NULL, 0};

static int same(cl_run a, cl_run b) {
  return a.ptr == b.ptr && a.bytes == b.bytes;
}

static int lies_at(cl_run run, const cl_run* whole, size_t begin, size_t end) {
  return run.ptr == (void*)((char*)whole->ptr + begin) && run.bytes == end - begin;
}

static cl_run made(size_t bytes) {
  cl_run run = {NULL, 0};
  CHECK(cl_allocate(bytes, &run) == cl_ok);
  CHECK(run.ptr != NULL && run.bytes == bytes);
  return run;
}

static void allocation_gives_exactly_what_was_asked_for(void) {
  const size_t sizes[] = {1, 15, 16, 17, 4095, 4096, 4097, 100000, (size_t)5 << 20};
  for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); ++i) {
    const cl_run run = made(sizes[i]);
    CHECK((uintptr_t)run.ptr % cl_default_alignment == 0);
    CHECK(cl_contains(run.ptr) == 1);
    CHECK(cl_live_bytes() == sizes[i]);
    memset(run.ptr, 0x5A, run.bytes);
    cl_free(run);
    CHECK(cl_live_bytes() == 0);
  }
}

static void no_bytes_are_an_empty_run(void) {
  cl_run run = {&run, 7};
  CHECK(cl_allocate(0, &run) == cl_ok);
  CHECK(run.ptr == NULL && run.bytes == 0);
  cl_free(run);
  cl_free(run);
  CHECK(cl_live_bytes() == 0);
}

static void alignment_is_kept_or_refused(void) {
  for (size_t alignment = 1; alignment <= (size_t)1 << 22; alignment *= 2) {
    cl_run run;
    CHECK(cl_allocate_aligned(100, alignment, &run) == cl_ok);
    CHECK(run.bytes == 100 && (uintptr_t)run.ptr % alignment == 0);
    cl_free(run);
  }
  const size_t wrong[] = {0, 3, 24, (size_t)cl_max_alignment * 2};
  for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); ++i) {
    cl_run run = nothing;
    CHECK(cl_allocate_aligned(100, wrong[i], &run) == cl_bad_argument);
    CHECK(cl_allocate_at_least(100, wrong[i], &run) == cl_bad_argument);
    CHECK(same(run, nothing));
  }
  CHECK(cl_live_bytes() == 0);
}

static void at_least_gives_the_spare_room_to_the_run(void) {
  for (size_t bytes = 1; bytes < 20000; bytes += 37) {
    cl_run run;
    CHECK(cl_allocate_at_least(bytes, cl_default_alignment, &run) == cl_ok);
    CHECK(run.bytes >= bytes);
    CHECK(cl_live_bytes() == run.bytes);
    memset(run.ptr, 1, run.bytes);
    cl_free(run);
  }
  CHECK(cl_live_bytes() == 0);
}

static void too_much_is_an_answer_and_changes_nothing(void) {
  cl_run run = nothing;
  CHECK(cl_allocate(SIZE_MAX / 2, &run) == cl_out_of_memory);
  CHECK(cl_allocate(SIZE_MAX, &run) == cl_out_of_memory);
  CHECK(cl_allocate_at_least(SIZE_MAX, cl_default_alignment, &run) == cl_out_of_memory);
  CHECK(same(run, nothing));
  cl_free(made(64));
}

static void cut_and_join_are_arithmetic(void) {
  const cl_run whole = made(1000);
  for (size_t at = 0; at <= whole.bytes; ++at) {
    cl_run left = nothing;
    cl_run right = nothing;
    CHECK(cl_cut(whole, at, &left, &right) == cl_ok);
    CHECK(lies_at(left, &whole, 0, at));
    CHECK(lies_at(right, &whole, at, 1000));
    CHECK(cl_join(left, right, &left) == cl_ok);
    CHECK(same(left, whole));
  }
  cl_run left = nothing;
  cl_run right = nothing;
  CHECK(cl_cut(whole, 1001, &left, &right) == cl_out_of_range);
  CHECK(same(left, nothing) && same(right, nothing));
  CHECK(cl_live_bytes() == 1000);
  cl_free(whole);
}

static void results_may_overwrite_the_arguments(void) {
  cl_run left = made(64);
  const cl_run whole = left;
  cl_run right;
  CHECK(cl_cut(left, 20, &left, &right) == cl_ok);
  CHECK(lies_at(left, &whole, 0, 20) && lies_at(right, &whole, 20, 64));
  CHECK(cl_join(left, right, &right) == cl_ok);
  CHECK(same(right, whole));
  cl_free(right);
}

static void only_neighbours_join(void) {
  const cl_run whole = made(300);
  cl_run left;
  cl_run middle;
  cl_run right;
  CHECK(cl_cut(whole, 100, &left, &right) == cl_ok);
  CHECK(cl_cut(right, 100, &middle, &right) == cl_ok);
  cl_run out = nothing;
  CHECK(cl_join(left, right, &out) == cl_not_neighbours);
  CHECK(cl_join(middle, left, &out) == cl_not_neighbours);
  CHECK(same(out, nothing));
  CHECK(cl_join(middle, right, &out) == cl_ok && lies_at(out, &whole, 100, 300));
  CHECK(cl_join(left, out, &out) == cl_ok && same(out, whole));
  cl_free(out);
}

static void empty_runs_are_neutral(void) {
  const cl_run run = made(10);
  const cl_run somewhere = {(char*)run.ptr + 5, 0};
  cl_run out = nothing;
  CHECK(cl_join(run, nothing, &out) == cl_ok && same(out, run));
  CHECK(cl_join(nothing, run, &out) == cl_ok && same(out, run));
  CHECK(cl_join(run, somewhere, &out) == cl_ok && same(out, run));
  CHECK(cl_join(somewhere, run, &out) == cl_ok && same(out, run));
  CHECK(cl_join(nothing, nothing, &out) == cl_ok && out.bytes == 0);
  cl_run left;
  cl_run right;
  CHECK(cl_cut(nothing, 0, &left, &right) == cl_ok && left.bytes == 0 && right.bytes == 0);
  cl_free(run);
}

static void any_piece_is_freed_on_its_own(void) {
  const size_t bytes = 3 * 4096 + 77;
  for (size_t at = 1; at < bytes; at += 101) {
    cl_run left;
    cl_run right;
    CHECK(cl_cut(made(bytes), at, &left, &right) == cl_ok);
    cl_free(at % 2 == 0 ? left : right);
    CHECK(cl_live_bytes() == (at % 2 == 0 ? bytes - at : at));
    cl_free(at % 2 == 0 ? right : left);
    CHECK(cl_live_bytes() == 0);
  }
}

static void shrink_frees_the_tail_and_extend_takes_it_back(void) {
  const size_t bytes = 8 * 4096;
  cl_run run = made(bytes);
  const cl_run whole = run;
  memset(run.ptr, 0x77, 4096);
  CHECK(cl_shrink(run, bytes + 1, &run) == cl_out_of_range && same(run, whole));
  CHECK(cl_shrink(run, 4096, &run) == cl_ok && lies_at(run, &whole, 0, 4096));
  CHECK(cl_live_bytes() == 4096);
  cl_purge();
  CHECK(cl_extend(run, 4095, &run) == cl_out_of_range);
  CHECK(cl_extend(nothing, 10, &run) == cl_bad_argument);
  CHECK(cl_extend(run, 4096, &run) == cl_ok);
  CHECK(cl_extend(run, bytes, &run) == cl_ok && same(run, whole));
  for (size_t i = 0; i < 4096; ++i) CHECK(((unsigned char*)run.ptr)[i] == 0x77);

  cl_run left;
  cl_run right;
  CHECK(cl_cut(run, 4096, &left, &right) == cl_ok);
  const cl_run before = left;
  CHECK(cl_extend(left, 4097, &left) == cl_no_room && same(left, before));
  cl_free(right);
  CHECK(cl_shrink(left, 0, &left) == cl_ok && left.bytes == 0);
  CHECK(cl_live_bytes() == 0);
}

int main(void) {
  allocation_gives_exactly_what_was_asked_for();
  no_bytes_are_an_empty_run();
  alignment_is_kept_or_refused();
  at_least_gives_the_spare_room_to_the_run();
  too_much_is_an_answer_and_changes_nothing();
  cut_and_join_are_arithmetic();
  results_may_overwrite_the_arguments();
  only_neighbours_join();
  empty_runs_are_neutral();
  any_piece_is_freed_on_its_own();
  shrink_frees_the_tail_and_extend_takes_it_back();
  CHECK(cl_live_bytes() == 0);
  CHECK(cl_verify(NULL, 0) == cl_ok);
  return check_result();
}
