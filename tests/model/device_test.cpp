// device_test.cpp -- the heap of a device's lanes, in every order that makes a difference.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "model/explorer.hpp"

namespace cleave::model {

// A word that lanes share, as an atomic of the explorer.
template <class T>
class word_ref {
 public:
  explicit word_ref(T& word) noexcept : word_(reinterpret_cast<base::atomic<T>&>(word)) {}
  T load(std::memory_order order) const noexcept { return word_.load(order); }
  void store(T next, std::memory_order order) const noexcept { word_.store(next, order); }
  T fetch_add(T more, std::memory_order order) const noexcept {
    return word_.fetch_add(more, order);
  }
  T exchange(T next, std::memory_order order) const noexcept { return word_.exchange(next, order); }
  bool compare_exchange_strong(T& expected, T next, std::memory_order order,
                               std::memory_order failure) const noexcept {
    return word_.compare_exchange_strong(expected, next, order, failure);
  }

 private:
  base::atomic<T>& word_;
};

}  // namespace cleave::model

#define CLEAVE_DEVICE_ATOMIC cleave::model::word_ref
#include <cleave/detail/device_heap.hpp>

namespace cleave::model {
namespace {

namespace device = detail::on_device;
using device::block_cache;
using device::device_state;
using device::packed;
using device::page_bytes;

constexpr std::uint32_t pages = 3;
alignas(page_bytes) std::byte memory[pages * page_bytes];

// All that lanes share, new in each execution.
struct shared {
  device_state state;
  std::uint32_t dead[pages] = {};
  std::uint32_t next[pages] = {};
  std::uint64_t log[2 * pages] = {};
  block_cache caches[2] = {};

  shared() {
    state.begin = reinterpret_cast<std::uintptr_t>(memory);
    state.pages = pages;
    state.dead = dead;
    state.next = next;
    state.log = log;
  }
  shared(const shared&) = delete;
  shared& operator=(const shared&) = delete;
};
alignas(shared) std::byte storage[sizeof(shared)];
shared& all() {
  return *reinterpret_cast<shared*>(storage);
}

std::uintptr_t at(std::size_t byte) {
  return all().state.begin + byte;
}
// What an owner does: its first byte stands for the run.
void use(std::uintptr_t begin) {
  write_plain(reinterpret_cast<const void*>(begin));
}

// Every byte is live, or in one of the places where free ones are (D2); the list has the pages
// that are wholly counted, each once (D4); the log has each page that has a count, once (D1).
void expect_accounted(std::size_t live) {
  const device_state& s = all().state;
  std::size_t sum = live;
  bool listed[pages] = {};
  for (auto top = static_cast<std::uint32_t>(s.free_pages); top != 0; top = all().next[top - 1]) {
    expect(!listed[top - 1], "a page is on the list twice");
    listed[top - 1] = true;
  }
  std::size_t times[pages] = {};
  expect(s.logged <= 2 * pages, "the log is too long");
  for (std::uint32_t i = 0; i < s.logged; ++i) {
    const std::uint64_t whole = all().log[i] >> 32;
    if (whole == 0) ++times[all().log[i]];
    sum += whole * page_bytes;
  }
  for (std::uint32_t p = 0; p < pages; ++p) {
    const std::uint32_t bytes = all().dead[p] & ~device_state::logged_once;
    sum += bytes;
    expect(listed[p] == (bytes == page_bytes), "a page is on the list, or not, against its count");
    expect(bytes == 0 || times[p] == 1, "a page that has a count is not in the log once");
  }
  for (const block_cache& cache : all().caches) {
    for (const std::uint64_t word : cache.run) sum += packed::bytes(word);
  }
  for (const std::uint64_t word : s.spare) sum += packed::bytes(word);
  for (std::uint32_t e = 0; e < s.extents; ++e) {
    sum += std::size_t{s.extent_at[e].pages - s.extent_at[e].used} * page_bytes;
  }
  expect(sum == pages * page_bytes, "bytes are lost, or are there twice");
}

scenario on_a_device() {
  scenario s;
  s.prepare = [] { new (storage) shared; };
  return s;
}

// Two lanes free the halves of a page; a third one wants a page.
scenario halves() {
  scenario s = on_a_device();
  static std::uint64_t got;
  const auto free_half = [](std::size_t from) {
    use(at(from));
    device::count_dead(all().state, at(from), page_bytes / 2);
  };
  s.threads = {[=] { free_half(0); }, [=] { free_half(page_bytes / 2); },
               [] {
                 got = device::pop_page(all().state);
                 if (got == 0) return;
                 use(at(0));
                 use(at(page_bytes / 2));
               }};
  s.finish = [] { expect_accounted((pages - 1) * page_bytes + packed::bytes(got)); };
  return s;
}

TEST(DeviceModel, theLastPartOfAPageFreesIt) {
  const outcome seen = explore(halves());
  EXPECT_FALSE(seen.cut_short);
  EXPECT_GT(seen.executions, 5U);
}

// A list of two pages. One lane takes the upper one; the other takes both and gives the upper one
// back, so that the first may see it on top before and after.
scenario list_of_two() {
  scenario s = on_a_device();
  static std::uint64_t first;
  static std::uint64_t lower;
  s.prepare = [] {
    new (storage) shared;
    for (const std::uint32_t p : {0U, 1U}) {
      device::count_dead(all().state, at(p * page_bytes), page_bytes);
    }
  };
  s.threads = {[] {
                 first = device::pop_page(all().state);
                 if (first != 0) use(packed::begin(all().state, first));
               },
               [] {
                 const std::uint64_t upper = device::pop_page(all().state);
                 lower = device::pop_page(all().state);
                 for (const std::uint64_t each : {upper, lower}) {
                   if (each != 0) use(packed::begin(all().state, each));
                 }
                 if (upper == 0) return;
                 device::count_dead(all().state, packed::begin(all().state, upper), page_bytes);
               }};
  s.finish = [] {
    expect(first == 0 || first != lower, "two lanes have one page");
    expect_accounted(page_bytes + packed::bytes(first) + packed::bytes(lower));
  };
  return s;
}

TEST(DeviceModel, aPageOfTheListHasOneTaker) {
  const outcome seen = explore(list_of_two());
  EXPECT_FALSE(seen.cut_short);
  EXPECT_GT(seen.executions, 10U);
}

// A lane gives a run to its block; two others of the block want one of its size.
scenario one_block() {
  scenario s = on_a_device();
  static void* got[2];
  const auto want = [](void*& mine) {
    mine = device::allocate(all().state, all().caches[0], page_bytes, 8);
    if (mine != nullptr) use(reinterpret_cast<std::uintptr_t>(mine));
  };
  s.threads = {[] {
                 use(at(0));
                 device::free(all().state, all().caches[0], at(0), page_bytes);
               },
               [=] { want(got[0]); }, [=] { want(got[1]); }};
  s.finish = [] {
    expect(got[0] == nullptr || got[0] != got[1], "two lanes have one run");
    std::size_t live = (pages - 1) * page_bytes;
    for (const void* const each : got) live += each == nullptr ? 0 : page_bytes;
    expect_accounted(live);
  };
  return s;
}

TEST(DeviceModel, aRunOfABlockHasOneTaker) {
  explore(one_block(), 50'000);
}

// Two lanes of one block free neighbours, which join in its cache, or do not meet.
scenario neighbours() {
  scenario s = on_a_device();
  const auto give = [](std::size_t from) {
    use(at(from));
    device::free(all().state, all().caches[0], at(from), 64);
  };
  s.threads = {[=] { give(0); }, [=] { give(64); }};
  s.finish = [] { expect_accounted(pages * page_bytes - 128); };
  return s;
}

TEST(DeviceModel, neighboursAreNotLostWhenTheyJoin) {
  explore(neighbours(), 50'000);
}

// Pages of an extent go to whoever is first.
scenario one_extent() {
  scenario s = on_a_device();
  static std::uint64_t got[2];
  s.prepare = [] {
    new (storage) shared;
    all().state.extents = 1;
    all().state.extent_at[0] = {0, pages, 0};
  };
  const auto want = [](std::uint64_t& mine) {
    mine = device::take_pages(all().state, 2 * page_bytes);
    if (mine != 0) use(packed::begin(all().state, mine));
  };
  s.threads = {[=] { want(got[0]); }, [=] { want(got[1]); }};
  s.finish = [] {
    expect((got[0] == 0) != (got[1] == 0), "two pages of three are one lane's");
    expect_accounted(2 * page_bytes);
  };
  return s;
}

TEST(DeviceModel, pagesOfAnExtentHaveOneTaker) {
  const outcome seen = explore(one_extent());
  EXPECT_FALSE(seen.cut_short);
}

// ---- The models can fail

TEST(DeviceModelDeathTest, partsCountedWithoutOrderAreARace) {
  EXPECT_EXIT((planted.relaxed = true, explore(halves())), testing::ExitedWithCode(3), "model: ");
}

TEST(DeviceModelDeathTest, tornCountsLoseBytes) {
  EXPECT_EXIT((planted.torn = true, explore(halves())), testing::ExitedWithCode(3), "model: ");
}

}  // namespace
}  // namespace cleave::model
