#include "lang/layout.hpp"

#include <gtest/gtest.h>

#include "lang/core_builder.hpp"

namespace cleave::lang {
namespace {

TEST(Layout, constructorsWithoutFieldsAreSmallNumbers) {
  builder make;
  const core::type* colour = make.data("Colour");
  for (int k = 0; k < 3; ++k) make.constructor(colour, "C" + std::to_string(k), {});
  const core::type* many = make.data("Many");
  for (int k = 0; k < 257; ++k) make.constructor(many, "M" + std::to_string(k), {});
  const layouts all(make.all);
  EXPECT_EQ(all.of(*colour).form, form::enumeration);
  EXPECT_EQ(all.of(*colour).size, 1U);
  EXPECT_EQ(all.of(*many).size, 2U);
  EXPECT_TRUE(all.of(*colour).plain);
}

TEST(Layout, aTypeThatContainsItselfIsBoxed) {
  builder make;
  const core::type* list = make.list(make.u32());
  const layouts all(make.all);
  EXPECT_EQ(all.of(*list).form, form::boxed);
  EXPECT_FALSE(all.of(*list).plain);
  // Header, tail, head, and the rest of a word.
  EXPECT_EQ(all.of(*list).cells[1].size, 24U);
  EXPECT_EQ(all.of(*list).cells[1].order, (std::vector<std::size_t>{1, 0}));
}

TEST(Layout, aTypeThatContainsItselfInAnArrayIsBoxed) {
  builder make;
  const core::type* tree = make.data("Tree");
  make.constructor(tree, "Tree", {make.array(tree)});
  const layouts all(make.all);
  EXPECT_EQ(all.of(*tree).form, form::boxed);
}

TEST(Layout, aPairInACircleIsNoBox) {
  builder make;
  const core::type* tree = make.data("Tree");
  const core::type* both = make.pair(tree, tree);
  make.constructor(tree, "Tree", {both});
  const layouts all(make.all);
  EXPECT_EQ(all.of(*both).form, form::pair);
  EXPECT_EQ(all.of(*both).size, 16U);
  EXPECT_EQ(all.of(*tree).cells[0].size, 24U);
}

TEST(Layout, recordsOfNumbersArePlainAndFlat) {
  builder make;
  const core::type* particle = make.data("Particle");
  make.constructor(particle, "Particle", {make.u32(), make.nat(), make.f32(), make.boolean()});
  const layouts all(make.all);
  EXPECT_EQ(all.of(*particle).form, form::record);
  EXPECT_TRUE(all.of(*particle).plain);
  // By falling alignment there is one gap, at the end.
  EXPECT_EQ(all.of(*particle).size, 24U);
}

TEST(Layout, aSmallChoiceIsAUnionWithANumber) {
  builder make;
  const core::type* maybe = make.data("Maybe");
  make.constructor(maybe, "None", {});
  make.constructor(maybe, "Some", {make.u32()});
  const core::type* text = make.data("MaybeText");
  make.constructor(text, "None2", {});
  make.constructor(text, "Some2", {make.string()});
  const layouts all(make.all);
  EXPECT_EQ(all.of(*maybe).form, form::choice);
  EXPECT_EQ(all.of(*maybe).size, 8U);
  EXPECT_TRUE(all.of(*maybe).plain);
  EXPECT_EQ(all.of(*text).size, 24U);
  EXPECT_FALSE(all.of(*text).plain);
}

TEST(Layout, whatIsLargeAndOwnsSomethingIsBoxed) {
  builder make;
  const core::type* strings = make.data("Strings");
  make.constructor(strings, "Strings", std::vector<const core::type*>(5, make.string()));
  const core::type* numbers = make.data("Numbers");
  make.constructor(numbers, "Numbers", std::vector<const core::type*>(20, make.u32()));
  const layouts all(make.all);
  EXPECT_EQ(all.of(*strings).form, form::boxed);
  EXPECT_EQ(all.of(*numbers).form, form::record);
}

TEST(Layout, valuesThatDoubleInSizeAreBoxedInTime) {
  builder make;
  const core::type* last = make.nat();
  for (int k = 0; k < 60; ++k) {
    const core::type* next = make.data("T" + std::to_string(k));
    make.constructor(next, "C" + std::to_string(k), {last, last});
    last = next;
  }
  const core::type* pairs = make.nat();
  for (int k = 0; k < 20; ++k) {
    const core::type* next = make.data("Sigma<" + std::to_string(k) + ">");
    make.constructor(next, "Tuple", {pairs, pairs});
    pairs = next;
  }
  const layouts all(make.all);
  for (const core::type& one : make.all.types) EXPECT_LE(all.of(one).size, largest_pair);
  EXPECT_FALSE(all.of(*last).plain);
}

TEST(Layout, onlyValuesWithAnArrayInThemHoldOne) {
  builder make;
  const core::type* numbers = make.array(make.u32());
  const core::type* both = make.pair(numbers, make.u32());
  const core::type* lists = make.list(numbers);
  const layouts all(make.all);
  EXPECT_TRUE(all.of(*numbers).holds_array);
  EXPECT_TRUE(all.of(*both).holds_array);
  EXPECT_FALSE(all.of(*lists).holds_array);
}

TEST(Layout, typesStandBehindThoseThatTheyMention) {
  builder make;
  const core::type* inner = make.data("Inner");
  const core::type* outer = make.data("Outer");
  make.constructor(outer, "Outer", {make.array(inner)});
  make.constructor(inner, "Inner", {make.u32(), make.string()});
  const layouts all(make.all);
  const auto place = [&](const core::type* one) {
    return std::find(all.in_order().begin(), all.in_order().end(), one);
  };
  EXPECT_LT(place(inner), place(outer));
}

}  // namespace
}  // namespace cleave::lang
