// parser_items_test.cpp -- section 2 of the language: imports, types, laws, defs.
#include <gtest/gtest.h>

#include "parsed.hpp"

namespace cleave::lang::test {
namespace {

// ---- Imports (2.1) ---------------------------------------------------------------

TEST(Imports, nameFilesAndAliases) {
  EXPECT_EQ(tree_of("import Base\n\n# c\nimport ./dir/file.bend as M\nimport ../a-b.bend as N;\n"),
            "import Base\nimport ./dir/file.bend as M\nimport ../a-b.bend as N\n");
  EXPECT_EQ(tree_of("import Base # c\r\nimport ./x.bend as M# d"),
            "import Base\nimport ./x.bend as M\n");
  EXPECT_EQ(tree_of(""), "");
}

TEST(Imports, coverTheirLine) {
  const parsed one(" import Base\nimport  ./x.bend as M\n");
  EXPECT_EQ(one.covered(one.tree.imports[0].where), "import Base");
  EXPECT_EQ(one.covered(one.tree.imports[1].where), "import  ./x.bend as M");
}

TEST(Imports, standOnALineEach) {
  EXPECT_EQ(tree_of("import\nBase"), "1:7: expected 'Base' or the path of a file, observed ''");
  EXPECT_EQ(tree_of("import ./x.bend\nas M"), "2:1: expected 'as', observed 'as'");
  EXPECT_EQ(tree_of("import ./x.bend as\nM"),
            "2:1: expected a name on the same line, observed 'M'");
  EXPECT_EQ(tree_of("import Base import ./x.bend as M"),
            "1:13: expected one import on each line, observed 'import'");
  EXPECT_EQ(tree_of("import Base def f() -> T: x"),
            "1:13: expected one import on each line, observed 'def'");
}

TEST(Imports, haveAWordForAnAlias) {
  EXPECT_EQ(tree_of("import ./x.bend"), "1:16: expected 'as', observed the end of the file");
  EXPECT_EQ(tree_of("import ./x.bend as a.b"),
            "1:20: expected a name without dots, observed 'a.b'");
  EXPECT_EQ(tree_of("import ./x.bend as case"),
            "1:20: expected a name (got the keyword 'case'), observed 'case'");
}

TEST(Imports, comeFirst) {
  EXPECT_EQ(tree_of("def f() -> T: x\nimport Base\ndef g() -> T: )"),
            "2:1: expected imports before all other items, observed 'import'\n"
            "3:15 g: expected a term, observed ')'");
}

// ---- Types (2.2) -----------------------------------------------------------------

TEST(TypeItems, haveConstructors) {
  EXPECT_EQ(tree_of("type Bit is Data:\n  Off{}\n  On{}\n"), "type Bit<> is SORT: Off{} On{}\n");
  EXPECT_EQ(tree_of("type P is Type: P{x: U32, +y: Array<U32> -z: T}"),
            "type P<> is SORT: P{x: U32, +y: Array<U32>, -z: T}\n");
  EXPECT_EQ(tree_of("type Empty is Data:\ndef f() -> T: x\n"),
            "type Empty<> is SORT:\ndef f() -> T: x\n");
}

TEST(TypeItems, haveParameters) {
  EXPECT_EQ(tree_of("type T<a, -A: Kind(a)> is Kind(a):\n  L{}"),
            "type T<a, -A: SORT> is SORT: L{}\n");
  EXPECT_EQ(tree_of("type T<-A: Data> is Data: L{x: A}"), "type T<-A: SORT> is SORT: L{x: A}\n");
  EXPECT_EQ(tree_of("type T<a b -A: Type -B: A -> Type > is Type:"),
            "type T<a, b, -A: SORT, -B: (A -> SORT)> is SORT:\n");
}

TEST(TypeItems, knowWhereTheirPartsAre) {
  const parsed one("type T<a> is Data:\n  L{+x: A}\n  M{}\n");
  const type_decl& type = *one.tree.types[0];
  EXPECT_EQ(one.covered(type.where), "T");
  EXPECT_EQ(one.covered(type.constructors[1]->where), "M");
  EXPECT_EQ(type.constructors[1]->number, 1U);
  EXPECT_EQ(type.constructors[1]->type, &type);
  EXPECT_EQ(one.covered(type.constructors[0]->fields[0].where), "x");
}

TEST(TypeItems, areRefusedInParts) {
  EXPECT_EQ(tree_of("type T is Data\n  L{}"), "2:3 T: expected ':', observed 'L'");
  EXPECT_EQ(tree_of("type T Data:"), "1:8 T: expected 'is', observed 'Data'");
  EXPECT_EQ(tree_of("type T is Data:\n  L"),
            "2:4 T: expected '{' and the fields of the constructor, observed the end of the file");
  EXPECT_EQ(tree_of("type T is Data:\n  L{x}"),
            "2:6 T: expected ':' and the type of the field, observed '}'");
  EXPECT_EQ(tree_of("type T is Data:\n  L{~x: A}"),
            "2:6 T: expected a field without ~, observed 'x'");
  EXPECT_EQ(tree_of("type type is Data:"),
            "1:6: expected a name (got the keyword 'type'), observed 'type'");
}

// ---- Defs (2.3) ------------------------------------------------------------------

TEST(Defs, haveParametersResultAndBody) {
  EXPECT_EQ(tree_of("def f(p1: A, +p2: B, -T: Type) -> R:\n  x"),
            "def f(p1: A, +p2: B, -T: SORT) -> R: x\n");
  EXPECT_EQ(tree_of("def f(a, ~T: Type ~g: A -> B x: A,) -> R: x"),
            "def f(a, ~T: SORT, ~g: (A -> B), x: A) -> R: x\n");
  EXPECT_EQ(tree_of("def size() -> Nat: 0n"), "def size() -> Nat: 0n\n");
  EXPECT_EQ(tree_of("def M.f() -> T: x def g() -> T: y"), "def M.f() -> T: x\ndef g() -> T: y\n");
  EXPECT_EQ(tree_of("  def\n  f\n  (\n  x\n  :\n  A\n  )\n  ->\n  B\n  :\n  x"),
            "def f(x: A) -> B: x\n");
}

TEST(Defs, mayBeUnsafe) {
  EXPECT_EQ(tree_of("@unsafe def f() -> T: x"), "@unsafe def f() -> T: x\n");
  EXPECT_EQ(tree_of("@unsafe\ndef f() -> T: x"), "@unsafe def f() -> T: x\n");
  EXPECT_EQ(tree_of("def f?() -> T: x"), "@unsafe def f() -> T: x\n");
  EXPECT_EQ(tree_of("@safe def f() -> T: x"), "1:2: expected 'unsafe' behind '@', observed 'safe'");
  EXPECT_EQ(tree_of("@unsafe type T is Data:"), "1:9: expected 'def', observed 'type'");
}

TEST(Defs, mayFillLaws) {
  EXPECT_EQ(tree_of("def f(x, y):\n  x"), "def f(x, y): x\n");
  EXPECT_EQ(tree_of("def main():\n  x"), "def main(): x\n");
}

TEST(Defs, knowWhereTheirNameIs) {
  const parsed one("@unsafe def sum.up(+x: U32) -> T: x");
  EXPECT_EQ(one.covered(one.tree.defs[0]->where), "sum.up");
  EXPECT_EQ(one.covered(one.tree.defs[0]->parameters[0].name->where), "x");
}

TEST(Defs, areRefusedInParts) {
  EXPECT_EQ(tree_of("def f -> T: x"), "1:7 f: expected '(' and the parameters, observed '->'");
  EXPECT_EQ(tree_of("def f() -> T\n  x"), "2:3 f: expected ':' and the body, observed 'x'");
  EXPECT_EQ(tree_of("def f(x: ) -> T: x"), "1:10 f: expected a term, observed ')'");
  EXPECT_EQ(tree_of("def f(for) -> T: x"),
            "1:7 f: expected a name (got the keyword 'for'), observed 'for'");
  EXPECT_EQ(tree_of("def f(&x: A) -> T: x"), "1:7 f: expected a name, observed '&'");
  EXPECT_EQ(tree_of("def 7() -> T: x"), "1:5: expected a name, observed '7'");
}

TEST(Defs, endBeforeTheNextItem) {
  EXPECT_EQ(tree_of("def f() -> T:\n  x\n  y"),
            "3:3 f: expected an operator, or the end of the def, observed 'y'");
  EXPECT_EQ(tree_of("def f() -> T:\n  x\n)"),
            "3:1 f: expected 'def', 'type' or 'law', observed ')'");
}

// ---- Laws (2.4) ------------------------------------------------------------------

TEST(Laws, areHeaders) {
  EXPECT_EQ(tree_of("law f:\n  for +x: U32\n  for  y: Array<U32>\n  U32\n"),
            "law f(+x: U32, y: Array<U32>) -> U32\n");
  EXPECT_EQ(tree_of("law f: for ~T: Type, for -n: Nat, for g: A -> B, T & Nat"),
            "law f(~T: SORT, -n: Nat, g: (A -> B)) -> Sigma<T Nat>\n");
  EXPECT_EQ(tree_of("law main:\n  IO(Unit)\ndef main(): x"),
            "law main() -> (IO Unit)\ndef main(): x\n");
  EXPECT_EQ(tree_of("law f:\n  for x: A\n  (B & C)"), "law f(x: A) -> Sigma<B C>\n");
}

TEST(Laws, mayBeProofs) {
  EXPECT_EQ(tree_of("law p:\n  for n: Nat\n  {Nat.add(n, 0n) == n : Nat}"),
            "proof law p(n: Nat) -> PROOF[{a == b : T}]\n");
  EXPECT_EQ(tree_of("law p:\n  @n:Nat -> {1n+n != 0n : Nat}"),
            "proof law p() -> (@n:Nat -> PROOF[{a != b : T}])\n");
  EXPECT_EQ(tree_of("law p:\n  for x: A\n  exs y: B\n  P(x, y)"), "proof law p(x: A) -> (P x y)\n");
  EXPECT_EQ(tree_of("law p:\n  exs y: B\n  where {y == y : B}\ndef p(): x"),
            "proof law p() -> PROOF[{a == b : T}]\ndef p(): x\n");
}

TEST(Laws, areRefusedInParts) {
  EXPECT_EQ(tree_of("law f\n  U32"), "2:3 f: expected ':', observed 'U32'");
  EXPECT_EQ(tree_of("law f:\n  for x\n  U32"), "3:3 f: expected ':' and a type, observed 'U32'");
  EXPECT_EQ(tree_of("law f:\n  for x: U32\ndef g() -> T: x"),
            "3:1 f: expected a term, observed 'def'");
}

TEST(Proofs, mayBeDefs) {
  EXPECT_EQ(tree_of("def p(n: Nat) -> {n == n : Nat}: {==}"),
            "proof def p(n: Nat) -> PROOF[{a == b : T}]: PROOF[{==}]\n");
}

// ---- Base ------------------------------------------------------------------------

TEST(BaseItems, mayBeNative) {
  EXPECT_EQ(tree_of("@native def U32.read.raw(&s: String, -T: Type, x: T) -> Bool & U32\n"
                    "@native def f() -> T\ndef g() -> T: x",
                    true),
            "@native def U32.read.raw(&s: String, -T: SORT, x: T) -> Sigma<Bool U32>\n"
            "@native def f() -> T\ndef g() -> T: x\n");
}

TEST(BaseItems, areRefusedInParts) {
  EXPECT_EQ(tree_of("@native def f()", true),
            "1:16 f: expected '->' and the result type, observed the end of the file");
  EXPECT_EQ(tree_of("@native def f() -> T: x", true),
            "1:21: expected 'def', 'type' or 'law', observed ':'");
  EXPECT_EQ(tree_of("def f(&x: A) -> T: x", true), "1:7 f: expected a name, observed '&'");
}

TEST(BaseItems, areForBaseAlone) {
  EXPECT_EQ(tree_of("@native def f() -> T"),
            "1:2: expected 'unsafe' behind '@', observed 'native'");
}

}  // namespace
}  // namespace cleave::lang::test
