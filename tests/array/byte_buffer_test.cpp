// byte_buffer_test.cpp -- byte buffers: growth, cutting, joining, exact ownership.
#include <gtest/gtest.h>

#include <algorithm>
#include <cleave/array.hpp>
#include <cleave/byte_buffer.hpp>
#include <cleave/heap.hpp>
#include <cleave/run.hpp>
#include <concepts>
#include <cstdint>
#include <random>
#include <ranges>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/environment.hpp"

namespace {

using cleave::byte_buffer;
using cleave::heap::live_bytes;

static_assert(!std::copyable<byte_buffer>);
static_assert(std::ranges::contiguous_range<byte_buffer>);
static_assert(sizeof(byte_buffer) == 3 * sizeof(void*));

// The heap holds `extra` bytes more than when this was made, or the test fails.
class live_meter {
 public:
  std::size_t extra() const { return live_bytes() - before_; }

 private:
  std::size_t before_ = live_bytes();
};

// No new allocation succeeds while this lives.
class full_heap {
 public:
  full_heap() { cleave::heap::set_held_limit(0); }
  full_heap(const full_heap&) = delete;
  full_heap& operator=(const full_heap&) = delete;
  ~full_heap() { cleave::heap::set_held_limit(SIZE_MAX); }
};

// More than the heap keeps ready for a thread.
constexpr std::size_t large = std::size_t{64} << 20;

TEST(ByteBuffer, ownsNothingAtFirst) {
  const live_meter meter;
  byte_buffer buffer;
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.capacity(), 0u);
  EXPECT_EQ(buffer.split().size(), 0u);
  EXPECT_EQ(buffer.split_to(0).size(), 0u);
  EXPECT_EQ(buffer.split_off(0).size(), 0u);
  buffer.advance(0);
  buffer.append(std::string_view());
  EXPECT_EQ(meter.extra(), 0u);
}

TEST(ByteBuffer, appendsAndReads) {
  byte_buffer buffer(std::string_view("ab"));
  buffer.append(std::string_view("cde"));
  EXPECT_EQ(buffer.text(), "abcde");
  EXPECT_EQ(buffer[4], std::byte{'e'});
  buffer.resize(7, std::byte{'x'});
  EXPECT_EQ(buffer.text(), "abcdexx");
  buffer.resize(1);
  EXPECT_EQ(buffer.text(), "a");
}

TEST(ByteBuffer, holdsItsCapacityOfTheHeapAndNoMore) {
  const live_meter meter;
  byte_buffer buffer = byte_buffer::with_capacity(1000);
  EXPECT_GE(buffer.capacity(), 1000u);
  EXPECT_EQ(meter.extra(), buffer.capacity());
  buffer.append(std::string(400, 'a'));
  buffer.shrink_to_fit();
  EXPECT_EQ(meter.extra(), 400u);
  buffer.advance(399);
  EXPECT_EQ(meter.extra(), 1u);
  buffer = byte_buffer();
  EXPECT_EQ(meter.extra(), 0u);
}

TEST(ByteBuffer, splitToTakesTheFrontAndLeavesTheRoom) {
  byte_buffer buffer = byte_buffer::with_capacity(64);
  buffer.append(std::string_view("headbody"));
  const std::byte* const place = buffer.data();
  const std::size_t capacity = buffer.capacity();
  const byte_buffer head = buffer.split_to(4);
  EXPECT_EQ(head.text(), "head");
  EXPECT_EQ(head.data(), place);
  EXPECT_EQ(head.capacity(), 4u);
  EXPECT_EQ(buffer.text(), "body");
  EXPECT_EQ(buffer.data(), place + 4);
  EXPECT_EQ(buffer.capacity(), capacity - 4);
}

TEST(ByteBuffer, splitOffTakesTheEndWithTheRoom) {
  byte_buffer buffer = byte_buffer::with_capacity(64);
  buffer.append(std::string_view("headbody"));
  const std::size_t capacity = buffer.capacity();
  const byte_buffer body = buffer.split_off(4);
  EXPECT_EQ(buffer.text(), "head");
  EXPECT_EQ(buffer.capacity(), 4u);
  EXPECT_EQ(body.text(), "body");
  EXPECT_EQ(body.capacity(), capacity - 4);
}

TEST(ByteBuffer, splitOffInsideTheRoomLeavesTheContentWhole) {
  byte_buffer buffer = byte_buffer::with_capacity(64);
  buffer.append(std::string_view("content"));
  byte_buffer room = buffer.split_off(32);
  EXPECT_EQ(buffer.text(), "content");
  EXPECT_EQ(buffer.capacity(), 32u);
  EXPECT_TRUE(room.empty());
  EXPECT_GE(room.capacity(), 32u);
  // Room is given back by a neighbour without content, too.
  EXPECT_TRUE(buffer.try_unsplit(std::move(room)));
  EXPECT_EQ(buffer.text(), "content");
  EXPECT_GE(buffer.capacity(), 64u);
}

TEST(ByteBuffer, splitTakesTheContentAndLeavesTheRoom) {
  byte_buffer buffer = byte_buffer::with_capacity(64);
  buffer.append(std::string_view("content"));
  const std::size_t capacity = buffer.capacity();
  const byte_buffer content = buffer.split();
  EXPECT_EQ(content.text(), "content");
  EXPECT_EQ(content.capacity(), 7u);
  EXPECT_TRUE(buffer.empty());
  EXPECT_EQ(buffer.capacity(), capacity - 7);
}

// 30 bytes of content and room for 10 more.
byte_buffer with_content_and_room() {
  byte_buffer buffer{cleave::run(40)};
  std::fill_n(buffer.data(), 30, std::byte{'c'});
  buffer.truncate(30);
  return buffer;
}

TEST(ByteBuffer, everySplitOffIsUndoneInPlace) {
  for (std::size_t at = 0; at <= 40; ++at) {
    byte_buffer buffer = with_content_and_room();
    const std::byte* const place = buffer.data();
    byte_buffer back = buffer.split_off(at);
    ASSERT_TRUE(buffer.try_unsplit(std::move(back))) << at;
    ASSERT_EQ(buffer.text(), std::string(30, 'c')) << at;
    ASSERT_EQ(buffer.data(), place) << at;
    ASSERT_EQ(buffer.capacity(), 40u) << at;
  }
}

TEST(ByteBuffer, everySplitToIsUndoneInPlace) {
  for (std::size_t at = 0; at <= 30; ++at) {
    byte_buffer back = with_content_and_room();
    const std::byte* const place = back.data();
    byte_buffer front = back.split_to(at);
    ASSERT_TRUE(front.try_unsplit(std::move(back))) << at;
    ASSERT_EQ(front.text(), std::string(30, 'c')) << at;
    ASSERT_EQ(front.data(), place) << at;
    ASSERT_EQ(front.capacity(), 40u) << at;
  }
}

TEST(ByteBuffer, tryUnsplitGivesAStrangerBackUnchanged) {
  byte_buffer left(std::string_view("left"));
  byte_buffer middle = left.split_off(2);
  byte_buffer right = middle.split_off(1);
  EXPECT_FALSE(left.try_unsplit(std::move(right)));
  EXPECT_EQ(left.text(), "le");
  EXPECT_EQ(right.text(), "t");
  left.unsplit(std::move(right));
  EXPECT_EQ(left.text(), "let");
  EXPECT_TRUE(right.empty());
}

TEST(ByteBuffer, roomBetweenTwoNeighboursIsNotTakenForContent) {
  byte_buffer buffer = byte_buffer::with_capacity(64);
  buffer.append(std::string_view("0123456789"));
  byte_buffer back = buffer.split_off(8);
  buffer.truncate(4);
  EXPECT_FALSE(buffer.try_unsplit(std::move(back)));
  buffer.unsplit(std::move(back));
  EXPECT_EQ(buffer.text(), "012389");
}

TEST(ByteBuffer, anEmptyBufferBecomesWhatItJoins) {
  const live_meter meter;
  byte_buffer next(std::string_view("next"));
  next.shrink_to_fit();
  const std::byte* const place = next.data();
  byte_buffer buffer = byte_buffer::with_capacity(100);
  EXPECT_TRUE(buffer.try_unsplit(std::move(next)));
  EXPECT_EQ(buffer.data(), place);
  EXPECT_EQ(meter.extra(), 4u);
}

TEST(ByteBuffer, appendsItsOwnBytesWhileItMoves) {
  byte_buffer buffer(std::string_view("0123456789abcdef"));
  for (int doubling = 0; doubling < 12; ++doubling) {
    const std::string before(buffer.text());
    buffer.shrink_to_fit();
    buffer.append(buffer.bytes());
    ASSERT_EQ(buffer.text(), before + before);
  }
}

TEST(ByteBuffer, growsByMovingOrInPlaceWithTheSameContent) {
  const live_meter meter;
  std::string expected;
  byte_buffer buffer;
  while (expected.size() < 3'000'000) {
    const std::string more(expected.size() / 3 + 7, static_cast<char>('a' + expected.size() % 26));
    buffer.append(more);
    expected += more;
    ASSERT_EQ(buffer.text(), expected);
    ASSERT_EQ(meter.extra(), buffer.capacity());
  }
}

TEST(ByteBuffer, readersWriteIntoTheSpareRoom) {
  byte_buffer buffer = byte_buffer::with_capacity(16);
  const std::size_t room = buffer.spare().size();
  EXPECT_EQ(room, buffer.capacity());
  buffer.spare()[0] = std::byte{'!'};
  buffer.commit(1);
  EXPECT_EQ(buffer.text(), "!");
  EXPECT_EQ(buffer.spare().size(), room - 1);
  EXPECT_THROW(buffer.commit(room), std::out_of_range);
  EXPECT_EQ(buffer.size(), 1u);
}

TEST(ByteBuffer, positionsPastTheEndThrowAndChangeNothing) {
  byte_buffer buffer(std::string_view("abc"));
  const std::size_t capacity = buffer.capacity();
  EXPECT_THROW(static_cast<void>(buffer.split_to(4)), std::out_of_range);
  EXPECT_THROW(static_cast<void>(buffer.split_off(capacity + 1)), std::out_of_range);
  EXPECT_THROW(buffer.advance(4), std::out_of_range);
  EXPECT_EQ(buffer.text(), "abc");
  EXPECT_EQ(buffer.capacity(), capacity);
}

TEST(ByteBuffer, withoutMemoryEverythingStaysAsItWas) {
  byte_buffer buffer(std::string_view("abc"));
  byte_buffer other(std::string_view("other"));
  const byte_buffer big = byte_buffer(cleave::run(large));
  buffer.shrink_to_fit();
  const live_meter meter;
  {
    const full_heap limit;
    EXPECT_FALSE(buffer.try_reserve(large));
    EXPECT_FALSE(buffer.try_resize(large));
    EXPECT_FALSE(buffer.try_append(big.bytes()));
    EXPECT_THROW(buffer.reserve(large), std::bad_alloc);
    EXPECT_THROW(buffer.append(big.bytes()), std::bad_alloc);
    EXPECT_THROW(buffer.resize(large), std::bad_alloc);
  }
  EXPECT_THROW(buffer.reserve(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW(buffer.resize(SIZE_MAX), std::bad_alloc);
  EXPECT_EQ(buffer.text(), "abc");
  EXPECT_EQ(meter.extra(), 0u);
  buffer.unsplit(std::move(other));
  EXPECT_EQ(buffer.text(), "abcother");
}

TEST(ByteBuffer, unsplitWithoutMemoryKeepsBoth) {
  byte_buffer buffer(std::string_view("abc"));
  byte_buffer big{cleave::run(large)};
  {
    const full_heap limit;
    EXPECT_THROW(buffer.unsplit(std::move(big)), std::bad_alloc);
  }
  EXPECT_EQ(buffer.text(), "abc");
  EXPECT_EQ(big.size(), large);
}

TEST(ByteBuffer, goesToARunAndBackWithoutACopy) {
  const live_meter meter;
  byte_buffer buffer = byte_buffer::with_capacity(100);
  buffer.append(std::string_view("frozen"));
  const std::byte* const place = buffer.data();
  cleave::run bytes = std::move(buffer).into_run();
  EXPECT_EQ(bytes.data(), place);
  EXPECT_EQ(bytes.size(), 6u);
  EXPECT_EQ(meter.extra(), 6u);
  const cleave::run end = bytes.cut(3);
  const byte_buffer again(std::move(bytes));
  EXPECT_EQ(again.text(), "fro");
  EXPECT_EQ(again.data(), place);
}

TEST(ByteBuffer, becomesAnArrayWithoutACopy) {
  const live_meter meter;
  byte_buffer in(std::string_view("frame and more"));
  byte_buffer frame = in.split_to(5);
  const std::byte* const place = frame.data();
  const auto values = cleave::array<std::byte>::adopt(std::move(frame).into_run().release());
  EXPECT_EQ(values.data(), place);
  EXPECT_EQ(values.size(), 5u);
  in = byte_buffer();
  EXPECT_EQ(meter.extra(), 5u);
}

TEST(ByteBuffer, comparesContents) {
  const byte_buffer a(std::string_view("a"));
  const byte_buffer b(std::string_view("b"));
  EXPECT_EQ(a, byte_buffer(std::string_view("a")));
  EXPECT_LT(a, b);
}

// Bytes arrive at the end by join and leave at the front: nothing is copied, so
// the place of each byte says that it never moved.
TEST(ByteBuffer, aWindowSlidesWithoutMovingAByte) {
  constexpr std::size_t total = 100'000;
  const live_meter meter;
  byte_buffer source{cleave::run(total)};
  const std::byte* const first = source.data();
  byte_buffer window = source.split_to(100);
  for (std::size_t passed = 0; !source.empty(); ++passed) {
    ASSERT_TRUE(window.try_unsplit(source.split_to(1)));
    window.advance(1);
    ASSERT_EQ(window.data(), first + passed + 1);
    ASSERT_EQ(meter.extra(), total - passed - 1);
  }
  EXPECT_EQ(window.size(), 100u);
}

// A handful of buffers beside strings, under random operations.
class buffers_and_model {
 public:
  explicit buffers_and_model(std::uint64_t seed) : random_(seed), buffers_(6), model_(6) {}

  void step() {
    const std::size_t i = below(buffers_.size());
    const std::size_t k = (i + 1 + below(buffers_.size() - 1)) % buffers_.size();
    byte_buffer& buffer = buffers_[i];
    std::string& text = model_[i];
    const std::size_t at = below(text.size() + 1);
    switch (below(12)) {
      case 0:
      case 1: {
        const std::string more(below(300), static_cast<char>('a' + below(26)));
        buffer.append(more);
        text += more;
        break;
      }
      case 2:
        buffers_[k] = buffer.split_to(at);
        model_[k] = text.substr(0, at);
        text.erase(0, at);
        break;
      case 3: {
        const std::size_t cut = below(buffer.capacity() + 1);
        buffers_[k] = buffer.split_off(cut);
        model_[k] = text.substr(std::min(cut, text.size()));
        text.resize(std::min(cut, text.size()));
        break;
      }
      case 4:
        buffers_[k] = buffer.split();
        model_[k] = std::exchange(text, {});
        break;
      case 5:
      case 6:
        buffer.unsplit(std::move(buffers_[k]));
        text += std::exchange(model_[k], {});
        break;
      case 7:
        buffer.advance(at);
        text.erase(0, at);
        break;
      case 8:
        buffer.truncate(at);
        text.resize(at);
        break;
      case 9: {
        const std::size_t size = below(400);
        buffer.resize(size, std::byte{'r'});
        text.resize(size, 'r');
        break;
      }
      case 10: buffer.reserve(below(500)); break;
      default: buffer.shrink_to_fit(); break;
    }
  }

  // Empty, or what is wrong.
  std::string difference(const live_meter& meter) const {
    std::size_t owned = 0;
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
      if (buffers_[i].text() != model_[i]) return "content of buffer " + std::to_string(i);
      if (buffers_[i].size() > buffers_[i].capacity()) return "B1";
      owned += buffers_[i].capacity();
    }
    return owned == meter.extra() ? "" : "B2";
  }

 private:
  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }

  std::mt19937_64 random_;
  std::vector<byte_buffer> buffers_;
  std::vector<std::string> model_;
};

TEST(ByteBuffer, agreesWithStringsUnderRandomOperations) {
  const live_meter meter;
  {
    buffers_and_model pair(cleave::test::seed());
    const std::size_t steps = cleave::test::steps(100'000, 20'000);
    for (std::size_t step = 0; step < steps; ++step) {
      pair.step();
      ASSERT_EQ(pair.difference(meter), "") << "step " << step;
    }
  }
  EXPECT_EQ(meter.extra(), 0u);
}

}  // namespace
