// types_test.cpp -- T1 to T3, and types as text.
#include "lang/types.hpp"

#include <gtest/gtest.h>

namespace cleave::lang {
namespace {

struct CoreTypes : testing::Test {
  CoreTypes() { pair.name = "Sigma", list.name = "List", unit.name = "Unit"; }

  shape* pair_of(shape* a, shape* b) { return types.data(pair, {a, b}); }

  type_decl pair;
  type_decl list;
  type_decl unit;
  core::program made;
  type_table types{made};
};

TEST_F(CoreTypes, thatAreEqualAreTheSameObject) {
  shape* const a = pair_of(types.u32(), types.array(types.nat()));
  shape* const b = pair_of(types.u32(), types.array(types.nat()));
  EXPECT_EQ(a->known, b->known);
  EXPECT_NE(a->known, pair_of(types.u32(), types.array(types.u32()))->known);
  EXPECT_NE(types.io(types.u32())->known, types.array(types.u32())->known);
  EXPECT_EQ(types.of(a->known), a);
}

TEST_F(CoreTypes, withUnknownPartsAreFoundOut) {
  shape* const part = types.unknown();
  shape* const a = types.function(part, types.unknown());
  EXPECT_EQ(a->known, nullptr);
  EXPECT_TRUE(types.unify(a, types.function(types.u32(), types.nat())));
  EXPECT_EQ(types.close(a), types.function(types.u32(), types.nat())->known);
  EXPECT_EQ(types.close(part), types.u32()->known);
}

TEST_F(CoreTypes, areNotEqualIfAPartIsNot) {
  shape* const part = types.unknown();
  EXPECT_TRUE(types.unify(part, types.u32()));
  EXPECT_FALSE(types.unify(pair_of(part, types.u32()), pair_of(types.nat(), types.u32())));
  EXPECT_FALSE(types.unify(types.data(list, {part}), types.array(part)));
}

TEST_F(CoreTypes, mayWaitForEachOther) {
  shape* const a = types.unknown();
  shape* const b = types.unknown();
  EXPECT_TRUE(types.unify(a, b));
  EXPECT_TRUE(types.unify(types.data(list, {b}), types.data(list, {types.string()})));
  EXPECT_EQ(types.close(a), types.string()->known);
}

TEST_F(CoreTypes, doNotContainThemselves) {
  shape* const a = types.unknown();
  EXPECT_FALSE(types.unify(a, types.data(list, {types.io(a)})));
  shape* const b = types.unknown();
  EXPECT_TRUE(types.unify(b, types.data(list, {types.unknown()})));
  EXPECT_FALSE(types.unify(b, types.find(b)->parts[0]));
}

TEST_F(CoreTypes, thatNothingTellsAreTheRest) {
  types.set_rest(types.data(unit, {}));
  EXPECT_EQ(to_text(*types.close(types.array(types.unknown()))), "Array<Unit>");
}

TEST_F(CoreTypes, haveALargestSize) {
  shape* grows = types.u32();
  for (int k = 0; k < 11; ++k) grows = pair_of(grows, grows);
  EXPECT_FALSE(types.take_too_large());
  EXPECT_EQ(grows->size, type_table::largest - 1);
  static_cast<void>(pair_of(grows, grows));
  EXPECT_TRUE(types.take_too_large());
  EXPECT_FALSE(types.take_too_large());
}

// Each step doubles the type, and asks for no more than a few shapes.
TEST_F(CoreTypes, thatShareTheirPartsAreUnifiedOnce) {
  types.set_rest(types.data(unit, {}));
  shape* a = types.unknown();
  shape* b = types.unknown();
  std::vector<std::pair<shape*, shape*>> links;
  for (int k = 0; k < 60; ++k) {
    shape* const next_a = types.unknown();
    shape* const next_b = types.unknown();
    EXPECT_TRUE(types.unify(next_a, pair_of(a, a)));
    EXPECT_TRUE(types.unify(next_b, pair_of(b, b)));
    a = next_a;
    b = next_b;
  }
  // Too large in the end, but told at once.
  static_cast<void>(types.unify(a, b));
  static_cast<void>(types.close(a));
  EXPECT_TRUE(types.take_too_large());
}

TEST_F(CoreTypes, areWrittenAsInPrograms) {
  shape* const function = types.function(types.u32(), types.function(types.nat(), types.f32()));
  EXPECT_EQ(to_text(function), "U32 -> Nat -> F32");
  EXPECT_EQ(to_text(types.function(function, types.character())), "(U32 -> Nat -> F32) -> Char");
  EXPECT_EQ(to_text(pair_of(pair_of(types.u32(), types.nat()), pair_of(types.u32(), types.nat()))),
            "(U32 & Nat) & U32 & Nat");
  EXPECT_EQ(to_text(types.data(list, {types.io(pair_of(types.string(), types.unknown()))})),
            "List<IO(String & _)>");
  EXPECT_EQ(to_text(pair_of(function, types.u32())), "(U32 -> Nat -> F32) & U32");
}

TEST_F(CoreTypes, areNotWrittenToTheEndIfTheyAreLong) {
  shape* long_one = types.u32();
  for (int k = 0; k < 500; ++k) long_one = types.data(list, {long_one});
  EXPECT_LT(to_text(long_one, 50).size(), 120u);
}

}  // namespace
}  // namespace cleave::lang
