// resolve_names_test.cpp -- what a name stands for, and names that are declared twice.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "checked.hpp"

namespace cleave::lang {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using files = std::map<std::string, std::string>;

const name_term& name_in(const def_decl& def) {
  return *as<name_term>(def.body);
}

TEST(Names, areVariablesBeforeTheyAreDefs) {
  const checked one("def x() -> U32:\n  1\ndef f(x: U32) -> U32:\n  x\ndef g() -> U32:\n  x\n");
  EXPECT_THAT(one.said(), IsEmpty());
  EXPECT_EQ(name_in(one.def("f")).local, one.def("f").parameters[0].name);
  EXPECT_EQ(name_in(one.def("f")).def, nullptr);
  EXPECT_EQ(name_in(one.def("g")).def, &one.def("x"));
}

TEST(Names, areThoseOfTheInnermostBinder) {
  const checked one("def f(x: U32) -> U32:\n  x = x\n  x\n");
  EXPECT_THAT(one.said(), IsEmpty());
  const auto& block = *as<block_term>(one.def("f").body);
  const auto& first = *as<name_term>(block.statements[0].values[0]);
  EXPECT_EQ(first.local, one.def("f").parameters[0].name);
  EXPECT_EQ(as<name_term>(block.result)->local, block.statements[0].names[0]);
}

TEST(Names, ofAParallelLetAreBoundTogether) {
  EXPECT_THAT(said_of("def f(+x: U32) -> U32:\n  a b = x a\n  b\n"),
              ElementsAre("3:11 f: expected a defined name, observed 'a'"));
}

TEST(Names, endWithTheirRowLambdaAndBlock) {
  EXPECT_THAT(said_of("def f(n: Nat) -> Nat:\n  match n:\n    case 0n: p\n    case 1n+p: p\n"),
              ElementsAre("4:14 f: expected a defined name, observed 'p'"));
  EXPECT_THAT(said_of("def f() -> U32 & U32:\n  (x => x, x)\n"),
              ElementsAre("3:12 f: expected a defined name, observed 'x'"));
  EXPECT_THAT(said_of("def f() -> U32 & U32:\n  ((y = 1; y), y)\n"),
              ElementsAre("3:16 f: expected a defined name, observed 'y'"));
}

TEST(Names, ofDefsMayComeLater) {
  EXPECT_THAT(said_of("def f(n: Nat) -> Nat:\n  g(n)\ndef g(n: Nat) -> Nat:\n  f(n)\n"), IsEmpty());
}

TEST(Names, ofAnIgnoredBinderAreNoNames) {
  EXPECT_THAT(said_of("def f(_: U32) -> U32:\n  _\n"),
              ElementsAre("3:3 f: expected a defined name, observed '_'"));
}

TEST(Names, ofBaseNeedItsImport) {
  const checked one("def f(x: U32) -> U32:\n  U32.inc(x)\n");
  EXPECT_THAT(one.said(), ElementsAre("2:3 f: expected a defined name, observed 'U32.inc'"));
  EXPECT_THAT(one.remarks(),
              ElementsAre("Base has it: write 'import Base' at the top of the file"));
}

TEST(Names, ofBuiltinTypesNeedNoImport) {
  EXPECT_THAT(checked("def f(a: Array<Nat>, s: String, c: Char, x: F32) -> IO(U32):\n  f\n").said(),
              IsEmpty());
}

TEST(Names, behindAnAliasAreThoseOfItsFileAlone) {
  const checked one(files{{"main.bend",
                           "import Base\nimport ./a.bend as A\n"
                           "def f() -> A.Two:\n  A.Pick{A.one, 1}\n"
                           "def g(t: A.Two) -> U32:\n  match t:\n"
                           "    case A.Pick{a, b}: a\n"
                           "def h() -> U32:\n  A.U32.inc(1)\n"},
                          {"a.bend",
                           "import Base\ntype Two is Data:\n  Pick{l: U32, r: U32}\n"
                           "def one() -> U32:\n  1\n"}});
  EXPECT_THAT(one.said(), ElementsAre("9:3 h: expected a defined name, observed 'A.U32.inc'"));
  const auto& made = *as<construct_term>(one.def("f").body);
  EXPECT_EQ(made.target, one.file("a.bend").tree.types[0]->constructors[0]);
  EXPECT_EQ(as<name_term>(made.arguments[0])->def, &one.def("one", "a.bend"));
}

TEST(Names, areNotSeenInFilesThatImportTheirs) {
  const checked one(files{{"main.bend", "import ./a.bend as A\ndef f() -> U32:\n  one\n"},
                          {"a.bend", "def one() -> U32:\n  1\n"}});
  EXPECT_THAT(one.said(), ElementsAre("3:3 f: expected a defined name, observed 'one'"));
}

TEST(Names, ofDifferentFilesMayBeTheSame) {
  const checked one(
      files{{"main.bend", "import ./a.bend as A\ntype T is Data:\n  C{}\ndef f() -> T:\n  C{}\n"},
            {"a.bend", "type T is Data:\n  C{}\ndef f() -> T:\n  C{}\n"}});
  EXPECT_THAT(one.said(), IsEmpty());
}

TEST(Names, thatAreUnknownGetASuggestion) {
  const checked one("import Base\ndef count(n: Nat) -> Nat:\n  n\ndef f() -> Nat:\n  cuont(1n)\n");
  EXPECT_THAT(one.said(), ElementsAre("5:3 f: expected a defined name, observed 'cuont'"));
  EXPECT_THAT(one.remarks(), ElementsAre("2:5 did you mean 'count'?"));
  const checked constructor("import Base\ndef f() -> Bool:\n  Ture{}\n");
  EXPECT_THAT(
      constructor.said(),
      ElementsAre("3:3 f: expected a declared constructor (unknown: Ture), observed 'Ture'"));
  EXPECT_THAT(constructor.remarks(), ElementsAre(testing::EndsWith("did you mean 'True'?")));
}

TEST(Names, withoutAFamilyAreLookedForInAllOfBase) {
  const checked one("import Base\ndef f() -> IO(Unit):\n  print(\"a\")\n");
  EXPECT_THAT(one.said(), ElementsAre("3:3 f: expected a defined name, observed 'print'"));
  EXPECT_THAT(one.remarks(), ElementsAre(testing::EndsWith("Base has 'IO.print'")));
  const checked several("import Base\ndef f(s: String) -> Nat:\n  length(s)\n");
  EXPECT_THAT(several.remarks(),
              ElementsAre(testing::EndsWith("Base has 'List.length', 'String.length'")));
}

TEST(Names, inFrontOfAnArrowAreTypes) {
  const std::string line = "    x <- IO.pure(U32, 1)\n    IO.print(U32.show(x))\n";
  EXPECT_THAT(said_of("def f() -> IO(Unit):\n  do IO<Unit>:\n" + line),
              ElementsAre("4:5 f: expected a type (a line of a do block says it: x : T <- m), "
                          "observed 'x'"));
  EXPECT_THAT(said_of("def f(x: U32) -> IO(Unit):\n  do IO<Unit>:\n" + line),
              ElementsAre("4:5 f: expected a type (a line of a do block says it: x : T <- m), "
                          "observed 'x'"));
  EXPECT_THAT(said_of("def f(-A: Type, ~B: Type, a: IO(A), b: IO(B)) -> IO(Unit):\n"
                      "  do IO<Unit>:\n    A <- a\n    B <- b\n    Unit <- IO.pass()\n"
                      "    IO.pass()\n"),
              testing::Not(testing::Contains(testing::HasSubstr("expected a type"))));
}

TEST(Names, ofConstructorsNeedTheirBraces) {
  const checked one("import Base\ndef f() -> Bool:\n  True\n");
  EXPECT_THAT(one.said(), ElementsAre("3:3 f: expected a defined name, observed 'True'"));
  EXPECT_THAT(one.remarks(), ElementsAre("a constructor is written with braces: True{...}"));
}

TEST(Names, ofUnsupportedEffectsAreRefused) {
  EXPECT_THAT(said_of("def f() -> IO(Unit):\n  IO.spawn(f)\n"),
              ElementsAre("3:3 f: effect IO.spawn is not supported"));
  EXPECT_THAT(said_of("def f(c: Chan<U32>) -> U32:\n  1\n"),
              ElementsAre("2:10 f: effect Chan is not supported"));
}

TEST(Names, ofAnUnsupportedEffectMayBeTheUsersOwn) {
  EXPECT_THAT(said_of("type Image is Data:\n  Image{}\ndef f() -> U32:\n  Image.size\n"),
              ElementsAre("5:3 f: expected a defined name, observed 'Image.size'"));
}

TEST(Names, inAFileThatTheParserRefusedMayBeLost) {
  const checked one("import Base\ndef f( -> U32:\n  1\ndef g() -> U32:\n  f()\n");
  EXPECT_EQ(one.found.count(), 1U);
}

TEST(Duplicates, ofDefsTypesAndLawsAreRefused) {
  const checked one("def f() -> U32:\n  1\ntype f is Data:\n  C{}\nlaw f:\n  U32\n");
  EXPECT_THAT(one.said(),
              ElementsAre("3:6: expected a fresh name (duplicate declaration: f), observed 'f'",
                          "5:5: expected a fresh name (duplicate declaration: f), observed 'f'"));
}

TEST(Duplicates, ofBaseAreRefused) {
  EXPECT_THAT(said_of("def Nat.add(a: Nat, b: Nat) -> Nat:\n  a\ntype Bool is Data:\n  No{}\n"),
              ElementsAre("2:5: expected a fresh name (duplicate declaration: Nat.add), "
                          "observed 'Nat.add'",
                          "4:6: expected a fresh name (duplicate declaration: Bool), "
                          "observed 'Bool'"));
}

TEST(Duplicates, ofConstructorsAreRefused) {
  EXPECT_THAT(
      said_of("type A is Data:\n  C{}\n  None{}\ntype B is Data:\n  C{}\n"),
      ElementsAre("4:3: expected a fresh name (duplicate declaration: None), observed 'None'",
                  "6:3: expected a fresh name (duplicate declaration: C), observed 'C'"));
}

TEST(Duplicates, ofFieldsAreRefused) {
  EXPECT_THAT(said_of("type A is Data:\n  C{x: U32, x: U32}\n"),
              ElementsAre("3:13: expected a fresh name (duplicate declaration: x), observed 'x'"));
}

TEST(Duplicates, ofOneHeaderAreRefused) {
  const checked one("def f(x: U32, +x: U32) -> U32:\n  x\n");
  EXPECT_THAT(one.said(),
              ElementsAre("1:16 f: expected a fresh name (bound twice here: x), observed 'x'"));
  EXPECT_THAT(one.remarks(), ElementsAre("1:7 bound here before"));
  EXPECT_THAT(said_of("law f:\n  for a: U32\n  for -a: Type\n  U32\ndef f(y, y):\n  y\n"),
              ElementsAre("4:8 f: expected a fresh name (bound twice here: a), observed 'a'",
                          "6:10 f: expected a fresh name (bound twice here: y), observed 'y'"));
  EXPECT_THAT(said_of("type T<a, -A: Kind(a), -A: Type> is Type:\n  C{}\n"),
              ElementsAre("2:25 T: expected a fresh name (bound twice here: A), observed 'A'"));
}

TEST(Duplicates, ofOneLetAreRefused) {
  EXPECT_THAT(said_of("def f() -> U32:\n  a b a = 1 2 3\n  a\n"),
              ElementsAre("3:7 f: expected a fresh name (bound twice here: a), observed 'a'"));
  EXPECT_THAT(said_of("def f(p: U32 & U32 & U32) -> U32:\n  (a, (_, a)) = p\n  a\n"),
              ElementsAre("3:11 f: expected a fresh name (bound twice here: a), observed 'a'"));
}

TEST(Duplicates, ofOneRowAreRefused) {
  EXPECT_THAT(said_of("def f(p: U32, q: Nat) -> U32:\n  match p q:\n    case a 1n+a: 1\n"
                      "    case _ _: 0\n"),
              ElementsAre("4:15 f: expected a fresh name (bound twice here: a), observed 'a'"));
  EXPECT_THAT(said_of("def f(xs: List<&2, U32>) -> U32:\n  match xs:\n    case [a, b, +a]: b\n"
                      "    case _: 0\n"),
              ElementsAre("4:18 f: expected a fresh name (bound twice here: a), observed 'a'"));
}

TEST(Duplicates, areNoneWhereAnInnerNameHidesAnOuterOne) {
  EXPECT_THAT(said_of("def f(x: U32, _: U32, _: U32) -> U32 -> U32:\n  x = U32.inc(x)\n"
                      "  (x, _) = (x, 1)\n  match x:\n    case 0: x => x\n"
                      "    case x: x => U32.inc(x)\n"),
              IsEmpty());
  EXPECT_THAT(said_of("def f() -> U32 -> U32 -> U32:\n  x => x => x\n"), IsEmpty());
  EXPECT_THAT(said_of("def f() -> IO(U32):\n  do IO<U32>:\n    x : U32 <- IO.pure(U32, 1)\n"
                      "    x : U32 = U32.inc(x)\n    IO.pure(U32, x)\n"),
              IsEmpty());
}

TEST(Duplicates, areNoneBetweenConstructorsAndDefsOrTypesOfBase) {
  EXPECT_THAT(said_of("type Shape is Data:\n  List{size: U32}\n"
                      "def Some(x: U32) -> List<U32>:\n  [x]\n"
                      "def f(s: Shape) -> Maybe<List<U32>>:\n  match s:\n"
                      "    case List{x}: Some{Some(x)}\n"),
              IsEmpty());
}

TEST(Duplicates, areNoneBetweenAConstructorAndItsType) {
  EXPECT_THAT(said_of("type Point is Data:\n  Point{x: U32, y: U32}\n"), IsEmpty());
}

}  // namespace
}  // namespace cleave::lang
