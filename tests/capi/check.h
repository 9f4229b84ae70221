/* check.h -- the one macro that the tests in C are written with.
 *
 *   int main(void) {
 *     CHECK(cl_live_bytes() == 0);
 *     return check_result();
 *   }
 */
#ifndef CLEAVE_TESTS_CAPI_CHECK_H
#define CLEAVE_TESTS_CAPI_CHECK_H

#include <stdio.h>

static int check_failures = 0;

#define CHECK(condition)                                                             \
  do {                                                                               \
    if (!(condition)) {                                                              \
      ++check_failures;                                                              \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
    }                                                                                \
  } while (0)

static inline int check_result(void) {
  if (check_failures != 0) fprintf(stderr, "%d checks failed\n", check_failures);
  return check_failures == 0 ? 0 : 1;
}

#endif /* CLEAVE_TESTS_CAPI_CHECK_H */
