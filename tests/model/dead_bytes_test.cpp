// dead_bytes_test.cpp -- the counter of dead bytes, with what threads count for themselves.
//
// Threads free the pieces of one slot or page, in every order. The unit must be freed once, by
// the last of them, after all that was written to it, and no byte may be lost.
#include <gtest/gtest.h>

#include "model/heap_scenario.hpp"

namespace cleave::model {
namespace {

// Each thread frees its piece, tells it, and, if `again`, uses the unit that may be free then.
scenario pieces_of(std::size_t bytes, std::vector<std::size_t> ends, bool again = true) {
  scenario s = on_the_heap();
  static piece whole;
  s.prepare = [bytes] {
    whole = allocate(bytes);
    expect(whole.data != nullptr, "no memory");
  };
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const std::size_t from = i == 0 ? 0 : ends[i - 1];
    s.threads.emplace_back([from, to = ends[i], bytes, again] {
      free_after_writing(part(whole, from, to));
      close_unit();
      if (again) use(bytes);
    });
  }
  return s;
}

TEST(DeadBytes, ofASlotInTwoPiecesAreCountedOnce) {
  const outcome all = explore(pieces_of(48, {20, 48}));
  EXPECT_FALSE(all.cut_short);
  EXPECT_GT(all.executions, 5U);
}

TEST(DeadBytes, ofASlotWithSpareRoomAreCountedOnce) {
  EXPECT_FALSE(explore(pieces_of(41, {8, 41})).cut_short);
}

TEST(DeadBytes, ofASlotInThreePiecesAreCountedOnce) {
  EXPECT_FALSE(explore(pieces_of(48, {16, 32, 48})).cut_short);
}

TEST(DeadBytes, ofAPageInThreePiecesAreCountedOnce) {
  EXPECT_FALSE(explore(pieces_of(page, {10, 40, page}, false)).cut_short);
}

TEST(DeadBytes, ofAPageInTwoPiecesThatIsUsedAgainAreCountedOnce) {
  EXPECT_FALSE(explore(pieces_of(page, {24, page})).cut_short);
}

TEST(DeadBytes, ofARunOverAPageBorderAreCountedOnce) {
  EXPECT_FALSE(explore(pieces_of(2 * page - 10, {page - 8, 2 * page - 10}, false)).cut_short);
}

// The pieces of a thread are not neighbours, so its open unit goes through all its states.
scenario interleaved_pieces() {
  scenario s = on_the_heap();
  static piece whole;
  s.prepare = [] { whole = allocate(48); };
  for (std::size_t t = 0; t < 2; ++t) {
    s.threads.emplace_back([t] {
      for (std::size_t i = t; i < 6; i += 2) free_after_writing(part(whole, i * 8, i * 8 + 8));
      close_unit();
      use(48);
    });
  }
  return s;
}

TEST(DeadBytes, ofPiecesThatLieBetweenThoseOfAnotherThreadAreCountedOnce) {
  EXPECT_FALSE(explore(interleaved_pieces()).cut_short);
}

TEST(DeadBytes, areToldWhenAThreadOpensAnotherUnit) {
  scenario s = on_the_heap();
  static piece first;
  static piece second;
  s.prepare = [] {
    first = allocate(48);
    second = allocate(48);
  };
  s.threads = {[] {
                 free_after_writing(part(first, 0, 24));
                 free_after_writing(part(second, 0, 24));
                 close_unit();
               },
               [] {
                 free_after_writing(part(second, 24, 48));
                 free_after_writing(part(first, 24, 48));
                 use(48);
               }};
  EXPECT_FALSE(explore(s).cut_short);
}

// A thread opens the slot that it hands out, and another one frees it and uses it again.
TEST(DeadBytes, ofASlotThatIsOpenTentativelyAreCountedOnce) {
  scenario s = on_the_heap();
  static base::atomic<std::uintptr_t> handed{0};
  s.prepare = [] { handed.store(0); };
  s.threads = {
      [] {
        const piece made = allocate(48);
        expect(made.data != nullptr, "no memory");
        write(made);
        handed.store(reinterpret_cast<std::uintptr_t>(made.data), std::memory_order_release);
        use(48);
      },
      [] {
        handed.wait(0, std::memory_order_acquire);
        auto* const data = reinterpret_cast<std::byte*>(handed.load(std::memory_order_acquire));
        free_after_writing({data + 16, 32});
        free_after_writing({data, 16});
        close_unit();
      }};
  EXPECT_FALSE(explore(s).cut_short);
}

// ---- The models can fail

TEST(DeadBytesDeathTest, withoutOrderAreARace) {
  EXPECT_EXIT((planted.relaxed = true, explore(pieces_of(48, {20, 48}))),
              testing::ExitedWithCode(3), "a race");
}

TEST(DeadBytesDeathTest, thatAreAddedInTwoStepsAreLost) {
  EXPECT_EXIT((planted.torn = true, explore(pieces_of(48, {16, 32, 48}))),
              testing::ExitedWithCode(3), "model: ");
}

}  // namespace
}  // namespace cleave::model
