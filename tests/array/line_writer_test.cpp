// line_writer_test.cpp -- what leaves by whole lines comes to lie where single writes would put it.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cleave/detail/line_writer.hpp>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace cleave::detail {
namespace {

constexpr std::size_t places = 8;
using positions = std::array<std::size_t, places>;

// Deals numbered elements to the places that are named, behind `skipped` elements of a line.
template <class T>
void expect_dealt(const std::vector<std::uint8_t>& named, std::size_t skipped) {
  positions next{};
  for (const std::uint8_t place : named) ++next[place];
  std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
  constexpr T untouched = 99;
  std::vector<T> expected(named.size() + 2, untouched);
  positions by_one = next;
  for (std::size_t i = 0; i < named.size(); ++i) {
    expected[1 + by_one[named[i]]++] = static_cast<T>(i);
  }
  // The elements before and behind must stay as they are.
  std::vector<T> memory(64 + named.size() + 2, untouched);
  T* const there = memory.data() + skipped;
  line_writer<T, places> out(there + 1, next);
  ASSERT_TRUE(out.is_ready());
  for (std::size_t i = 0; i < named.size(); ++i) out.put(named[i], static_cast<T>(i));
  out.finish();
  ASSERT_EQ(std::vector<T>(there, there + expected.size()), expected);
  ASSERT_EQ(next, by_one);
}

RC_GTEST_PROP(LineWriter, putsAllWhereSingleWritesWould, ()) {
  const auto named = *rc::gen::scale(8.0, rc::gen::container<std::vector<std::uint8_t>>(
                                              rc::gen::inRange<std::uint8_t>(0, places)));
  const auto skipped = *rc::gen::inRange<std::size_t>(0, 64);
  expect_dealt<std::uint8_t>(named, skipped);
  expect_dealt<std::int16_t>(named, skipped);
  expect_dealt<std::uint32_t>(named, skipped);
  expect_dealt<std::uint64_t>(named, skipped);
}

TEST(LineWriter, writesLinesThatFillExactly) {
  for (std::size_t n = 0; n <= 40; ++n) {
    const std::vector<std::uint8_t> all(n, std::uint8_t{3});
    for (std::size_t skipped = 0; skipped < 16; ++skipped) {
      expect_dealt<std::uint32_t>(all, skipped);
      expect_dealt<std::uint64_t>(all, skipped);
    }
  }
}

}  // namespace
}  // namespace cleave::detail
