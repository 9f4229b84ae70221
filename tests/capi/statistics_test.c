/* statistics_test.c -- looking at the heap from C: numbers, checks, texts. */
#include <cleave.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static cl_statistics read_statistics(void) {
  cl_statistics now;
  now.size = sizeof(now);
  CHECK(cl_get_statistics(&now) == cl_ok);
  CHECK(now.size == sizeof(now));
  return now;
}

static void numbers_follow_the_runs(void) {
  const cl_statistics before = read_statistics();
  cl_run left;
  cl_run right;
  CHECK(cl_allocate(100000, &left) == cl_ok);
  CHECK(cl_cut(left, 12345, &left, &right) == cl_ok);
  cl_free(right);
  const cl_statistics after = read_statistics();
  CHECK(after.live == 12345);
  CHECK(after.live == cl_live_bytes());
  CHECK(after.held >= after.live);
  CHECK(after.peak_held >= after.held);
  CHECK(after.allocations == before.allocations + 1);
  CHECK(after.frees == before.frees + 1);
  CHECK(after.held_limit == SIZE_MAX);
  CHECK(after.reserved >= after.committed && after.committed >= after.held);
  cl_free(left);
  CHECK(read_statistics().frees == before.frees + 2);
}

static void free_blocks_hold_the_free_bytes(void) {
  const cl_statistics now = read_statistics();
  size_t blocks = 0;
  for (int order = 0; order < cl_order_count; ++order) blocks += now.free_blocks[order];
  CHECK(blocks > 0);
  CHECK(now.largest_free > 0 && now.largest_free <= now.reserved);
}

static void classes_count_the_slots_in_use(void) {
  enum { count = 1000, bytes = 48 };
  cl_run runs[count];
  for (int i = 0; i < count; ++i) CHECK(cl_allocate(bytes, &runs[i]) == cl_ok);
  size_t classes = 0;
  CHECK(cl_get_class_statistics(NULL, 0, &classes) == cl_ok);
  CHECK(classes > 0 && classes <= 256);
  cl_class_statistics table[256];
  CHECK(cl_get_class_statistics(table, 256, &classes) == cl_ok);
  size_t at_least_that_size = 0;
  for (size_t i = 0; i < classes; ++i) {
    CHECK(table[i].slots_used <= table[i].slots);
    if (i > 0) CHECK(table[i - 1].slot_bytes < table[i].slot_bytes);
    if (table[i].slot_bytes >= bytes && at_least_that_size == 0) {
      at_least_that_size = table[i].slots_used;
    }
  }
  CHECK(at_least_that_size >= count);
  for (int i = 0; i < count; ++i) cl_free(runs[i]);

  cl_class_statistics guard = {1, 2, 3, 4};
  size_t again = 0;
  CHECK(cl_get_class_statistics(&guard, 0, &again) == cl_ok);
  CHECK(again == classes && guard.slot_bytes == 1 && guard.slots_used == 4);
}

struct later_statistics {
  cl_statistics known;
  uint64_t added;
};

static void structs_of_other_versions_are_filled_to_their_end_and_no_further(void) {
  struct later_statistics later;
  memset(&later, 0x7F, sizeof(later));
  later.known.size = sizeof(later);
  CHECK(cl_get_statistics(&later.known) == cl_ok);
  CHECK(later.known.size == sizeof(later));
  CHECK(later.known.live == cl_live_bytes());
  CHECK(later.added == 0);

  memset(&later, 0x7F, sizeof(later));
  later.known.size = sizeof(cl_statistics);
  CHECK(cl_get_statistics(&later.known) == cl_ok);
  CHECK(later.added == 0x7F7F7F7F7F7F7F7F);

  cl_statistics older;
  memset(&older, 0x7F, sizeof(older));
  older.size = sizeof(size_t);
  CHECK(cl_get_statistics(&older) == cl_bad_argument);
  CHECK(older.live == (size_t)0x7F7F7F7F7F7F7F7F);
}

static void texts_say_the_numbers_and_how_long_they_are(void) {
  static char text[65536];
  cl_run run;
  CHECK(cl_allocate(54321, &run) == cl_ok);
  size_t needed = 0;
  CHECK(cl_statistics_as_json(text, sizeof(text), &needed) == cl_ok);
  CHECK(needed == strlen(text) + 1);
  CHECK(strncmp(text, "{\"live_bytes\":54321,", 20) == 0);
  CHECK(text[needed - 2] == '}');
  CHECK(cl_statistics_as_prometheus(text, sizeof(text), &needed) == cl_ok);
  CHECK(needed == strlen(text) + 1);
  CHECK(strstr(text, "\ncleave_heap_live_bytes 54321\n") != NULL);
  cl_free(run);
}

static void a_text_that_does_not_fit_is_cut(void) {
  static char text[65536];
  char small[8];
  memset(small, 'x', sizeof(small));
  size_t whole = 0;
  size_t needed = 0;
  CHECK(cl_statistics_as_json(text, sizeof(text), &whole) == cl_ok);
  CHECK(cl_statistics_as_json(small, 6, &needed) == cl_ok);
  CHECK(needed == whole);
  CHECK(strcmp(small, "{\"liv") == 0 && small[6] == 'x');
  CHECK(cl_statistics_as_json(NULL, 0, &needed) == cl_ok);
  CHECK(needed == whole);
  /* Exactly enough, and one byte less. */
  CHECK(cl_statistics_as_json(text, whole, &needed) == cl_ok);
  CHECK(text[whole - 2] == '}' && text[whole - 1] == '\0');
  CHECK(cl_statistics_as_json(text, whole - 1, &needed) == cl_ok);
  CHECK(text[whole - 3] != '\0' && text[whole - 2] == '\0');
}

static void a_sound_heap_has_nothing_to_say(void) {
  char text[16] = "not yet written";
  CHECK(cl_verify(text, sizeof(text)) == cl_ok);
  CHECK(text[0] == '\0' && text[1] == 'o');
  CHECK(cl_verify(NULL, 0) == cl_ok);
}

static void every_code_has_its_own_text(void) {
  for (int a = cl_ok; a <= cl_corrupt; ++a) {
    const char* const text = cl_status_text((cl_status)a);
    CHECK(text != NULL && text[0] != '\0');
    for (int b = cl_ok; b < a; ++b) CHECK(strcmp(text, cl_status_text((cl_status)b)) != 0);
  }
  CHECK(strcmp(cl_status_text((cl_status)(cl_corrupt + 1)), "unknown status code") == 0);
}

static void the_version_has_three_numbers(void) {
  int major = -1;
  int minor = -1;
  int patch = -1;
  char rest = '\0';
  CHECK(sscanf(cl_version(), "%d.%d.%d%c", &major, &minor, &patch, &rest) == 3);
  CHECK(major >= 0 && minor >= 0 && patch >= 0);
}

static void addresses_outside_are_not_contained(void) {
  int local = 0;
  CHECK(cl_contains(&local) == 0);
  CHECK(cl_contains(NULL) == 0);
}

int main(void) {
  numbers_follow_the_runs();
  free_blocks_hold_the_free_bytes();
  classes_count_the_slots_in_use();
  structs_of_other_versions_are_filled_to_their_end_and_no_further();
  texts_say_the_numbers_and_how_long_they_are();
  a_text_that_does_not_fit_is_cut();
  a_sound_heap_has_nothing_to_say();
  every_code_has_its_own_text();
  the_version_has_three_numbers();
  addresses_outside_are_not_contained();
  CHECK(cl_live_bytes() == 0);
  return check_result();
}
