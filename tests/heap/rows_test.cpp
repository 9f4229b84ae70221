// rows_test.cpp -- pieces of one page or slot that are freed in orders that move both ends of a
// row.
#include <gtest/gtest.h>

#include <algorithm>
#include <cleave/heap.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "support/environment.hpp"

namespace cleave::heap {
namespace {

struct piece {
  std::byte* data;
  std::size_t bytes;
};

std::vector<piece> cut_up(std::byte* data, std::size_t bytes, std::size_t most,
                          std::mt19937_64& random) {
  std::vector<piece> pieces;
  while (bytes > 0) {
    const std::size_t part = std::min<std::size_t>(bytes, 1 + random() % most);
    pieces.push_back({data, part});
    data += part;
    bytes -= part;
  }
  return pieces;
}

enum class order { up, down, ends, middle, zigzag, blocks, any };

// The pieces in the order in which they are freed.
std::vector<piece> arranged(std::vector<piece> pieces, order how, std::mt19937_64& random) {
  std::vector<piece> made;
  const std::size_t n = pieces.size();
  const auto from_middle = [&](std::size_t step) {
    std::size_t low = random() % (n + 1);
    std::size_t high = low;
    while (low > 0 || high < n) {
      for (std::size_t i = 0; i < step && high < n; ++i) made.push_back(pieces[high++]);
      for (std::size_t i = 0; i < step && low > 0; ++i) made.push_back(pieces[--low]);
    }
  };
  switch (how) {
    case order::up: return pieces;
    case order::down: std::reverse(pieces.begin(), pieces.end()); return pieces;
    case order::ends:
      for (std::size_t i = 0, j = n; i < j;) {
        made.push_back(pieces[i++]);
        if (i < j) made.push_back(pieces[--j]);
      }
      return made;
    case order::middle: from_middle(1); return made;
    case order::zigzag: from_middle(1 + random() % 9); return made;
    case order::blocks:
      for (std::size_t i = 0; i < n; i += 8) {
        for (std::size_t j = std::min(n, i + 8); j > i; --j) made.push_back(pieces[j - 1]);
      }
      return made;
    case order::any: std::shuffle(pieces.begin(), pieces.end(), random); return pieces;
  }
  return made;
}

// Frees all, one by one; some are made again and freed again, with contents that must stay.
void free_in_order(const std::vector<piece>& pieces, std::mt19937_64& random, bool again) {
  std::size_t live = live_bytes();
  for (const piece& each : pieces) {
    std::memset(each.data, 0xee, each.bytes);
    heap::free(each.data, each.bytes);
    live -= each.bytes;
    ASSERT_EQ(live_bytes(), live);
    if (!again || random() % 3 != 0) continue;
    const std::size_t bytes = random() % 2 == 0 ? each.bytes : 1 + random() % 24;
    auto* const made = static_cast<std::byte*>(try_allocate(bytes, 1));
    ASSERT_NE(made, nullptr);
    std::memset(made, 0x11, bytes);
    ASSERT_EQ(live_bytes(), live + bytes);
    // In two parts, the second one first.
    const std::size_t half = bytes / 2;
    if (random() % 2 == 0)
      heap::free(made + half, bytes - half);
    else {
      heap::free(made, half);
      heap::free(made + half, bytes - half);
      continue;
    }
    heap::free(made, half);
  }
}

TEST(Rows, growAtBothEndsAndGiveTheirUnitBack) {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < test::by_build(600, 60); ++round) {
    const std::size_t before = live_bytes();
    // A slot, a page, some pages.
    const std::size_t sizes[] = {64, 100, 1024, 3000, 4096, 4096 * 3, 65536};
    const std::size_t bytes = sizes[random() % std::size(sizes)];
    auto* const data = static_cast<std::byte*>(allocate(bytes, 16));
    const auto how = static_cast<order>(random() % 7);
    const std::size_t most = random() % 2 == 0 ? 8 : 200;
    const bool again = random() % 2 == 0;
    free_in_order(arranged(cut_up(data, bytes, most, random), how, random), random, again);
    // The last piece of a unit frees it then and there. One that was taken back is another story.
    using phase = cleave::detail::open_unit::phase;
    if (!again) {
      ASSERT_NE(cleave::detail::this_unit.state, phase::counting) << static_cast<int>(how);
    }
    ASSERT_EQ(live_bytes(), before) << "round " << round << ", order " << static_cast<int>(how);
    if (round % 20 == 0) {
      ASSERT_EQ(verify(), "");
    }
  }
  ASSERT_EQ(verify(), "");
}

// Kept pieces next to freed ones keep their bytes, whatever way the row went.
TEST(Rows, takeNothingThatIsNotFree) {
  std::mt19937_64 random(test::seed());
  for (int round = 0; round < test::by_build(400, 40); ++round) {
    const std::size_t bytes = round % 2 == 0 ? 4096 : 2048;
    auto* const data = static_cast<std::byte*>(allocate(bytes, 16));
    std::vector<piece> pieces = cut_up(data, bytes, 64, random);
    const std::size_t from = random() % pieces.size();
    const piece kept = pieces[from];
    std::memset(kept.data, 0x5a, kept.bytes);
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(from));
    free_in_order(arranged(pieces, static_cast<order>(random() % 7), random), random, true);
    // What is made now may lie all around it.
    std::vector<piece> others;
    for (int i = 0; i < 200; ++i) {
      const std::size_t size = 1 + random() % 100;
      others.push_back({static_cast<std::byte*>(allocate(size, 1)), size});
      std::memset(others.back().data, 0xff, size);
    }
    ASSERT_TRUE(std::all_of(kept.data, kept.data + kept.bytes,
                            [](std::byte b) { return b == std::byte{0x5a}; }));
    for (const piece& each : others) heap::free(each.data, each.bytes);
    heap::free(kept.data, kept.bytes);
  }
  ASSERT_EQ(verify(), "");
}

}  // namespace
}  // namespace cleave::heap
