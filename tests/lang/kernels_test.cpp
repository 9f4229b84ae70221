#include "lang/kernels.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "checked.hpp"
#include "lang/core.hpp"
#include "lang/front_end.hpp"

namespace cleave::lang {
namespace {

// A program whose calls f!(x) are for a device, up to core with owners.
class placed : public checked {
 public:
  explicit placed(const std::string& text) : checked("import Base\n" + text) {
    if (!found.empty()) return;
    make_core(all, true, made, found);
    if (!found.empty()) return;
    broken = core::check(made, true);
    text_ = core::to_text(made);
  }

  // Why calls run on the host, in the order of the text.
  [[nodiscard]] std::vector<std::string> reasons() const {
    std::vector<std::string> each;
    for (const diagnostic& one : found.warnings()) {
      each.push_back(one.message.substr(one.message.find(": ") + 2));
    }
    return each;
  }
  // The functions with the name that are code for the device.
  [[nodiscard]] std::vector<const core::function*> kernels(const std::string& name) const {
    std::vector<const core::function*> each;
    for (const core::function& one : made.functions) {
      if (one.kernel && one.name == name) each.push_back(&one);
    }
    return each;
  }
  // How many values each parallel let of the kernel has, in the order of the text.
  [[nodiscard]] std::vector<std::size_t> forks(const std::string& name) const {
    std::vector<std::size_t> each;
    const std::vector<const core::function*> found_kernels = kernels(name);
    if (found_kernels.size() == 1) count_forks(found_kernels[0]->body, each);
    return each;
  }

  std::string broken;
  core::program made;

 private:
  static void count_forks(const core::block& code, std::vector<std::size_t>& to) {
    for (const core::step& one : code.steps) {
      if (one.kind == core::step_kind::parallel) to.push_back(one.values.size());
      if (one.target) count_forks(*one.target->body, to);
    }
    if (!code.end.cases) return;
    for (const core::arm& arm : code.end.cases->arms) count_forks(*arm.body, to);
    if (code.end.cases->otherwise) count_forks(*code.end.cases->otherwise, to);
  }

  std::string text_;
};

const std::string sum =
    "def sum(a: Array<U32>) -> U32:\n"
    "  match a:\n"
    "    case ALeaf{x}: x\n"
    "    case ANode{l, r}: (sum(l) + sum(r) : U32)\n";

using forks = std::vector<std::size_t>;
using reasons = std::vector<std::string>;

TEST(Kernels, areMadeOfWhatIsCalledWithABangAlone) {
  const placed one(sum + "def main() -> U32:\n  (sum!([1 : U32*4n]) + sum([1 : U32*4n]) : U32)\n");
  EXPECT_EQ(one.reasons(), reasons{});
  EXPECT_EQ(one.broken, "");
  EXPECT_EQ(one.kernels("sum").size(), 1U);
  std::size_t launchers = 0;
  for (const core::function& each : one.made.functions) launchers += each.launches ? 1 : 0;
  EXPECT_EQ(launchers, 1U);
}

TEST(Kernels, areNotMadeWithoutADevice) {
  checked one("import Base\n" + sum + "def main() -> U32:\n  sum!([1 : U32*4n])\n");
  core::program made;
  make_core(one.all, false, made, one.found);
  for (const core::function& each : made.functions) {
    EXPECT_FALSE(each.kernel || each.launches) << each.name;
  }
}

TEST(Kernels, forkCallsThatStandBehindEachOther) {
  const placed one(sum + "def main() -> U32:\n  sum!([1 : U32*4n])\n");
  EXPECT_EQ(one.forks("sum"), forks{2});
}

TEST(Kernels, waitForOneCallWhereTheNextNeedsItsResult) {
  const placed one(
      "def f(+n: Nat, +m: Nat) -> Nat:\n"
      "  match n:\n"
      "    case 0n: m\n"
      "    case 1n++p: (f(p, f(p, m)) + 1n : Nat)\n"
      "def main() -> Nat:\n  f!(3n, 1n)\n");
  EXPECT_EQ(one.reasons(), reasons{});
  EXPECT_EQ(one.forks("f"), (forks{1, 1}));
}

TEST(Kernels, bringAMatchWithinAValueToTheFunction) {
  const placed one(
      "def f(+n: Nat) -> Nat:\n"
      "  match n:\n"
      "    case 0n: 1n\n"
      "    case 1n++p:\n"
      "      a b = (match p: case 0n: 3n case 1n+q: (f(q) * 2n : Nat)) f(p)\n"
      "      (a + b : Nat)\n"
      "def main() -> Nat:\n  f!(3n)\n");
  EXPECT_EQ(one.reasons(), reasons{});
  EXPECT_EQ(one.broken, "");
  EXPECT_EQ(one.forks("f"), (forks{1, 1}));
}

TEST(Kernels, haveNoMembersButWhatRecurs) {
  const placed one(
      "def loop(n: Nat, x: U32) -> U32:\n"
      "  match n:\n"
      "    case 0n: x\n"
      "    case 1n+p: loop(p, (x + 1 : U32))\n"
      "def tree(n: Nat) -> U32:\n"
      "  match n:\n"
      "    case 0n: loop(4n, 0)\n"
      "    case 1n++p: (tree(p) + tree(p) : U32)\n"
      "def main() -> U32:\n  tree!(3n)\n");
  const kernel_members members(one.made);
  ASSERT_EQ(one.kernels("tree").size(), 1U);
  ASSERT_EQ(one.kernels("loop").size(), 1U);
  EXPECT_TRUE(members.has(*one.kernels("tree")[0]));
  EXPECT_FALSE(members.has(*one.kernels("loop")[0]));
  EXPECT_EQ(members.of(*one.kernels("tree")[0]).size(), 1U);
}

TEST(Kernels, haveDefsThatCallEachOther) {
  const placed one(
      "def even(n: Nat) -> U32:\n"
      "  match n:\n"
      "    case 0n: 1\n"
      "    case 1n+p: (odd(p) * 3 : U32)\n"
      "def odd(n: Nat) -> U32:\n"
      "  match n:\n"
      "    case 0n: 0\n"
      "    case 1n+p: (even(p) + 1 : U32)\n"
      "def main() -> U32:\n  even!(4n)\n");
  const kernel_members members(one.made);
  ASSERT_EQ(one.kernels("even").size(), 1U);
  EXPECT_EQ(members.of(*one.kernels("even")[0]).size(), 2U);
}

TEST(Kernels, doNotCallKernelsOfTheirOwn) {
  const placed one(
      "def f(+n: Nat) -> Nat:\n"
      "  match n:\n"
      "    case 0n: 1n\n"
      "    case 1n++p: (f!(p) + f!(p) : Nat)\n"
      "def main() -> Nat:\n  f!(3n)\n");
  EXPECT_EQ(one.forks("f"), forks{2});
}

TEST(KernelRefusals, nameWhatIsInTheWay) {
  const placed one(
      "def text(n: Nat) -> String: Nat.show(n)\n"
      "def list(n: Nat) -> List<Nat>: [n]\n"
      "def apply(f: U32 -> U32, x: U32) -> U32: f(x)\n"
      "def root(x: F32) -> F32: F32.exp(x)\n"
      "def deep(n: Nat) -> Nat: List.length(&2, Nat, list(n))\n"
      "def main() -> U32:\n"
      "  _ = text!(3n)\n"
      "  _ = list!(3n)\n"
      "  _ = apply!(x => (x + 1 : U32), 5)\n"
      "  _ = root!(0.0)\n"
      "  _ = deep!(1n)\n"
      "  U32.add!(1, 2)\n");
  EXPECT_EQ(
      one.reasons(),
      (reasons{"text has a String", "list has List<Nat>, which is made of cells",
               "apply has a function value", "root calls F32.exp",
               "deep has List<Nat>, which is made of cells", "U32.add is not written in Bend"}));
  EXPECT_EQ(one.broken, "");
}

TEST(KernelRefusals, leaveTheOtherCallsOnTheDevice) {
  const placed one(sum +
                   "def text(n: U32) -> String: U32.show(n)\n"
                   "def main() -> String:\n  text!(sum!([1 : U32*4n]))\n");
  EXPECT_EQ(one.reasons(), reasons{"text has a String"});
  EXPECT_EQ(one.kernels("sum").size(), 1U);
  EXPECT_TRUE(one.kernels("text").empty());
}

TEST(KernelRefusals, sayEachPlaceOnce) {
  const placed one(
      "def text(n: U32) -> String: U32.show(n)\n"
      "def both(-T: Type, x: T) -> T & String: (x, text!(1))\n"
      "def main() -> (U32 & String) & (Nat & String):\n  (both(U32, 1), both(Nat, 1n))\n");
  EXPECT_EQ(one.reasons(), reasons{"text has a String"});
}

}  // namespace
}  // namespace cleave::lang
