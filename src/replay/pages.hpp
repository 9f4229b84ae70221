// pages.hpp -- which pages have a live byte, and which of them a small rest keeps.
//
// Only pages that are live in part are kept one by one; of the others a number is enough.
// So a range costs the same whether it has a page or a million of them.
//
//   page_counts pages(4096);
//   pages.add(0, 8192, 1);          // two pages held
//   pages.remove(16, 8192, 2);      // one page held: 16 bytes pin it from moment 2 on
//   pages.remove(0, 16, 3);         // pages.ended() has that pin
//
// Invariants:
//   P1  held() is page_bytes times the pages with a live byte.
//   P2  partial_ has the pages with at least one byte live and one dead, and no others.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "replay/history.hpp"

namespace cleave::replay {

class page_counts {
 public:
  // A page that was pinned, without its keeper.
  struct pinned_page {
    std::uint64_t page = 0;
    std::uint64_t live = 0;
    moment from = 0;
  };

  // Requires: a power of two.
  explicit page_counts(std::uint64_t page_bytes) : page_bytes_(page_bytes) {}

  // [begin, end) is live from `now` on. O(1). Requires: no byte of it was.
  void add(std::uint64_t begin, std::uint64_t end, moment now);
  // [begin, end) is dead from `now` on. O(1). Requires: all of it was live.
  void remove(std::uint64_t begin, std::uint64_t end, moment now);

  [[nodiscard]] std::uint64_t held() const noexcept { return held_pages_ * page_bytes_; }

  // Pins that add() and remove() ended since this was cleared.
  [[nodiscard]] std::vector<pinned_page>& ended() noexcept { return ended_; }

  // The pages that are pinned now, by address.
  [[nodiscard]] std::vector<pinned_page> open_pins() const;

 private:
  struct page {
    std::uint64_t live = 0;
    moment pinned_from = none;
  };

  void add_to_page(std::uint64_t number, std::uint64_t bytes, moment now);
  void remove_from_page(std::uint64_t number, std::uint64_t bytes, moment now);
  void end_pin(std::uint64_t number, page& on, std::uint64_t live, moment now);

  std::uint64_t page_bytes_;
  std::uint64_t held_pages_ = 0;
  std::unordered_map<std::uint64_t, page> partial_;  // by address / page_bytes
  std::vector<pinned_page> ended_;
};

}  // namespace cleave::replay
