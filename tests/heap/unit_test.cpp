// unit_test.cpp -- the dead-byte counter: pieces of pages and slots in every order. Several
// threads at once are in shared_unit_test.cpp.
#include "heap/unit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <random>
#include <thread>
#include <vector>

#include "heap/small_heap.hpp"
#include "support/environment.hpp"
#include "support/memory.hpp"
#include "support/whole_heap.hpp"

namespace cleave::heap {
namespace {

using test::operator""_KiB;

std::byte* made(std::size_t bytes) {
  return static_cast<std::byte*>(allocate(bytes));
}

std::uint16_t dead_at(const void* p) {
  return place_of(reinterpret_cast<std::uintptr_t>(p)).dead->load();
}

class Unit : public test::SmallHeap {};
class TentativeUnit : public test::SmallHeap {};

// Two threads that take turns: each does its step while the other waits.
class partner {
 public:
  partner() : thread_([this] { work(); }) {}
  ~partner() {
    tell([] {});
    stop_ = true;
    turn_ = 1;
    turn_.notify_one();
    thread_.join();
  }
  // Runs the step on the other thread.
  void tell(std::function<void()> step) {
    step_ = std::move(step);
    turn_ = 1;
    turn_.notify_one();
    turn_.wait(1);
  }

 private:
  void work() {
    for (;;) {
      turn_.wait(0);
      if (stop_) return;
      step_();
      turn_ = 0;
      turn_.notify_one();
    }
  }
  std::function<void()> step_;
  std::atomic<int> turn_{0};
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

// ---- One thread

TEST_F(Unit, isFoundForEveryByteOfASlotAndAPage) {
  for (const std::size_t bytes : {16U, 24U, 48U, 112U, 1000U, 3000U, 4096U, 10'000U}) {
    std::byte* const p = made(bytes);
    for (std::size_t i = 0; i < bytes; ++i) {
      const place in = place_of(reinterpret_cast<std::uintptr_t>(p + i));
      ASSERT_LE(in.begin, reinterpret_cast<std::uintptr_t>(p + i));
      ASSERT_GT(in.begin + in.size, reinterpret_cast<std::uintptr_t>(p + i));
      if (bytes <= largest_slot) {
        ASSERT_EQ(in.begin, reinterpret_cast<std::uintptr_t>(p));
        ASSERT_EQ(in.size, slot_size(in.kind - 1));
      } else {
        ASSERT_EQ(in.kind, 0U);
        ASSERT_EQ(in.size, page_size);
      }
    }
    free(p, bytes);
  }
}

TEST_F(Unit, countsTheRoomBehindARunAsDeadFromTheBegin) {
  std::byte* const slot = made(100);
  EXPECT_EQ(dead_at(slot), 12U) << "a slot of 112 bytes";
  std::byte* const pages = made(5000);
  EXPECT_EQ(dead_at(pages), 0U);
  EXPECT_EQ(dead_at(pages + 4096), 4096U - (5000U - 4096U));
  std::byte* const whole = made(8192);
  EXPECT_EQ(dead_at(whole + 4096), 0U);
  free(slot, 100);
  free(pages, 5000);
  free(whole, 8192);
}

// All orders in which up to five pieces can be freed, cut at every kind of place.
TEST_F(Unit, isFreeAfterItsPiecesInEveryOrder) {
  for (const std::size_t bytes : {16U, 64U, 100U, 112U, 1024U, 4096U, 4000U}) {
    for (std::size_t pieces = 2; pieces <= 5; ++pieces) {
      std::vector<std::size_t> cuts(pieces + 1);
      for (std::size_t i = 0; i <= pieces; ++i) cuts[i] = bytes * i * i / (pieces * pieces);
      std::vector<std::size_t> order(pieces);
      for (std::size_t i = 0; i < pieces; ++i) order[i] = i;
      do {
        std::byte* const p = made(bytes);
        for (std::size_t i = 0; i < pieces; ++i) {
          free(p + cuts[order[i]], cuts[order[i] + 1] - cuts[order[i]]);
        }
        ASSERT_EQ(verify(), "");
        ASSERT_EQ(live_bytes(), 0U) << bytes << " in " << pieces;
        // It is free as a whole: the next run of the size has the same place.
        std::byte* const next = made(bytes);
        ASSERT_EQ(next, p) << bytes << " in " << pieces;
        free(next, bytes);
      } while (std::next_permutation(order.begin(), order.end()) && pieces < 5);
    }
  }
}

TEST_F(Unit, takesPiecesOfSeveralUnitsInTurn) {
  // Each free closes the unit that the one before has opened.
  for (const std::size_t bytes : {64U, 4096U, 112U}) {
    std::array<std::byte*, 16> runs{};
    for (auto& p : runs) p = made(bytes);
    for (std::size_t piece = 0; piece < bytes; piece += bytes / 16) {
      for (auto& p : runs) free(p + piece, bytes / 16);
    }
    EXPECT_EQ(live_bytes(), 0U);
    EXPECT_EQ(verify(), "");
  }
}

TEST_F(Unit, emptyPiecesAreNoFrees) {
  std::byte* const p = made(64);
  const std::uint64_t before = stats().frees;
  free(p, 0);
  free(p + 64, 0);
  free(nullptr, 0);
  free(reinterpret_cast<void*>(UINTPTR_MAX), 0);
  EXPECT_EQ(stats().frees, before);
  free(p, 30);
  // Inside an open unit, at both of its ends, and inside of what is dead.
  free(p, 0);
  free(p + 40, 0);
  free(p + 64, 0);
  EXPECT_EQ(stats().frees, before + 1);
  EXPECT_EQ(verify(), "");
  free(p + 30, 34);
  EXPECT_EQ(stats().frees, before + 1) << "in a row with the first piece";
  EXPECT_EQ(live_bytes(), 0U);
}

// What is freed last goes on upwards or downwards; the unit is free when all of it is.
TEST_F(Unit, growsItsRowUpwardsAndDownwards) {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < test::by_build(2000, 500); ++round) {
    const std::size_t bytes = random() % 2 == 0 ? 256 : 4096;
    const std::size_t step = bytes / 16;
    std::byte* const p = made(bytes);
    // Some of it is freed by another way first, so that less than the unit is left.
    std::size_t end = bytes;
    if (random() % 2 == 0) {
      end -= step * (1 + random() % 8);
      free(p + end, bytes - end);
      purge();
    }
    std::size_t low = random() % (end / step) * step;
    std::size_t high = low;
    while (low > 0 || high < end) {
      if (low == 0 || (high < end && random() % 2 == 0)) {
        free(p + high, step);
        high += step;
      } else {
        low -= step;
        free(p + low, step);
      }
      ASSERT_EQ(live_bytes(), end - (high - low));
    }
    // At once, without a call that closes the unit.
    std::byte* const next = made(bytes);
    ASSERT_EQ(next, p) << bytes << " in round " << round;
    free(next, bytes);
    if (round % 50 == 0) {
      ASSERT_EQ(verify(), "");
    }
  }
}

TEST_F(Unit, givesTinyRunsTheBytesThatWereFreedLast) {
  for (const std::size_t bytes : {64U, 4096U}) {
    std::byte* const p = made(bytes);
    free(p, 24);
    std::byte* const back = static_cast<std::byte*>(try_allocate(8, 8));
    EXPECT_EQ(back, p + 16);
    EXPECT_EQ(live_bytes(), bytes - 16);
    EXPECT_EQ(verify(), "");
    free(back, 8);
    free(p + 24, bytes - 24);
    EXPECT_EQ(live_bytes(), 0U);
    EXPECT_EQ(verify(), "");
  }
}

TEST_F(Unit, isHandedOutAgainToARunOfItsSize) {
  for (const std::size_t bytes : {16U, 100U, 112U, 3000U}) {
    const statistics before = stats();
    std::byte* const p = made(bytes);
    for (int round = 1; round < 4; ++round) {
      free(p, bytes / 3);
      free(p + bytes / 3, bytes - bytes / 3);
      EXPECT_EQ(live_bytes(), 0U);
      EXPECT_EQ(verify(), "");
      const unsigned c = class_for(bytes, 16);
      EXPECT_EQ(stats().classes[c].slots_used, 0U) << "what waits is not used";
      ASSERT_EQ(made(bytes), p);
      EXPECT_EQ(live_bytes(), bytes);
      EXPECT_EQ(stats().allocations, before.allocations + 1 + static_cast<unsigned>(round));
      EXPECT_EQ(stats().frees, before.frees + static_cast<unsigned>(round));
    }
    free(p, bytes);
    EXPECT_EQ(stats().frees, stats().allocations);
    // The same slot for another size of its class.
    ASSERT_EQ(made(bytes - 1), p);
    free(p, bytes - 1);
  }
}

TEST_F(Unit, isHandedOutAgainOnlyAsItIsAligned) {
  std::array<std::byte*, 2> slots{};
  for (auto& slot : slots) slot = static_cast<std::byte*>(allocate(24, 8));
  // One of two neighbours of 24 bytes is not aligned to 16.
  for (std::byte* const slot : slots) {
    free(slot, 24);
    std::byte* const next = made(24);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(next) % 16, 0U);
    free(next, 24);
  }
  purge();
}

TEST_F(Unit, ofWhichEverythingWasTakenBackMayBecomeAnythingElse) {
  for (const std::size_t bytes : {64U, 4096U}) {
    std::byte* const p = made(bytes);
    free(p + 8, 8);
    ASSERT_EQ(try_allocate(8, 8), p + 8);
    EXPECT_EQ(live_bytes(), bytes);
    EXPECT_EQ(verify(), "");
    // Another thread frees it, and it comes back as something of another kind.
    std::thread([p, bytes] { free(p, bytes); }).join();
    purge();
    std::byte* const next = made(bytes == 64 ? 8192 : 32);
    free(next, 8);
    EXPECT_EQ(verify(), "");
    free(next + 8, (bytes == 64 ? 8192 : 32) - 8);
    EXPECT_EQ(live_bytes(), 0U);
    purge();
    EXPECT_EQ(verify(), "");
  }
}

TEST_F(Unit, isClosedByPurgeAndByTheEndOfItsThread) {
  std::byte* const slot = made(64);
  std::byte* const page = made(4096);
  free(slot, 10);
  EXPECT_EQ(dead_at(slot), 0U) << "this thread has it open";
  purge();
  EXPECT_EQ(dead_at(slot), 10U);
  std::thread([&] { free(page + 1000, 50); }).join();
  EXPECT_EQ(dead_at(page), 50U);
  EXPECT_EQ(live_bytes(), 54U + 4046U);
  EXPECT_EQ(verify(), "");
  free(slot + 10, 54);
  free(page, 1000);
  free(page + 1050, 3046);
}

TEST_F(Unit, ofAThreadIsInTheStatisticsOfAnother) {
  std::byte* const p = made(4096);
  const std::uint64_t before = stats().frees;
  partner other;
  other.tell([p] {
    free(p, 1000);
    free(p + 1000, 1000);
  });
  EXPECT_EQ(dead_at(p), 0U);
  EXPECT_EQ(live_bytes(), 2096U);
  EXPECT_EQ(stats().frees, before + 1) << "two pieces in a row";
  EXPECT_EQ(verify(), "");
  free(p + 2000, 2096);
  EXPECT_EQ(live_bytes(), 0U);
}

// ---- Units that are opened before anything is freed in them

// A slot that the thread had at hand; only such a slot is opened when it is handed out.
std::byte* made_at_hand(std::size_t bytes) {
  free(made(bytes), bytes);
  std::byte* const p = made(bytes);
  EXPECT_EQ(cleave::detail::this_unit.state, cleave::detail::open_unit::phase::tentative);
  return p;
}

// Another thread frees the slot of 64 bytes that this one has open, and its slab goes back.
void give_back_slab_of(std::byte* p, partner& other) {
  other.tell([p] {
    free(p, 64);
    purge();
  });
  this_cache->flush();
  slabs::purge();
}

TEST_F(TentativeUnit, isForgottenWhenAnotherThreadFreesTheSlot) {
  partner other;
  std::byte* const p = made_at_hand(64);
  other.tell([p] { free(p, 64); });
  std::byte* again = nullptr;
  other.tell([&again] { again = made(64); });
  ASSERT_EQ(again, p);
  // Now the other one has it, and this thread gets one half of it back.
  free(p, 32);
  other.tell([p] { free(p + 32, 32); });
  EXPECT_EQ(live_bytes(), 0U);
  EXPECT_EQ(verify(), "");
}

TEST_F(TentativeUnit, whoseSlotHasBeenHandedOutInPartStillAddsUp) {
  partner other;
  std::byte* const p = made_at_hand(64);
  std::byte* again = nullptr;
  other.tell([p, &again] {
    free(p, 64);
    // The last four bytes are dead this time.
    again = made(60);
  });
  ASSERT_EQ(again, p);
  free(p, 60);
  EXPECT_EQ(live_bytes(), 0U);
  EXPECT_EQ(verify(), "");
  purge();
  EXPECT_EQ(verify(), "");
}

TEST_F(TentativeUnit, whoseSlabHasBecomePagesFreesPages) {
  partner other;
  std::byte* const p = made_at_hand(64);
  other.tell([p] {
    free(p, 64);
    purge();
  });
  // This thread still keeps slots of the slab, but its open slot must survive giving them back.
  std::byte* pages = nullptr;
  this_cache->flush();
  slabs::purge();
  pages = made(64_KiB);
  ASSERT_EQ(pages, p) << "the slab's pages are used again";
  std::memset(pages, 7, 64_KiB);
  free(pages, 40);
  EXPECT_EQ(live_bytes(), 64_KiB - 40);
  EXPECT_EQ(verify(), "");
  free(pages + 40, 64_KiB - 40);
  EXPECT_EQ(live_bytes(), 0U);
  EXPECT_EQ(verify(), "");
}

TEST_F(TentativeUnit, whoseSlabHasAnotherClassFreesTheNewSlot) {
  partner other;
  std::byte* const p = made_at_hand(64);
  give_back_slab_of(p, other);
  std::byte* slot = nullptr;
  // A slot of 1024 bytes at the same place, the rest of which stays.
  other.tell([&slot] { slot = made(1024); });
  ASSERT_EQ(slot, p);
  free(slot, 64);
  EXPECT_EQ(live_bytes(), 1024U - 64U);
  free(slot + 64, 1024 - 64);
  EXPECT_EQ(live_bytes(), 0U);
  EXPECT_EQ(verify(), "");
}

TEST_F(TentativeUnit, whoseSlabHasBecomePagesFreesExactlyTheSlotsBytes) {
  partner other;
  std::byte* const p = made_at_hand(64);
  give_back_slab_of(p, other);
  std::byte* const pages = made(64_KiB);
  ASSERT_EQ(pages, p);
  // To the very limit of the slot that it was, in one piece and in several.
  free(pages, 64);
  EXPECT_EQ(verify(), "");
  free(pages + 64, 64_KiB - 64);
  EXPECT_EQ(live_bytes(), 0U);
  EXPECT_EQ(verify(), "");
}

TEST_F(TentativeUnit, whoseSlabHasBecomePagesHandsOutTheirBytes) {
  partner other;
  std::byte* const p = made_at_hand(64);
  give_back_slab_of(p, other);
  std::byte* const pages = made(64_KiB);
  ASSERT_EQ(pages, p);
  free(pages, 64);
  // A run between pieces of another, and no slot at all.
  ASSERT_EQ(made(64), pages);
  EXPECT_EQ(live_bytes(), 64_KiB);
  EXPECT_EQ(verify(), "");
  other.tell([pages] { free(pages, 64); });
  free(pages + 64, 64_KiB - 64);
  EXPECT_EQ(live_bytes(), 0U);
  EXPECT_EQ(verify(), "");
}

TEST_F(TentativeUnit, whoseSlabHasSmallerSlotsFreesAllOfThem) {
  partner other;
  std::byte* const p = made_at_hand(64);
  give_back_slab_of(p, other);
  std::array<std::byte*, 4> slots{};
  for (auto& slot : slots) slot = static_cast<std::byte*>(try_allocate_at_least(16).pointer);
  ASSERT_EQ(slots[0], p);
  ASSERT_EQ(slots[3], p + 48);
  // Four slots that touch, as one run that ends inside the last of them and then all of it.
  free(p, 40);
  EXPECT_EQ(live_bytes(), 24U);
  EXPECT_EQ(verify(), "");
  free(p + 40, 24);
  EXPECT_EQ(live_bytes(), 0U);
  EXPECT_EQ(verify(), "");
}

TEST_F(TentativeUnit, isLeftForAnotherByAFreeElsewhere) {
  std::byte* const pages = made(8192);
  std::byte* const p = made_at_hand(128);
  // Opens the page; the slot is not open any more, and nothing of it is lost.
  free(pages, 100);
  free(p, 50);
  free(p + 50, 78);
  free(pages + 100, 8092);
}

TEST(FreeOfNothing, countsAsNoFree) {
  std::byte* const p = made(4096);
  free(p, 100);
  const std::uint64_t before = stats().frees;
  free(p + 200, 0);
  free(p + 50, 0);
  free(nullptr, 0);
  EXPECT_EQ(stats().frees, before);
  free(p + 100, 3996);
}

// ---- Misuse that the counter sees

// Where they are still in the row, or where they are more than the unit has.
constexpr const char* freed_twice =
    "bytes were freed twice|more bytes were freed than there are: freed twice\\?";

TEST(UnitDeathTest, seesAPieceThatIsFreedTwiceInTheOpenUnit) {
  std::byte* const p = made(64);
  EXPECT_DEATH(
      {
        free(p, 40);
        free(p, 40);
      },
      freed_twice);
  EXPECT_DEATH(
      {
        free(p, 20);
        free(p + 20, 20);
        free(p + 10, 30);
      },
      freed_twice);
  std::byte* const page = made(4096);
  EXPECT_DEATH(
      {
        free(page, 2000);
        free(page, 2097);
      },
      freed_twice);
  std::byte* const with_room = made(60);
  EXPECT_DEATH(
      {
        free(with_room, 40);
        free(with_room, 40);
      },
      freed_twice);
  free(p, 64);
  free(page, 4096);
  free(with_room, 60);
}

TEST(UnitDeathTest, seesAPieceThatIsFreedTwiceFromTwoThreads) {
  std::byte* const p = made(4096);
  std::thread([p] { free(p, 3000); }).join();
  EXPECT_DEATH(
      {
        free(p, 3000);
        purge();
      },
      freed_twice);
  EXPECT_DEATH(free(p + 1000, 1097), freed_twice);
  EXPECT_DEATH(
      {
        free(p, 1000);
        free(p + 3000, 96 + 1);
      },
      freed_twice);
  free(p + 3000, 1096);
}

}  // namespace
}  // namespace cleave::heap
