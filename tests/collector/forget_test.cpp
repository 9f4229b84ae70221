// forget_test.cpp -- arrays that are let go: at once, once, and without anything dangling.
#include <cleave/collector.hpp>

#include <gtest/gtest.h>

#include <cleave/heap.hpp>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "collector/objects.hpp"

namespace cleave {
namespace {

using gc::byte_array;
using gc::extent;
using gc::local;
using gc::release;
using test::pair;

constexpr std::size_t large = 100'000;

TEST(Forget, givesTheMemoryBackAtOnce) {
  gc::collector c(test::small());
  gc::mutator m(c);
  const local<byte_array> a = m.make_bytes(large);
  const std::size_t with = heap::live_bytes();
  EXPECT_EQ(m.forget(a), release::done);
  EXPECT_LE(heap::live_bytes(), with - large);
}

TEST(Forget, turnsEveryLaterAccessIntoAnError) {
  gc::collector c(test::small());
  gc::mutator m(c);
  const local<byte_array> a = m.make_bytes(large);
  const local<byte_array> stale = a;
  ASSERT_EQ(m.forget(a), release::done);
  EXPECT_TRUE(stale->forgotten());
  EXPECT_EQ(stale->size(), 0u);
  EXPECT_EQ(stale->data(), nullptr);
  EXPECT_THROW((void)stale->bytes(), gc::forgotten_array);
  EXPECT_THROW((void)stale->as<int>(), gc::forgotten_array);
  EXPECT_THROW((void)stale->at(0), gc::forgotten_array);
  m.collect(extent::all);
  EXPECT_THROW((void)stale->bytes(), gc::forgotten_array);
}

TEST(Forget, saysWhichMisuseItWasAndChangesNothing) {
  gc::collector c(test::small());
  gc::collector other(test::small());
  gc::mutator m(c);
  gc::mutator elsewhere(other);
  const local<byte_array> small = m.make_bytes(10);
  small->at(3) = std::byte{7};
  EXPECT_EQ(m.forget(small), release::too_small);
  EXPECT_EQ(small->at(3), std::byte{7});

  const local<byte_array> a = m.make_bytes(large);
  EXPECT_EQ(elsewhere.forget(a), release::stranger);
  EXPECT_EQ(a->size(), large);
  EXPECT_EQ(m.trim(a, large + 1), release::out_of_range);
  EXPECT_EQ(m.forget(a), release::done);
  EXPECT_EQ(m.forget(a), release::already);
  EXPECT_EQ(m.trim(a, 0), release::already);
  EXPECT_EQ(m.take(a).answer, release::already);

  EXPECT_EQ(m.forget(local<byte_array>(m)), release::not_bytes);
  const local<gc::value> refs = m.make_refs<gc::value>(1000);
  EXPECT_EQ(m.forget(refs), release::not_bytes);
  EXPECT_EQ(m.forget(local<gc::value>(m, gc::immediate::integer(1))), release::not_bytes);
}

TEST(Forget, takeHandsTheBytesToTheCaller) {
  gc::collector c(test::small());
  gc::mutator m(c);
  const local<byte_array> a = m.make_bytes(large);
  std::byte* const data = a->data();
  data[large - 1] = std::byte{9};
  gc::taken_bytes taken = m.take(a);
  ASSERT_TRUE(taken);
  EXPECT_EQ(taken.bytes.data(), data);
  EXPECT_EQ(taken.bytes.size(), large);
  EXPECT_EQ(taken.bytes[large - 1], std::byte{9});
  EXPECT_TRUE(a->forgotten());
}

TEST(Forget, aHalfIsForgottenByTakeCutAndGive) {
  gc::collector c(test::small());
  gc::mutator m(c);
  local<byte_array> a = m.make_bytes(large);
  (*a.get())[10] = std::byte{1};
  array<std::byte> whole = m.take(a).bytes;
  {
    const array<std::byte> half = whole.cut(large / 2);
  }
  std::byte* const data = whole.data();
  a = m.give(std::move(whole));
  EXPECT_TRUE(whole.empty());
  EXPECT_EQ(a->data(), data);
  EXPECT_EQ(a->size(), large / 2);
  EXPECT_EQ(a->at(10), std::byte{1});
  const gc::statistics now = c.stats();
  EXPECT_EQ(now.large_young, large / 2);
  EXPECT_EQ(now.taken, large);
  EXPECT_EQ(now.given, large / 2);
}

TEST(Forget, trimKeepsTheFrontAndFreesTheRest) {
  gc::collector c(test::small());
  gc::mutator m(c);
  const local<byte_array> a = m.make_bytes(large);
  a->at(99) = std::byte{5};
  const std::size_t with = heap::live_bytes();
  EXPECT_EQ(m.trim(a, 100), release::done);
  EXPECT_EQ(heap::live_bytes(), with - large + 100);
  EXPECT_EQ(a->size(), 100u);
  EXPECT_EQ(a->at(99), std::byte{5});
  EXPECT_THROW((void)a->at(100), std::out_of_range);
  EXPECT_EQ(c.stats().forgotten, large - 100);
  EXPECT_EQ(c.stats().charged, 100u);
  EXPECT_EQ(m.forget(a), release::done);
}

TEST(Forget, withoutItACollectionFreesThePayload) {
  gc::collector c(test::small());
  gc::mutator m(c);
  {
    const local<byte_array> a = m.make_bytes(large);
  }
  EXPECT_EQ(c.stats().large_young, large);
  m.collect(extent::young);
  EXPECT_EQ(c.stats().large_young, 0u);
  EXPECT_EQ(c.stats().swept, large);
}

TEST(Forget, isRefusedWhileTheBytesAreLent) {
  gc::collector c(test::small());
  gc::mutator m(c);
  const local<byte_array> a = m.make_bytes(large);
  {
    const gc::lend out(m, a);
    EXPECT_EQ(out.bytes().data(), a->data());
    EXPECT_EQ(m.forget(a), release::lent);
    EXPECT_EQ(m.trim(a, 5), release::lent);
    EXPECT_EQ(m.take(a).answer, release::lent);
    EXPECT_EQ(a->size(), large);
  }
  EXPECT_EQ(m.forget(a), release::done);
  const auto borrow = [&](const local<byte_array>& from) { const gc::lend out(m, from); };
  EXPECT_THROW(borrow(a), gc::forgotten_array);
  EXPECT_THROW(borrow(m.make_bytes(1)), std::invalid_argument);
}

TEST(Forget, lentBytesLiveWithoutAnyOtherReference) {
  gc::collector c(test::small());
  gc::mutator m(c);
  local<byte_array> a = m.make_bytes(large);
  const gc::lend out(m, a);
  a = nullptr;
  m.collect(extent::all);
  out.bytes()[0] = std::byte{1};
  EXPECT_EQ(c.stats().large_arrays, 1u);
}

// The two programs that crash a collector in which forget() removes the object itself:
// a dead object of the old generation is still a root of young collections.
TEST(Forget, aBufferInAnOldBoxWhoseOwnerIsDeadRunsClean) {
  gc::collector c(test::small());
  gc::mutator m(c);
  local<pair> box = m.make<pair>();
  m.collect(extent::young);
  m.collect(extent::young);
  local<byte_array> buffer = m.make_bytes(large);
  box->head = buffer;
  box = nullptr;
  ASSERT_EQ(m.forget(buffer), release::done);
  buffer = nullptr;
  for (unsigned i = 0; i < 20'000; ++i) (void)m.make<test::node>(i);
  m.collect(extent::young);
  // Memory of the same size takes the place of the old one.
  const local<byte_array> next = m.make_bytes(large);
  for (int i = 0; i < 3; ++i) m.collect(extent::young);
  for (const std::byte b : next->bytes()) ASSERT_EQ(b, std::byte{0});
  EXPECT_EQ(c.verify(m), "");
}

TEST(Forget, aBufferMadeLateInAnOldRecordRunsClean) {
  gc::collector c(test::small());
  gc::mutator m(c);
  local<pair> record = m.make<pair>();
  local<pair> holder = m.make<pair>();
  holder->tail = record;
  m.collect(extent::young);
  m.collect(extent::young);
  // The buffer is made when it is first asked for, by way of a young object.
  {
    const local<pair> made = m.make<pair>();
    made->head = m.make_bytes(large);
    record->head = made;
  }
  const local<gc::value> buffer(m, record->head.get().as<pair>()->head);
  holder = nullptr;
  record = nullptr;
  ASSERT_EQ(m.forget(buffer), release::done);
  for (int round = 0; round < 3; ++round) {
    local<gc::value> list(m);
    for (unsigned i = 0; i < 5'000; ++i) {
      const local<gc::value> number(m, gc::immediate::integer(i));
      list = m.make<pair>(number, list);
    }
    m.collect(extent::young);
  }
  EXPECT_EQ(c.verify(m), "");
}

}  // namespace
}  // namespace cleave
