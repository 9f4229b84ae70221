// pieces_test.cpp -- a program that is compiled to tell of cuts and joins (CLEAVE_TRACE_PIECES).
#include <gtest/gtest.h>

#include <cleave/array.hpp>
#include <cleave/run.hpp>

#include "trace/recorded.hpp"

namespace cleave::test {
namespace {

using enum trace::event_kind;
constexpr auto freed = trace::event_kind::free;

TEST(RecordedPieces, areCutAndJoinedAsTheProgramDoes) {
  const outcome end = run_recorded([](std::uint64_t* told) {
    run left(100);
    told[0] = address_of(left.data());
    run right = left.cut(40);
    run none = right.cut(60);
    left.join(std::move(right));
    left.join(std::move(none));
    array<int> tree(8);
    told[1] = address_of(tree.data());
    auto [l, r] = std::move(tree).halves();
    array<int> third = r.cut(1);
    l.join(std::move(r));
    l.join(std::move(third));
  });
  EXPECT_EQ(end.exit_code, 0) << end.error;
  const std::uint64_t a = end.told[0];
  const std::uint64_t b = end.told[1];
  const std::vector<happening> want = {{allocate, a, 100}, {cut, a, 100, 40}, {join, a, 100, 40},
                                       {allocate, b, 32},  {cut, b, 32, 16},  {cut, b + 16, 16, 4},
                                       {join, b, 20, 16},  {join, b, 32, 20}, {freed, b, 32},
                                       {freed, a, 100}};
  EXPECT_EQ(happenings(end.seen), want);
}

TEST(RecordedPieces, areCutByMatch) {
  const outcome end = run_recorded([](std::uint64_t* told) {
    array<int> tree(2);
    told[0] = address_of(tree.data());
    tree = match(
        std::move(tree), [](array<int> leaf) { return leaf; },
        [](array<int> l, array<int> r) { return cleave::join(std::move(l), std::move(r)); });
  });
  const std::uint64_t a = end.told[0];
  const std::vector<happening> want = {
      {allocate, a, 8}, {cut, a, 8, 4}, {join, a, 8, 4}, {freed, a, 8}};
  EXPECT_EQ(happenings(end.seen), want);
}

}  // namespace
}  // namespace cleave::test
