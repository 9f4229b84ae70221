// elaborate_io_test.cpp -- do blocks, actions and other monads.
#include <gtest/gtest.h>

#include "elaborated.hpp"

namespace cleave::lang {
namespace {

TEST(Actions, areOneClosureForABlock) {
  EXPECT_EQ(code_of("def f(+s: String) -> IO(Nat):\n  do IO<Nat>:\n    IO.print(s)\n"
                    "    n : Nat <- IO.now()\n    m : Nat = (n + 1n : Nat)\n    return m\n"),
            "def f(s: String) -> IO(Nat):\n"
            "  t = action [s.1 = s]:\n"
            "    _ = IO.print(s.1)\n"
            "    n = IO.now()\n"
            "    m = Nat.add(n, 1n)\n"
            "    give m\n"
            "  give t\n");
}

TEST(Actions, haveTheirFirstArgumentsBeforeTheyRun) {
  EXPECT_EQ(code_of("def g(x: U32) -> String:\n  \"\"\n"
                    "def f(x: U32) -> IO(Unit):\n  do IO<Unit>:\n    s : String = g(x)\n"
                    "    IO.print(s)\n    IO.print(g(2))\n"),
            "def f(x: U32) -> IO(Unit):\n"
            "  s = g(x)\n"
            "  t.2 = action [s.1 = s]:\n"
            "    _ = IO.print(s.1)\n"
            "    t = g(2)\n"
            "    t.1 = IO.print(t)\n"
            "    give t.1\n"
            "  give t.2\n");
}

TEST(Actions, goOnWithTheLastOne) {
  EXPECT_EQ(code_of("def f(n: Nat) -> IO(Unit):\n  match n:\n    case 0n: IO.pass()\n"
                    "    case 1n+p:\n      do IO<Unit>:\n        IO.print(\"x\")\n        f(p)\n"),
            "def f(n: Nat) -> IO(Unit):\n"
            "  match n:\n"
            "    case 1n+p:\n"
            "      t = \"x\"\n"
            "      t.2 = action [t.1 = t, p.1 = p]:\n"
            "        _ = IO.print(t.1)\n"
            "        return f.run(p.1)\n"
            "      give t.2\n"
            "    else:\n"
            "      return IO.pass()\n");
}

// A loop of actions makes no closure.
TEST(Actions, areRunByAnInstanceOfTheirDef) {
  const elaborated one(
      with_main("def f(n: Nat) -> IO(Unit):\n  match n:\n    case 0n: IO.pass()\n"
                "    case 1n+p:\n      do IO<Unit>:\n        IO.print(\"x\")\n        f(p)\n"
                "def g(n: Nat) -> IO(Nat):\n  do IO<Nat>:\n    f(n)\n    return 1n\n"));
  EXPECT_EQ(one.code("f.run"),
            "def f.run(n: Nat) -> Unit:\n"
            "  match n:\n"
            "    case 1n+p:\n"
            "      t = \"x\"\n"
            "      _ = IO.print(t)\n"
            "      return f.run(p)\n"
            "    else:\n"
            "      return IO.pass.run()\n");
}

// The body of a def that is run may be continued in a function of its own.
TEST(Actions, mayFollowAnyNumberOfStatementsThatTakeApart) {
  std::string text = "def f(+x0: U32) -> IO(Unit):\n";
  for (int k = 0; k < 1000; ++k) {
    const std::string next = std::to_string(k + 1);
    text += "  (+x" + next + ", _) = (x" + std::to_string(k) + ", 1)\n";
  }
  text += "  IO.print(U32.show(x1000))\n";
  const elaborated one(text + "def main() -> IO(Unit):\n  do IO<Unit>:\n    f(1)\n    f(2)\n");
  EXPECT_EQ(one.said(), std::vector<std::string>());
  EXPECT_EQ(one.broken, "");
  EXPECT_EQ(one.count("f.run"), 6U);
}

TEST(Actions, withinABlockAreRunInPlace) {
  EXPECT_EQ(code_of("def f(b: Bool) -> IO(U32):\n  do IO<U32>:\n    IO.print(\"a\")\n"
                    "    x : U32 <- (match b:\n      case True{}:\n        do IO<U32>:\n"
                    "          IO.print(\"b\")\n          return 1\n"
                    "      case False{}: IO.pure(U32, 2))\n    return x\n"),
            "def f(b: Bool) -> IO(U32):\n"
            "  t = \"a\"\n"
            "  t.3 = action [t.1 = t, b.1 = b]:\n"
            "    _ = IO.print(t.1)\n"
            "    x = block:\n"
            "      match b.1:\n"
            "        case False{}:\n"
            "          give 2\n"
            "        case True{}:\n"
            "          t.2 = \"b\"\n"
            "          _ = IO.print(t.2)\n"
            "          give 1\n"
            "    give x\n"
            "  give t.3\n");
}

TEST(Actions, boundToALambdaGoOnInIt) {
  EXPECT_EQ(code_of("def f(s: String) -> IO(Unit):\n"
                    "  IO.bind(Nat, Unit, IO.now(), n => IO.print(Nat.show(n)))\n"),
            "def f(s: String) -> IO(Unit):\n"
            "  t.2 = action []:\n"
            "    n = IO.now()\n"
            "    t = Nat.show(n)\n"
            "    t.1 = IO.print(t)\n"
            "    give t.1\n"
            "  give t.2\n");
}

TEST(Actions, boundToAFunctionApplyIt) {
  EXPECT_EQ(code_of("def f(m: IO(Nat), g: Nat -> IO(Unit)) -> IO(Unit):\n"
                    "  IO.bind(Nat, Unit, m, g)\n"),
            "def f(m: IO(Nat), g: Nat -> IO(Unit)) -> IO(Unit):\n"
            "  t.2 = action [m.1 = m, g.1 = g]:\n"
            "    t = run(m.1)\n"
            "    t.1 = apply(g.1, t)\n"
            "    return run(t.1)\n"
            "  give t.2\n");
}

TEST(Actions, thatOnlyReturnComputeTheirResultBefore) {
  EXPECT_EQ(code_of("def f(x: U32) -> IO(U32):\n  do IO<U32>:\n    return U32.inc(x)\n"),
            "def f(x: U32) -> IO(U32):\n"
            "  t = U32.inc(x)\n"
            "  t.2 = action [t.1 = t]:\n"
            "    give t.1\n"
            "  give t.2\n");
}

TEST(Actions, mayBeEffectsAsValues) {
  EXPECT_EQ(code_of("def g(h: String -> IO(Unit)) -> IO(Unit):\n  h(\"a\")\n"
                    "def f(s: String) -> IO(Unit):\n  g(IO.print)\n"),
            "def f(s: String) -> IO(Unit):\n"
            "  t.4 = closure(t: String) []:\n"
            "    t.3 = action [t.1 = t]:\n"
            "      t.2 = IO.print(t.1)\n"
            "      give t.2\n"
            "    give t.3\n"
            "  return g(t.4)\n");
}

TEST(Actions, ofTemplatesAreEffects) {
  const elaborated made(
      "def each(~h: U32 -> IO(Unit), x: U32) -> IO(Unit):\n"
      "  do IO<Unit>:\n    IO.pass()\n    h(x)\n"
      "def main() -> IO(Unit):\n  each(~(x => IO.print(U32.show(x))), 1)\n");
  EXPECT_EQ(made.said(), std::vector<std::string>());
  EXPECT_EQ(made.code("each"),
            "def each(x: U32) -> IO(Unit):\n"
            "  t = IO.pass()\n"
            "  t.2 = action [t.1 = t, x.1 = x]:\n"
            "    _ = run(t.1)\n"
            "    return lambda(x.1)\n"
            "  give t.2\n");
}

TEST(Actions, mayBeMany) {
  std::string text = "def f(s: String) -> IO(Unit):\n  do IO<Unit>:\n";
  for (int k = 0; k < 20'000; ++k) text += "    IO.print(\"x\")\n";
  const elaborated made(with_main(text));
  EXPECT_EQ(made.said(), std::vector<std::string>());
  EXPECT_EQ(made.broken, "");
}

// ---- Other monads ----------------------------------------------------------------

TEST(Monads, bindTheRestAsALambda) {
  EXPECT_EQ(code_of("def f(m: Maybe<&2, U32>, +k: U32) -> Maybe<&2, Nat>:\n"
                    "  do Maybe<&2, Nat>:\n    x : U32 <- m\n    y : U32 = (x + k : U32)\n"
                    "    return U32.to_nat(y)\n"),
            "def f(m: Maybe<U32>, k: U32) -> Maybe<Nat>:\n"
            "  t.1 = closure(x: U32) [k.1 = k]:\n"
            "    y = U32.add(x, k.1)\n"
            "    t = U32.to_nat(y)\n"
            "    return Maybe.pure<Nat>(t)\n"
            "  return Maybe.bind<U32, Nat>(m, t.1)\n");
}

TEST(Monads, dropTheUnitOfAStep) {
  EXPECT_EQ(code_of("def f(m: Maybe<&2, Unit>, n: Maybe<&2, U32>) -> Maybe<&2, U32>:\n"
                    "  do Maybe<&2, U32>:\n    m\n    n\n"),
            "def f(m: Maybe<Unit>, n: Maybe<U32>) -> Maybe<U32>:\n"
            "  t.1 = closure(t: Unit) [n.1 = n]:\n"
            "    give n.1\n"
            "  return Maybe.bind<Unit, U32>(m, t.1)\n");
}

TEST(Monads, haveTheirOtherArgumentsFirst) {
  EXPECT_EQ(code_of("def f(r: Result<&2, &2, String, U32>) -> Result<&2, &2, String, U32>:\n"
                    "  do Result<&2, &2, String, U32>:\n    x : U32 <- r\n"
                    "    return U32.inc(x)\n"),
            "def f(r: Result<String, U32>) -> Result<String, U32>:\n"
            "  t.1 = closure(x: U32) []:\n"
            "    t = U32.inc(x)\n"
            "    return Result.pure<String, U32>(t)\n"
            "  return Result.bind<String, U32, U32>(r, t.1)\n");
}

TEST(Monads, withTooManyBindsAreRefused) {
  std::string text = "def f(x: U32) -> Maybe<&2, U32>:\n  do Maybe<&2, U32>:\n";
  for (int k = 0; k < 3000; ++k) text += "    x : U32 <- Some{x}\n";
  EXPECT_EQ(wrong_in(text + "    return x\n").at(0),
            "2:5 f: this def has blocks within blocks deeper than 500");
}

}  // namespace
}  // namespace cleave::lang
