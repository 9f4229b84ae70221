// own_merge_test.cpp -- which helpers become a part of the loop that calls them.
#include "lang/own_merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "lang/core_machine.hpp"
#include "lang/elaborated.hpp"
#include "lang/front_end.hpp"

namespace cleave::lang {
namespace {

// A program after own(), which must be sound.
class owned {
 public:
  explicit owned(const std::string& text) : program(text) {
    EXPECT_TRUE(program.found.empty()) << program.said()[0];
    own(program.made);
    EXPECT_EQ(core::check(program.made, true), "");
  }
  // Nothing is left of the function of this name.
  [[nodiscard]] bool is_gone(const std::string& name) const {
    const auto found = std::find_if(program.made.functions.begin(), program.made.functions.end(),
                                    [&](const core::function& one) { return one.name == name; });
    EXPECT_NE(found, program.made.functions.end()) << name;
    return found->parameters.empty() && found->body.end.kind == core::ending_kind::stop;
  }
  [[nodiscard]] std::string run() {
    core_machine machine(program.made, counting::on);
    std::string text = machine.run();
    EXPECT_EQ(machine.live(), 0U);
    return text;
  }

  elaborated program;
};

// The list again, ones instead of True{}, turned round.
const std::string loop =
    "law loop:\n"
    "  for bs: List<Bool>\n"
    "  for ones: List<U32>\n"
    "  List<U32>\n"
    "def loop.put(b: Bool, bs: List<Bool>, ones: List<U32>) -> List<U32>:\n"
    "  match b:\n"
    "    case True{}: loop(bs, 1 <> ones)\n"
    "    case False{}: loop(bs, 0 <> ones)\n"
    "def loop(bs, ones):\n"
    "  match bs:\n"
    "    case []: ones\n"
    "    case b <> t: loop.put(b, t, ones)\n";

TEST(MergeHelpers, takesAHelperThatIsCalledOnce) {
  owned one(loop + "def main() -> List<U32>:\n  loop([True{}, False{}, False{}], [])\n");
  EXPECT_TRUE(one.is_gone("loop.put"));
  EXPECT_FALSE(one.is_gone("loop"));
  EXPECT_EQ(one.run(), "[0, 0, 1]");
}

TEST(MergeHelpers, leavesAHelperThatIsCalledElsewhere) {
  owned one(loop +
            "def main() -> List<U32>:\n"
            "  loop.put(True{}, [False{}], loop([True{}], []))\n");
  EXPECT_FALSE(one.is_gone("loop.put"));
  EXPECT_EQ(one.run(), "[0, 1, 1]");
}

TEST(MergeHelpers, leavesAHelperThatDoesNotLeadBack) {
  owned one(
      "def last(ones: List<U32>) -> List<U32>:\n"
      "  match ones:\n"
      "    case []: [7]\n"
      "    case x <> t: x <> t\n"
      "def loop(bs: List<Bool>, ones: List<U32>) -> List<U32>:\n"
      "  match bs:\n"
      "    case []: last(ones)\n"
      "    case b <> t: loop(t, ones)\n"
      "def main() -> List<U32>:\n  loop([True{}], [])\n");
  EXPECT_FALSE(one.is_gone("last"));
  EXPECT_EQ(one.run(), "[7]");
}

TEST(MergeHelpers, takesNoMoreThanTheLimit) {
  constexpr std::size_t helpers = 2 * most_merged;
  std::string text = "law h0:\n  for n: Nat\n  U32\n";
  for (std::size_t k = helpers; k > 0; --k) {
    const std::string next = "h" + std::to_string(k < helpers ? k + 1 : 0);
    text += "def h" + std::to_string(k) + "(n: Nat) -> U32:\n  " + next + "(n)\n";
  }
  text += "def h0(n):\n  match n:\n    case 0n: 1\n    case 1n+p: h1(p)\n";
  owned one(text + "def main() -> U32:\n  h0(9n)\n");
  std::size_t gone = 0;
  for (std::size_t k = 1; k <= helpers; ++k) gone += one.is_gone("h" + std::to_string(k)) ? 1 : 0;
  EXPECT_GT(gone, 0U);
  EXPECT_LT(gone, helpers);
  EXPECT_EQ(one.run(), "1");
}

}  // namespace
}  // namespace cleave::lang
