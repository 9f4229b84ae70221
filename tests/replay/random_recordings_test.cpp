// random_recordings_test.cpp -- random events, good and bad, beside a map of every byte.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "recordings.hpp"
#include "replay/play.hpp"
#include "support/environment.hpp"

namespace {

using namespace cleave;
using test::recorder;
using trace::event_kind;

constexpr std::uint64_t bytes = 1024;
constexpr std::uint64_t page = 64;

// The place of the owner of each byte, 0 for a dead one.
using byte_map = std::array<std::uint32_t, bytes>;

struct counted {
  std::uint64_t live = 0;
  std::uint64_t held = 0;
};

counted count(const byte_map& owners) {
  counted result;
  for (std::uint64_t begin = 0; begin < bytes; begin += page) {
    std::uint64_t here = 0;
    for (std::uint64_t i = begin; i < begin + page; ++i) here += owners[i] != 0 ? 1 : 0;
    result.live += here;
    if (here != 0) result.held += page;
  }
  return result;
}

class simulation {
 public:
  explicit simulation(std::mt19937_64& random) : random_(random) {
    tape_.made.page_bytes = page;
    tape_.made.reserved = bytes;
    moments_.push_back({});
  }

  void run(std::size_t events) {
    for (std::size_t i = 0; i < events; ++i) step();
  }

  void compare() const {
    const replay::history past = replay::play(tape_.made);
    ASSERT_EQ(past.last() + 1, moments_.size());
    std::uint64_t most = 0;
    for (replay::moment m = 0; m < moments_.size(); ++m) {
      const byte_map& owners = moments_[m];
      const counted expected = count(owners);
      ASSERT_EQ(past.live[m], expected.live) << "moment " << m;
      ASSERT_EQ(past.held[m], expected.held) << "moment " << m;
      most = std::max(most, expected.live);
      byte_map found{};
      std::uint64_t last = 0;
      for (const std::uint32_t index : replay::live_at(past, m)) {
        const replay::span& one = past.spans[index];
        ASSERT_LT(one.begin, one.end);
        ASSERT_LE(last, one.begin) << "spans overlap";
        last = one.end;
        for (std::uint64_t i = one.begin; i < one.end; ++i) {
          found[i - recorder::base] = past.allocations[one.owner].place;
        }
      }
      ASSERT_EQ(found, owners) << "moment " << m;
      std::map<std::uint32_t, std::uint64_t> by_place;
      for (const std::uint32_t owner : owners) ++by_place[owner];
      by_place.erase(0);
      for (const replay::holding& sum : replay::holders(past, m)) {
        ASSERT_EQ(by_place[sum.place], sum.bytes);
        by_place.erase(sum.place);
      }
      ASSERT_TRUE(by_place.empty());
    }
    ASSERT_EQ(past.live[past.peak], most);
    check_trees(past);
    ASSERT_EQ(past.odd.freed_dead, freed_dead_);
    ASSERT_EQ(past.odd.reused_live, reused_live_);
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }

  void step() {
    const std::uint64_t begin = below(bytes);
    const std::uint64_t size = 1 + below(std::min<std::uint64_t>(bytes - begin, 200));
    byte_map now = moments_.back();
    const std::uint32_t place = next_place_;
    std::uint64_t dead = 0;
    for (std::uint64_t i = begin; i < begin + size; ++i) dead += now[i] == 0 ? 1 : 0;
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        if (dead != size) ++reused_live_;
        tape_.allocate(begin, size, place);
        ++next_place_;
        for (std::uint64_t i = begin; i < begin + size; ++i) now[i] = place;
        break;
      case 3:
      case 4:
        if (dead != 0) ++freed_dead_;
        tape_.free(begin, size);
        for (std::uint64_t i = begin; i < begin + size; ++i) now[i] = 0;
        break;
      case 5: tape_.cut(begin, size, below(size + 1)); break;
      case 6: tape_.join(begin, size, below(size + 1)); break;
      default: {
        // Grows what ends in front of the new bytes; with nothing there it is a new owner.
        const std::uint64_t before = below(size);
        const std::uint64_t from = begin + before;
        const std::uint32_t owner = from > 0 && now[from - 1] != 0 ? now[from - 1] : place;
        for (std::uint64_t i = from; i < begin + size; ++i) {
          if (now[i] != 0) {
            ++reused_live_;
            break;
          }
        }
        tape_.add(event_kind::extend, begin, size, before, place);
        ++next_place_;
        for (std::uint64_t i = from; i < begin + size; ++i) now[i] = owner;
        break;
      }
    }
    moments_.push_back(now);
  }

  // Each span stands in the tree of its owner once, below its parent.
  static void check_trees(const replay::history& past) {
    std::set<std::uint32_t> seen;
    for (std::uint32_t owner = 0; owner < past.allocations.size(); ++owner) {
      std::vector<std::uint32_t> path;
      for (const replay::tree_node& node : replay::cut_tree(past, owner)) {
        ASSERT_TRUE(seen.insert(node.span).second);
        ASSERT_LE(node.depth, path.size());
        path.resize(node.depth);
        const replay::span& one = past.spans[node.span];
        ASSERT_EQ(one.owner, owner);
        ASSERT_EQ(one.parent, path.empty() ? replay::none : path.back());
        if (!path.empty()) {
          ASSERT_LT(one.parent, node.span);
          ASSERT_LE(past.spans[one.parent].died, one.born);
        }
        path.push_back(node.span);
      }
    }
    ASSERT_EQ(seen.size(), past.spans.size());
  }

  std::mt19937_64& random_;
  recorder tape_;
  std::vector<byte_map> moments_;
  std::uint32_t next_place_ = 1;
  std::uint64_t freed_dead_ = 0;
  std::uint64_t reused_live_ = 0;
};

TEST(RandomRecordings, areWhatAMapOfEveryByteSays) {
  std::mt19937_64 random(test::seed());
  const std::size_t rounds = test::steps(100, 10);
  for (std::size_t round = 0; round < rounds; ++round) {
    simulation one(random);
    one.run(1 + random() % 150);
    one.compare();
    if (HasFatalFailure()) return;
  }
}

}  // namespace
