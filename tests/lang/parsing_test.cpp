// parsing_test.cpp -- coroutines that nest without a stack.
#include "lang/parsing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace cleave::lang {
namespace {

using testing::ElementsAre;

class counter {
 public:
  parsing_stack& steps() { return steps_; }

  parsing<int> depth(int levels) {
    if (levels == 0) co_return 0;
    const int below = co_await depth(levels - 1);
    co_return below + 1;
  }

  // Says when it begins and when its variables go away.
  struct witness {
    counter* owner;
    int level;
    witness(counter* of, int at) : owner(of), level(at) { ++owner->alive; }
    witness(const witness&) = delete;
    witness& operator=(const witness&) = delete;
    ~witness() {
      --owner->alive;
      owner->ended.push_back(level);
    }
  };

  parsing<int> fail_at(int level) {
    const witness here(this, level);
    if (level == 0) {
      co_await steps_.failure();
      ended.push_back(200);  // nobody comes back
      co_return 0;
    }
    const int below = co_await fail_at(level - 1);
    ended.push_back(100);
    co_return below;
  }

  parsing<int> catches() {
    const witness here(this, 50);
    const std::optional<int> first = co_await attempt(fail_at(2));
    const std::optional<int> second = co_await attempt(depth(3));
    co_return (first ? 1000 : 0) + second.value_or(500);
  }

  parsing<int> throws() {
    const witness here(this, 0);
    if (alive > 0) throw std::string("lost");
    co_return 0;
  }
  parsing<int> calls_throws() {
    const witness here(this, 1);
    co_return co_await throws();
  }

  int alive = 0;
  std::vector<int> ended;

 private:
  parsing_stack steps_;
};

// P2
TEST(Parsing, nestsWithoutTheStack) {
  counter one;
  EXPECT_EQ(one.steps().run(one.depth(200'000)), 200'000);
}

// P1
TEST(Parsing, endsAllBelowTheAttemptInnermostFirst) {
  counter one;
  EXPECT_EQ(one.steps().run(one.catches()), 3);
  EXPECT_THAT(one.ended, ElementsAre(0, 1, 2, 50));
  EXPECT_EQ(one.alive, 0);
}

TEST(Parsing, givesNothingIfNobodyCatches) {
  counter one;
  EXPECT_EQ(one.steps().run(one.fail_at(3)), std::nullopt);
  EXPECT_THAT(one.ended, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(one.steps().run(one.depth(2)), 2);
}

TEST(Parsing, letsExceptionsThroughAndCleansUp) {
  std::optional<counter> one(std::in_place);
  EXPECT_THROW(one->steps().run(one->calls_throws()), std::string);
  one.reset();  // the address sanitizer tells of what is left
}

}  // namespace
}  // namespace cleave::lang
