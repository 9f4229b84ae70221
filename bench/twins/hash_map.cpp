// hash_map.cpp -- the twin of hash_map.bend: a vector of singly linked chains.
#include <algorithm>
#include <cstdio>
#include <vector>

#include "twin.hpp"

namespace {

struct entry {
  std::uint32_t key;
  std::uint32_t count;
  entry* next;
};

std::uint32_t key(std::uint32_t i) {
  return twin::noise(i) % (twin::noise(i ^ 1431655765U) % 50000 + 1);
}

void add(std::uint32_t of, std::vector<entry*>& table) {
  entry** at = &table[twin::noise(of) % table.size()];
  for (; *at != nullptr; at = &(*at)->next) {
    if ((*at)->key == of) {
      ++(*at)->count;
      return;
    }
  }
  *at = new entry{of, 1, nullptr};
}

}  // namespace

int main(int argument_count, char** words) {
  std::vector<entry*> table(16384);
  for (auto n = twin::argument(argument_count, words, 200000); n > 0; --n) {
    add(key(static_cast<std::uint32_t>(n - 1)), table);
  }
  std::uint32_t keys = 0;
  std::uint32_t all = 0;
  std::uint32_t longest = 0;
  for (entry* chain : table) {
    std::uint32_t length = 0;
    while (chain != nullptr) {
      ++length;
      all += chain->count;
      entry* const next = chain->next;
      delete chain;
      chain = next;
    }
    keys += length;
    longest = std::max(longest, length);
  }
  std::printf("%u keys, %u in all, longest chain %u\n", keys, all, longest);
}
