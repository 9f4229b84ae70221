// emit_test.cpp -- how the C++ of a program looks, where it matters to who compiles it.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>

#include "lang/elaborated.hpp"
#include "lang/front_end.hpp"

namespace cleave::lang {
namespace {

// The C++ of a program whose list has so many numbers.
std::string list_of(std::size_t numbers) {
  std::string list;
  for (std::size_t k = 0; k < numbers; ++k) list += (k > 0 ? ", " : "") + std::to_string(k);
  elaborated program(with_main("def numbers() -> List<&2, U32>: [" + list + "]\n"));
  EXPECT_TRUE(program.found.empty());
  own(program.made);
  return emit(program.made, {});
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Emit, makesAFewCellsWhereTheyAreWanted) {
  const std::string code = list_of(10);
  EXPECT_TRUE(has(code, "(new_cell("));
  EXPECT_FALSE(has(code, "make_out_of_line"));
}

TEST(Emit, makesVeryManyCellsByCalls) {
  const std::string code = list_of(1000);
  EXPECT_FALSE(has(code, "(new_cell("));
  EXPECT_TRUE(has(code, "make_out_of_line"));
}

TEST(Emit, makesLongListsInPiecesOfTheSameSize) {
  const auto pieces = [](const std::string& code) {
    std::size_t count = 0;
    for (std::size_t at = 0; (at = code.find("out_of_line([&]", at)) != std::string::npos; ++at) {
      ++count;
    }
    return count;
  };
  // A list of n numbers is n + 1 cells, the empty one among them.
  EXPECT_EQ(pieces(list_of(62)), 0U);
  EXPECT_EQ(pieces(list_of(64)), 1U);
  EXPECT_EQ(pieces(list_of(999)), 15U);
  EXPECT_EQ(pieces(list_of(2000)), 31U);
}

}  // namespace
}  // namespace cleave::lang
