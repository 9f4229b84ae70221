// array_loops_test.cpp -- which loops are seen to move in even steps, and what is emitted.
#include "lang/array_loops.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lang/elaborated.hpp"
#include "lang/front_end.hpp"

namespace cleave::lang {
namespace {

// The last def of a text, as it is emitted.
class loop_of {
 public:
  explicit loop_of(const std::string& text) : program_(with_main(text)) {
    const std::size_t def = text.rfind("def ") + 4;
    const std::string name = text.substr(def, text.find('(', def) - def);
    if (!program_.found.empty()) {
      ADD_FAILURE() << program_.said()[0];
      return;
    }
    own(program_.made);
    EXPECT_EQ(core::check(program_.made, true), "");
    const layouts shapes(program_.made);
    for (const core::function& one : program_.made.functions) {
      if (one.name == name) loop.emplace(one, shapes);
    }
    EXPECT_TRUE(loop.has_value());
  }

  [[nodiscard]] bool found() const { return loop->found(); }
  // The step of a parameter; 0 if it has none.
  [[nodiscard]] std::int64_t step(const std::string& parameter) const {
    for (const loop_step& one : loop->steps) {
      if (one.parameter->name == parameter) return one.by;
    }
    return 0;
  }
  [[nodiscard]] std::string code() const { return emit(program_.made, {}); }

  std::optional<array_loop> loop;

 private:
  elaborated program_;
};

const std::string fall =
    "def fall(n: Nat, a: Array<U32>) -> Array<U32>:\n"
    "  match n:\n"
    "    case 0n: a\n"
    "    case 1n++p:\n"
    "      +i = U32.from_nat(p)\n"
    "      (a, x) = a[i]\n"
    "      fall(p, a[i] <- (x * 3 + i : U32))\n";

TEST(ArrayLoop, anIndexFollowsItsCounter) {
  const loop_of one(fall);
  EXPECT_TRUE(one.found());
  EXPECT_EQ(one.step("n"), -1);
  ASSERT_EQ(one.loop->slots.size(), 1U);
  EXPECT_EQ(one.loop->slots[0].step, -1);
  EXPECT_EQ(one.loop->slots[0].width, 0U);
  // The first index is n - 1.
  EXPECT_EQ(one.loop->slots[0].first.constant, std::int64_t{UINT32_MAX});
  EXPECT_EQ(one.loop->accesses.size(), 2U);
}

TEST(ArrayLoop, neighboursOfAnArrayThatIsWrittenShareTheirSlots) {
  const loop_of one(
      "def blur(n: Nat, a: Array<U32>) -> Array<U32>:\n"
      "  match n:\n"
      "    case 0n: a\n"
      "    case 1n++p:\n"
      "      +i = U32.from_nat(p)\n"
      "      (a, x) = a[i + 2]\n"
      "      (a, y) = a[i - 1]\n"
      "      blur(p, a[i] <- (x + y : U32))\n");
  ASSERT_EQ(one.loop->slots.size(), 1U);
  EXPECT_EQ(one.loop->slots[0].width, 3U);
  std::vector<std::uint32_t> offsets;
  for (const auto& [what, access] : one.loop->accesses) offsets.push_back(access.offset);
  std::sort(offsets.begin(), offsets.end());
  EXPECT_EQ(offsets, (std::vector<std::uint32_t>{0, 1, 3}));
}

TEST(ArrayLoop, indicesOfAnArrayThatIsOnlyReadHaveSlotsOfTheirOwn) {
  const loop_of one(
      "type Two is Type:\n"
      "  Two{from: Array<U32>, to: Array<U32>}\n"
      "def pick(n: Nat, t: Two) -> Two:\n"
      "  match n t:\n"
      "    case 0n t: t\n"
      "    case 1n++p Two{from, to}:\n"
      "      +i = U32.from_nat(p)\n"
      "      (from, x) = from[i + 1]\n"
      "      (from, y) = from[i - 1]\n"
      "      pick(p, Two{from, to[i] <- (x + y : U32)})\n");
  EXPECT_TRUE(one.found());
  EXPECT_EQ(one.loop->slots.size(), 3U);
  for (const loop_slots& slots : one.loop->slots) EXPECT_EQ(slots.width, 0U);
}

TEST(ArrayLoop, anIndexMayRiseByItself) {
  const loop_of one(
      "def rise(n: Nat, +at: U32, a: Array<U32>) -> Array<U32>:\n"
      "  match n:\n"
      "    case 0n: a\n"
      "    case 1n+p: rise(p, (at + 3 : U32), a[at * 2] <- at)\n");
  EXPECT_TRUE(one.found());
  EXPECT_EQ(one.step("at"), 3);
  ASSERT_EQ(one.loop->slots.size(), 1U);
  EXPECT_EQ(one.loop->slots[0].step, 6);
}

TEST(ArrayLoop, numbersThatStayAreAPartOfTheFirstIndex) {
  const loop_of one(
      "def row(n: Nat, +y: U32, +bits: Nat, a: Array<U32>) -> Array<U32>:\n"
      "  match n:\n"
      "    case 0n: a\n"
      "    case 1n++p: row(p, y, bits, a[(y << bits) + U32.from_nat(p)] <- y)\n");
  EXPECT_TRUE(one.found());
  ASSERT_EQ(one.loop->slots.size(), 1U);
  EXPECT_EQ(one.loop->slots[0].first.factors.size(), 2U);
}

TEST(ArrayLoop, aDecisionIsAPartOfItsLoop) {
  const loop_of one(
      "law find:\n"
      "  for n: Nat\n"
      "  for +at: U32\n"
      "  for a: Array<U32>\n"
      "  U32\n"
      "def find.at(there: Bool, n: Nat, +at: U32, a: Array<U32>) -> U32:\n"
      "  match there:\n"
      "    case True{}: at\n"
      "    case False{}: find(n, (at + 1 : U32), a)\n"
      "def find(n, at, a):\n"
      "  match n:\n"
      "    case 0n: 0\n"
      "    case 1n+p:\n"
      "      (a, x) = a[at]\n"
      "      find.at((x > 9 : U32), p, at, a)\n");
  EXPECT_TRUE(one.found());
  EXPECT_EQ(one.step("at"), 1);
}

TEST(ArrayLoop, arraysThatChangePlacesDoNotStay) {
  const loop_of one(
      "def weave(n: Nat, a: Array<U32>, b: Array<U32>) -> Array<U32>:\n"
      "  match n:\n"
      "    case 0n: a\n"
      "    case 1n++p: weave(p, b[U32.from_nat(p)] <- 1, a)\n");
  EXPECT_FALSE(one.found());
}

TEST(ArrayLoop, aCopyOfAnArrayIsAnotherArray) {
  const loop_of one(
      "def copies(n: Nat, a: Array<U32>) -> Array<U32>:\n"
      "  match n:\n"
      "    case 0n: a\n"
      "    case 1n++p:\n"
      "      (a, b) = Array.clone(U32, a)\n"
      "      copies(p, b[U32.from_nat(p)] <- 1)\n");
  EXPECT_FALSE(one.found());
}

TEST(ArrayLoop, aCounterThatFallsUnevenlyIsNone) {
  const loop_of one(
      "law jump:\n"
      "  for n: Nat\n"
      "  for a: Array<U32>\n"
      "  Array<U32>\n"
      "def jump.by(even: Bool, n: Nat, a: Array<U32>) -> Array<U32>:\n"
      "  match even n:\n"
      "    case True{} 1n+p: jump(p, a)\n"
      "    case _ p: jump(p, a)\n"
      "def jump(n, a):\n"
      "  match n:\n"
      "    case 0n: a\n"
      "    case 1n++p: jump.by(U32.is_even(U32.from_nat(p)), p, a[U32.from_nat(p)] <- 1)\n");
  EXPECT_FALSE(one.found());
}

TEST(ArrayLoop, anIndexThatIsNoSumIsNotStraight) {
  const loop_of one(
      "def squares(n: Nat, a: Array<U32>) -> Array<U32>:\n"
      "  match n:\n"
      "    case 0n: a\n"
      "    case 1n++p:\n"
      "      +i = U32.from_nat(p)\n"
      "      squares(p, a[i * i] <- i)\n");
  EXPECT_FALSE(one.found());
  EXPECT_EQ(one.step("n"), -1);
}

TEST(ArrayLoop, isNotFoundWhereOneIndexMustBeWrapped) {
  const loop_of one(
      "def scatter(n: Nat, a: Array<U32>, b: Array<U32>) -> Array<U32>:\n"
      "  match n:\n"
      "    case 0n: b\n"
      "    case 1n++p:\n"
      "      (a, +x) = a[U32.from_nat(p)]\n"
      "      scatter(p, a, b[x] <- x)\n");
  EXPECT_FALSE(one.found());
  EXPECT_EQ(one.loop->accesses.size(), 1U);
}

TEST(ArrayLoop, isWrittenWithSlotsAndWithWrappedIndices) {
  const std::string code = loop_of(fall).code();
  EXPECT_NE(code.find("straight_slots<-1, 0u>("), std::string::npos);
  EXPECT_NE(code.find("Array_set_slot<u32>("), std::string::npos);
  EXPECT_NE(code.find("Array_set<u32>("), std::string::npos);
}

}  // namespace
}  // namespace cleave::lang
