// reader_test.cpp -- recordings that were made by hand, whole, torn and damaged.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cleave/trace.hpp>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "trace/format.hpp"

namespace cleave::trace {
namespace {

// One event of each kind, of two threads, with places, a module and an end.
recording one_of_each() {
  recording all;
  all.base = 0x7000'0000'0000;
  all.reserved = std::uint64_t{1} << 40;
  all.lost = 3;
  all.started = 1'700'000'000'000'000'000;
  all.process = 4242;
  all.program = "/usr/bin/program";
  all.places.push_back({{0x401234, 0x401999, 0x400100}});
  all.places.push_back({{0x401300}});
  all.modules.push_back({0x400000, 0x402000, 0, "/usr/bin/program"});
  all.complete = true;
  const std::uint64_t a = all.base + 4096;
  all.events = {
      {10, a, 100, 0, 1, 1, event_kind::allocate},
      {20, a, 100, 40, 1, 1, event_kind::cut},
      {25, a + 4096, 64, 0, 2, 2, event_kind::allocate},
      {30, a, 100, 40, 2, 1, event_kind::join},
      {40, a + 8192, 164, 164, 1, 2, event_kind::copy},
      {50, a, 120, 100, 1, 1, event_kind::extend},
      {60, a, 120, 0, 0, 2, event_kind::free},
      {70, 0, 1 << 20, 0, 1, 1, event_kind::purge},
      {80, 1, 5000, 300, 0, 1, event_kind::collection},
      {90, a + (1 << 20), 1 << 19, 0, 2, 1, event_kind::forget},
  };
  return all;
}

recording must_read(std::span<const std::byte> bytes) {
  std::string why;
  const auto all = try_read(bytes, why);
  EXPECT_TRUE(all.has_value()) << why;
  return all.value_or(recording{});
}

std::string refusal(std::span<const std::byte> bytes) {
  std::string why;
  EXPECT_FALSE(try_read(bytes, why).has_value());
  return why;
}

std::vector<std::byte> bytes_of(const std::string& text) {
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

TEST(TraceReader, readsWhatWasWritten) {
  const recording all = one_of_each();
  const recording read = must_read(encode(all));
  EXPECT_EQ(read.base, all.base);
  EXPECT_EQ(read.reserved, all.reserved);
  EXPECT_EQ(read.page_bytes, all.page_bytes);
  EXPECT_EQ(read.lost, 3U);
  EXPECT_EQ(read.started, all.started);
  EXPECT_EQ(read.process, 4242U);
  EXPECT_EQ(read.program, all.program);
  EXPECT_EQ(read.places, all.places);
  EXPECT_EQ(read.modules, all.modules);
  EXPECT_EQ(read.events, all.events);
  EXPECT_TRUE(read.complete);
  EXPECT_EQ(read.ending, "");
}

RC_GTEST_PROP(TraceReader, readsRandomEventsAsTheyWere, ()) {
  recording all;
  all.complete = true;
  const auto numbers = *rc::gen::container<std::vector<std::uint64_t>>(
      rc::gen::inRange<std::uint64_t>(0, UINT64_MAX));
  all.places.resize(1 + *rc::gen::inRange<std::size_t>(0, 300));
  std::uint64_t time = 0;
  for (const std::uint64_t number : numbers) {
    // Widths of all sizes.
    const auto some = [](std::uint64_t n) {
      return *rc::gen::arbitrary<std::uint64_t>() >> (n % 64);
    };
    time += 1 + (number >> 40);
    all.events.push_back({time, some(number), some(number >> 6), some(number >> 12),
                          static_cast<std::uint32_t>(number % all.places.size()),
                          1 + static_cast<std::uint32_t>(number % 3),
                          static_cast<event_kind>(number % event_kinds)});
  }
  const recording read = must_read(encode(all));
  RC_ASSERT(read.events == all.events);
  RC_ASSERT(read.complete);
}

TEST(TraceReader, readsAPrefixOfAFileThatIsTornAtAnyByte) {
  const recording all = one_of_each();
  const std::vector<std::byte> whole = encode(all);
  const std::size_t header = format::header_bytes(all.program.size());
  std::size_t most = 0;
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const std::span<const std::byte> torn(whole.data(), n);
    std::string why;
    const auto read = try_read(torn, why);
    ASSERT_EQ(read.has_value(), n >= header) << "at " << n;
    if (!read) {
      EXPECT_NE(why, "") << "at " << n;
      continue;
    }
    EXPECT_FALSE(read->complete) << "at " << n;
    EXPECT_NE(read->ending.find("byte "), std::string::npos) << "at " << n;
    // The events of a thread come in order, and no others than those that were written.
    for (const std::uint32_t thread : {1U, 2U}) {
      std::vector<event> had, want;
      for (const event& e : read->events)
        if (e.thread == thread) had.push_back(e);
      for (const event& e : all.events)
        if (e.thread == thread) want.push_back(e);
      ASSERT_LE(had.size(), want.size());
      for (std::size_t i = 0; i < had.size(); ++i) {
        want[i].place = had[i].place == 0 ? 0 : want[i].place;
        EXPECT_EQ(had[i], want[i]) << "at " << n;
      }
    }
    EXPECT_GE(read->events.size(), most);
    most = read->events.size();
  }
  EXPECT_EQ(most, all.events.size());
}

TEST(TraceReader, findsAnyByteThatWasChanged) {
  const recording all = one_of_each();
  const std::vector<std::byte> whole = encode(all);
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::vector<std::byte> damaged = whole;
    damaged[i] ^= std::byte{0x10};
    std::string why;
    const auto read = try_read(damaged, why);
    if (!read) continue;
    EXPECT_FALSE(read->complete) << "at " << i;
    EXPECT_NE(read->ending, "") << "at " << i;
    EXPECT_LE(read->events.size(), all.events.size());
  }
}

TEST(TraceReader, refusesAnotherVersionInWords) {
  std::vector<std::byte> bytes = encode(one_of_each());
  bytes[8] = std::byte{9};
  EXPECT_EQ(refusal(bytes), "byte 8: a recording of version 9; this reads version 1");
}

TEST(TraceReader, refusesWhatIsNoRecording) {
  EXPECT_EQ(refusal({}), "byte 0: this is no recording of CLEAVE_TRACE");
  EXPECT_EQ(refusal(bytes_of("#!/bin/sh\necho hello\n")),
            "byte 0: this is no recording of CLEAVE_TRACE");
  EXPECT_EQ(refusal(bytes_of("CLEAVETR")), "byte 8: the file ends inside its header");
}

TEST(TraceReader, saysWhichFileItCannotRead) {
  try {
    static_cast<void>(read("/nowhere/at/all.trace"));
    FAIL() << "it was read";
  } catch (const unreadable& error) {
    EXPECT_STREQ(error.what(), "'/nowhere/at/all.trace': No such file or directory");
  }
}

TEST(TraceReader, refusesAFileWithoutAnEnd) {
  EXPECT_THROW(static_cast<void>(read("/dev/zero")), unreadable);
}

TEST(TraceReader, putsFreesFirstAtOneTime) {
  recording all;
  all.complete = true;
  all.events = {{5, 4096, 16, 0, 0, 1, event_kind::allocate},
                {9, 4096, 16, 0, 0, 1, event_kind::free},
                {9, 4096, 16, 0, 0, 2, event_kind::allocate}};
  std::vector<event> swapped = {all.events[0], all.events[2], all.events[1]};
  // The thread that frees has the higher number, so its block comes last.
  for (event& e : swapped) e.thread = e.kind == event_kind::free ? 3 : 1;
  recording other = all;
  other.events = swapped;
  const recording read = must_read(encode(other));
  ASSERT_EQ(read.events.size(), 3U);
  EXPECT_EQ(read.events[1].kind, event_kind::free);
  EXPECT_EQ(read.events[2].kind, event_kind::allocate);
}

TEST(TraceReader, skipsBlocksOfAKindThatItDoesNotKnow) {
  const recording all = one_of_each();
  std::vector<std::byte> bytes = encode(all);
  std::vector<std::byte> room(format::block_header_bytes + 5);
  const auto block = format::seal(room.data(), static_cast<format::block_kind>(77), 0, 5);
  bytes.insert(
      bytes.begin() + static_cast<std::ptrdiff_t>(format::header_bytes(all.program.size())),
      block.begin(), block.end());
  const recording read = must_read(bytes);
  EXPECT_EQ(read.events, all.events);
  EXPECT_TRUE(read.complete);
}

TEST(TraceReader, takesNoMoreMemoryThanTheFileCanFill) {
  // A place that says it has 2^60 addresses, and a module with as long a path.
  const recording all = one_of_each();
  for (const auto kind : {format::block_kind::places, format::block_kind::modules}) {
    std::vector<std::byte> bytes(format::header_bytes(0));
    format::put_header(bytes.data(), {}, "", 0);
    std::vector<std::byte> room(format::block_header_bytes + 64);
    std::byte* p = room.data() + format::block_header_bytes;
    for (int i = 0; i < 4; ++i) p = format::put_number(p, std::uint64_t{1} << 60);
    const auto payload = static_cast<std::size_t>(p - room.data()) - format::block_header_bytes;
    const auto block = format::seal(room.data(), kind, 0, payload);
    bytes.insert(bytes.end(), block.begin(), block.end());
    const recording read = must_read(bytes);
    EXPECT_NE(read.ending.find("content"), std::string::npos);
    EXPECT_EQ(read.places.size(), 1U);
    EXPECT_TRUE(read.modules.empty());
  }
}

// The known values of CRC-32, so that others may check files with what they have.
TEST(TraceFormat, hasTheChecksumOfZlib) {
  const auto text = bytes_of("123456789");
  EXPECT_EQ(format::checksum(text.data(), text.size()), 0xCBF43926U);
  const auto half = format::checksum(text.data(), 4);
  EXPECT_EQ(format::checksum(text.data() + 4, 5, half), 0xCBF43926U);
  EXPECT_EQ(format::checksum(text.data(), 0), 0U);
}

TEST(TraceFormat, writesAnEventAsItIsDocumented) {
  std::byte room[256];
  format::event_encoder events;
  events.begin(room, sizeof room);
  ASSERT_TRUE(events.add({300, 16, 5, 0, 2, 0, event_kind::free}));
  ASSERT_TRUE(events.add({301, 15, 5, 7, 2, 0, event_kind::free}));
  const auto block = events.end(6);
  const std::vector<std::byte> payload(block.begin() + 16, block.end());
  // Tag, time 300 in two bytes, address +16, size, place. Then tag with same size, same place
  // and other; time +1, address -1, other.
  const std::vector<std::byte> want = {
      std::byte{0x01}, std::byte{0xAC}, std::byte{0x02}, std::byte{32}, std::byte{5},
      std::byte{2},    std::byte{0x71}, std::byte{1},    std::byte{1},  std::byte{7}};
  EXPECT_EQ(payload, want);
  EXPECT_EQ(format::get_fixed(block.data(), 4), 1U);
  EXPECT_EQ(format::get_fixed(block.data() + 4, 4), want.size());
  EXPECT_EQ(format::get_fixed(block.data() + 8, 4), 6U);
}

TEST(TraceFormat, takesTenBytesOrLessForAnUsualEvent) {
  // Slots of one class in turn, some hundred nanoseconds apart, from a few places.
  recording all;
  all.complete = true;
  all.places.resize(40);
  for (std::uint64_t i = 0; i < 10000; ++i) {
    all.events.push_back({i * 700, 0x7000'0000'0000 + (i * 7919 % 4096) * 48, 40 + i % 8, 0,
                          static_cast<std::uint32_t>(1 + i % 39), 1,
                          i % 2 == 0 ? event_kind::allocate : event_kind::free});
  }
  EXPECT_LE(encode(all).size(), 10 * all.events.size());
}

}  // namespace
}  // namespace cleave::trace
