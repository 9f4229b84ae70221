// resolve_laws_test.cpp -- laws, the defs that fill them, and proofs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked.hpp"

namespace cleave::lang {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using files = std::map<std::string, std::string>;

TEST(Laws, giveTheirDefMarksAndTypes) {
  const checked one("law f:\n  for +x: U32\n  for y: Nat\n  Nat\ndef f(a, b):\n  b\n");
  EXPECT_THAT(one.said(), IsEmpty());
  const def_decl& def = one.def("f");
  ASSERT_NE(def.law, nullptr);
  EXPECT_EQ(def.law->filled_by, &def);
  EXPECT_EQ(def.how(0), mark::reusable);
  EXPECT_EQ(as<name_term>(def.type_of(1))->name, "Nat");
  EXPECT_EQ(as<name_term>(def.result_type())->name, "Nat");
}

TEST(Laws, standForTheirDefBeforeItComes) {
  const checked one("law f:\n  U32\ndef g() -> U32:\n  f()\ndef f():\n  1\n");
  EXPECT_THAT(one.said(), IsEmpty());
  const auto& call = *as<call_term>(one.def("g").body);
  EXPECT_EQ(as<name_term>(call.callee)->def, &one.def("f"));
}

TEST(Laws, haveOneDef) {
  EXPECT_THAT(checked("law f:\n  U32\ndef f():\n  1\ndef f():\n  2\n").said(),
              ElementsAre("5:5 f: expected one def for the law 'f', observed a second one"));
}

TEST(Laws, haveADefWithAsManyParameters) {
  EXPECT_THAT(checked("law f:\n  for x: U32\n  U32\ndef f(x, y):\n  x\n").said(),
              ElementsAre("4:5 f: expected f with 1 parameter (one per clause of its law), "
                          "observed 2 parameters"));
}

TEST(Laws, haveADefWithoutTypesAndMarks) {
  EXPECT_THAT(checked("law f:\n  for x: U32\n  U32\ndef f(+x):\n  x\n").said(),
              ElementsAre("4:8 f: expected a bare name (the law has the types and marks), "
                          "observed 'x' with a mark"));
}

TEST(Laws, areNotFilledByADefWithAResult) {
  EXPECT_THAT(checked("law f:\n  U32\ndef f() -> U32:\n  1\n").said(),
              ElementsAre("3:5: expected a fresh name (duplicate declaration: f), observed 'f'"));
}

TEST(Laws, areWantedByADefWithoutResult) {
  EXPECT_THAT(
      checked("def f(x):\n  x\n").said(),
      ElementsAre(
          "1:5 f: expected a law 'f' (a def without '->' fills one), observed no such law"));
}

TEST(Laws, mayBeFilledByAnImportingFile) {
  const checked one(
      files{{"main.bend",
             "import ./a.bend as A\ndef A.pick(x, y):\n  y\ndef main() -> U32:\n  A.go(1)\n"},
            {"a.bend",
             "law pick:\n  for x: U32\n  for y: U32\n  U32\n"
             "def go(+n: U32) -> U32:\n  pick(n, n)\n"}});
  EXPECT_THAT(one.said(), IsEmpty());
  const auto& call = *as<call_term>(one.def("go", "a.bend").body);
  EXPECT_EQ(as<name_term>(call.callee)->def, &one.def("A.pick"));
}

TEST(Laws, ofOtherFilesMustBeThere) {
  const checked one(files{{"main.bend", "import ./a.bend as A\ndef A.pick(x):\n  x\n"},
                          {"a.bend", "def pick(x: U32) -> U32:\n  x\n"}});
  EXPECT_THAT(one.said(), ElementsAre("2:5 A.pick: expected a law 'A.pick' (a def without '->' "
                                      "fills one), observed no such law"));
}

TEST(Laws, withoutADefMayNotBeCalledByCodeThatRuns) {
  const std::string text = "law f:\n  U32\ndef g() -> U32:\n  f()\ndef main() -> U32:\n  ";
  EXPECT_THAT(checked(text + "g()\n").said(),
              ElementsAre("4:3 g: expected a def that fills the law 'f', "
                          "observed a call, and no such def"));
  EXPECT_THAT(checked(text + "1\n").said(), IsEmpty());
}

TEST(Laws, mayWaitForADefWhereThereIsNoMain) {
  EXPECT_THAT(checked("law f:\n  U32\ndef g() -> U32:\n  f()\n").said(), IsEmpty());
}

TEST(Laws, mayNameEarlierClausesInTheirTypes) {
  EXPECT_THAT(said_of("law f:\n  for -A: Data\n  for x: A\n  List<&2, A>\ndef f(A, x):\n  [x]\n"),
              IsEmpty());
}

// ---- Proofs ----------------------------------------------------------------------

TEST(Proofs, areSkippedWithANote) {
  const checked one(
      "import Base\n"
      "law twice:\n  for n: Nat\n  {Nat.add(n, n) == Nat.double(n) : Nat}\n"
      "def twice(n):\n  nobody(knows)\n"
      "def same(n: Nat) -> {n == n : Nat}:\n  {==}\n"
      "def main() -> U32:\n  1\n");
  EXPECT_THAT(one.said(), IsEmpty());
  EXPECT_TRUE(one.file("main.bend").tree.laws[0]->proof);
  EXPECT_TRUE(one.def("twice").proof);
  EXPECT_TRUE(one.def("same").proof);
  EXPECT_FALSE(one.def("main").proof);
  EXPECT_THAT(one.found.notes(), ElementsAre("main.bend: skipped 2 proofs: twice, same"));
}

TEST(Proofs, mayStayWithoutDef) {
  EXPECT_THAT(said_of("law same:\n  for n: Nat\n  {n == n : Nat}\n"), IsEmpty());
}

TEST(Proofs, areRefusedInCodeThatRuns) {
  const std::string text =
      "import Base\ndef same(n: Nat) -> {n == n : Nat}:\n  {==}\n"
      "def use(e: Nat) -> Nat:\n  e\n"
      "def g(n: Nat) -> Nat:\n  use(same(n))\ndef h() -> Nat:\n  use({==})\n"
      "def main() -> Nat:\n  ";
  EXPECT_THAT(checked(text + "g(1n)\n").said(),
              ElementsAre("7:7 g: proof terms are not supported: same"));
  EXPECT_THAT(checked(text + "h\n").said(),
              ElementsAre("9:7 h: proof terms are not supported: {==}"));
  EXPECT_THAT(checked(text + "1n\n").said(), IsEmpty());
}

TEST(Proofs, mayBeErasedArguments) {
  EXPECT_THAT(said_of("def same(n: Nat) -> {n == n : Nat}:\n  {==}\n"
                      "def use(-n: Nat, -e: {n == n : Nat}, x: U32) -> U32:\n  x\n"
                      "def main() -> U32:\n  use(1n, same(1n), use(2n, {==}, 3))\n"),
              IsEmpty());
}

TEST(Proofs, mayBeInTypes) {
  EXPECT_THAT(said_of("def Same(a: Nat, b: Nat) -> Type:\n  {a == b : Nat}\n"
                      "def main() -> U32:\n  1\n"),
              IsEmpty());
}

TEST(Proofs, areRefusedAsMain) {
  EXPECT_THAT(said_of("law main:\n  {1n == 1n : Nat}\ndef main():\n  {==}\n"),
              ElementsAre("4:5 main: proof terms are not supported: main"));
}

TEST(Main, hasNoParameters) {
  EXPECT_THAT(said_of("def main(x: U32) -> U32:\n  x\n"),
              ElementsAre("2:5 main: expected main without parameters, observed 1"));
}

}  // namespace
}  // namespace cleave::lang
