// check_test.cpp -- a failed check says what and where, and stops the program.
#include "base/check.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace cleave {
namespace {

TEST(Check, ofATrueConditionIsEvaluatedOnceAndDoesNothing) {
  int evaluated = 0;
  CLEAVE_CHECK(++evaluated == 1, "the condition holds");
  EXPECT_EQ(evaluated, 1);
}

TEST(CheckDeathTest, ofAFalseConditionSaysWhatAndWhereInOneLine) {
  EXPECT_DEATH(CLEAVE_CHECK(1 > 2, "one is not more than two"),
               "^cleave: one is not more than two \\([^ ]*check_test.cpp:[0-9]+\\)\n$");
}

TEST(CheckDeathTest, endsByAnAbort) {
  EXPECT_EXIT(CLEAVE_CHECK(false, "no"), testing::KilledBySignal(SIGABRT), "cleave: no");
}

TEST(DcheckDeathTest, isACheckInCheckedBuildsAndIsNotEvaluatedInOthers) {
  int evaluated = 0;
  CLEAVE_DCHECK(++evaluated == 1, "the condition holds");
#if CLEAVE_CHECKED
  EXPECT_EQ(evaluated, 1);
  EXPECT_DEATH(CLEAVE_DCHECK(1 > 2, "only in checked builds"), "cleave: only in checked builds");
#else
  EXPECT_EQ(evaluated, 0);
  CLEAVE_DCHECK(1 > 2, "only in checked builds");
#endif
}

}  // namespace
}  // namespace cleave
