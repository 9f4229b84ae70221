// cell_test.cpp -- counts, memory of cells, and dropping without recursion.
#include <gtest/gtest.h>

#include <array>
#include <thread>

#include "os/stack.hpp"
#include "runtime/cells.hpp"
#include "runtime/runs.hpp"
#include "support/environment.hpp"

namespace {

using namespace cleave::test;
using cleave::runtime::drop;
using cleave::runtime::free_cell;
using cleave::runtime::is_plain;
using cleave::runtime::keep;
using cleave::runtime::new_cell;
using cleave::runtime::new_header;
using cleave::runtime::pair;
using cleave::runtime::unique;

// Where a call for each cell would not fit.
constexpr std::size_t small_stack = by_build<std::size_t>(262144, 1048576);
constexpr u32 many_cells = by_build<u32>(10'000'000, 500'000);

void on_small_stack(void (*work)()) {
  ASSERT_TRUE(cleave::os::run_on_stack(
      small_stack, small_stack, [](void* f) { reinterpret_cast<void (*)()>(f)(); },
      reinterpret_cast<void*>(work)));
}

TEST(Plain, areNumbersAndPairsOfThem) {
  EXPECT_TRUE(is_plain<u32>);
  EXPECT_TRUE((is_plain<pair<nat, pair<f32, bool>>>));
  EXPECT_FALSE((is_plain<pair<u32, list>>));
  EXPECT_FALSE(is_plain<string>);
  EXPECT_FALSE(is_plain<array<u32>>);
}

TEST(Box, tellsConstructorsApart) {
  EXPECT_TRUE(nil().is_small());
  EXPECT_EQ(nil().constructor(), 0u);
  EXPECT_EQ(list::small(70000).constructor(), 70000u);
  EXPECT_TRUE(leaves_nothing([] {
    const list l = con(5, nil());
    EXPECT_FALSE(l.is_small());
    EXPECT_EQ(l.constructor(), 1u);
    drop(l);
  }));
}

TEST(Keep, makesOneMoreOwner) {
  EXPECT_TRUE(leaves_nothing([] {
    list l = counting(3);
    EXPECT_TRUE(unique(l.cell()));
    keep(l);
    EXPECT_FALSE(unique(l.cell()));
    drop(l);
    EXPECT_TRUE(unique(l.cell()));
    EXPECT_EQ(numbers(l), (std::vector<u32>{0, 1, 2}));
    drop(l);
  }));
}

TEST(Keep, ofAPairKeepsBothParts) {
  EXPECT_TRUE(leaves_nothing([] {
    pair<list, pair<u32, tree>> both{counting(2), {7, branch(tip(), tip())}};
    keep(both);
    drop(both);
    EXPECT_EQ(numbers(both.fst), (std::vector<u32>{0, 1}));
    EXPECT_TRUE(unique(both.snd.snd.cell()));
    drop(both);
  }));
}

TEST(Keep, stopsBeforeTheCountIsFull) {
  const outcome end = run_alone([] {
    list l = counting(1);
    l.cell()->count = cleave::runtime::most_owners;
    keep(l);
  });
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_EQ(end.error, "bend: runtime fail-stop\n");
}

TEST(Drop, leavesSharedTailsAlone) {
  EXPECT_TRUE(leaves_nothing([] {
    list tail = counting(4);
    keep(tail);
    const list longer = con(9, con(8, tail));
    drop(longer);
    EXPECT_EQ(numbers(tail), (std::vector<u32>{0, 1, 2, 3}));
    drop(tail);
  }));
}

TEST(Drop, ofALongListNeedsNoStack) {
  EXPECT_TRUE(leaves_nothing([] { on_small_stack([] { drop(counting(many_cells)); }); }));
}

TEST(Drop, ofDegenerateTreesNeedsNoStack) {
  EXPECT_TRUE(leaves_nothing([] {
    on_small_stack([] {
      tree left = tip();
      tree right = tip();
      tree zigzag = tip();
      for (u32 i = 0; i < many_cells / 4; ++i) {
        left = branch(left, tip());
        right = branch(tip(), right);
        zigzag = i % 2 == 0 ? branch(zigzag, branch(tip(), tip())) : branch(tip(), zigzag);
      }
      drop(left);
      drop(right);
      drop(zigzag);
    });
  }));
}

TEST(Drop, ofATreeOfSharedBranchesFreesEachOnce) {
  EXPECT_TRUE(leaves_nothing([] {
    // 2^40 paths to 40 cells.
    tree t = tip();
    for (int i = 0; i < 40; ++i) {
      keep(t);
      t = branch(t, t);
    }
    drop(t);
  }));
}

TEST(Drop, reachesStringsAndArraysInCells) {
  EXPECT_TRUE(leaves_nothing([] {
    constexpr const char* bytes = "a name that is longer than a cell";
    const string name = cleave::runtime::make_string(bytes, std::strlen(bytes));
    list shared = counting(2);
    keep(shared);
    const named all = name_lists(name, cleave::runtime::Array_new(3, shared));
    drop(all);
    EXPECT_TRUE(unique(shared.cell()));
    drop(shared);
  }));
}

TEST(Drop, ofWhatThreadsShareFreesItOnce) {
  EXPECT_TRUE(leaves_nothing(2, [] {
    constexpr int shares = by_build(100000, 5000);
    for (int round = 0; round < 4; ++round) {
      list l = counting(100);
      for (int i = 1; i < 4 * shares; ++i) keep(l);
      std::array<std::thread, 4> threads;
      for (std::thread& one : threads) {
        one = std::thread([l] {
          for (int i = 0; i < shares; ++i) drop(l);
        });
      }
      for (std::thread& one : threads) one.join();
    }
  }));
}

TEST(Cells, ofEachSizeDoNotOverlap) {
  EXPECT_TRUE(leaves_nothing([] {
    for (std::size_t size = 8; size <= 256; size += 4) {
      std::array<unsigned char*, 100> all{};
      for (std::size_t k = 0; k < all.size(); ++k) {
        all[k] = static_cast<unsigned char*>(new_cell(size));
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(all[k]) % 8, 0u);
        std::memset(all[k], static_cast<int>(k), size);
      }
      for (std::size_t k = 0; k < all.size(); ++k) {
        for (std::size_t i = 0; i < size; ++i) ASSERT_EQ(all[k][i], k) << size;
        free_cell(all[k], size);
      }
    }
  }));
}

TEST(Cells, thatWereFreedAreUsedAgain) {
  EXPECT_TRUE(leaves_nothing([] {
    void* const first = new_cell(24);
    free_cell(first, 24);
    void* const second = new_cell(24);
    EXPECT_EQ(second, first);
    free_cell(second, 24);
  }));
}

TEST(Cells, areGivenBackWhenAThreadKeepsTooMany) {
  std::thread([] {
    // Once the list is gone, the thread keeps a small part of it.
    const std::size_t before = cleave::heap::live_bytes();
    drop(counting(100'000));
    EXPECT_LE(cleave::heap::live_bytes(), before + 65536);
  }).join();
}

TEST(Cells, ofOneThreadAreFreedByAnother) {
  EXPECT_TRUE(leaves_nothing(2, [] {
    const list l = counting(20'000);
    std::thread([l] { drop(l); }).join();
  }));
}

TEST(Token, isTheMemoryOfTheNextCell) {
  EXPECT_TRUE(leaves_nothing([] {
    void* const token = new_cell(24);
    void* const cell = cleave::runtime::cell_from(token, 24);
    EXPECT_EQ(cell, token);
    cleave::runtime::free_token(cell, 24);
    cleave::runtime::free_token(nullptr, 24);
    void* const fresh = cleave::runtime::cell_from(nullptr, 24);
    EXPECT_NE(fresh, nullptr);
    free_cell(fresh, 24);
  }));
}

}  // namespace
