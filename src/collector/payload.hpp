// payload.hpp -- the descriptors of large arrays, and the accounts of their bytes.
//
// A large array is a proxy among the small objects, and a payload: a run of the heap.
// Everything that a collection asks of a payload stands in its descriptor, so that it
// never reads one of bytes. Proxy and descriptor belong to each other alone: nothing else
// refers to a descriptor, and so it can go the moment its payload goes.
//
// Invariants, at every moment when the lock is free (recount() checks them):
//   P1  allocated + given = forgotten + taken + swept + young bytes + old bytes
//   P2  young and old bytes are the sums over the two lists.
//   P3  charged is the sum of the costs of those that were born in this epoch and are
//       still there. A payload that goes takes with it what it was charged with: no more,
//       so nothing underflows, and no less, so nothing is charged that is free again.
#pragma once

#include <atomic>
#include <cleave/array.hpp>
#include <cleave/collector/arrays.hpp>
#include <cleave/collector/mutator.hpp>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "collector/block.hpp"

namespace cleave::gc::detail {

struct payload {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  // What of `bytes` is charged to the budget, while birth is the current epoch.
  std::size_t cost = 0;
  std::uint64_t birth = 0;
  // Its proxy, where that lies now; follows it when it moves.
  word proxy = 0;
  payload* previous = nullptr;
  payload* next = nullptr;
  bool young = true;
  bool references = false;
  // The collection that is running has reached the proxy.
  bool reached = false;
  // That somebody reaches the forgotten one was reported.
  bool reported = false;
  // Of old arrays of references: it stands in the list of dirty ones, and the bitmap of
  // elements that may refer to young objects, in memory of the heap.
  std::atomic<bool> dirty{false};
  payload* next_dirty = nullptr;
  payload* next_gray = nullptr;
  std::atomic<std::uint64_t>* remembered = nullptr;
  heap_state* owner = nullptr;
  std::size_t lent = 0;
  place made;
  place let_go;

  [[nodiscard]] std::size_t elements() const noexcept { return bytes / word_bytes; }
  [[nodiscard]] std::size_t remembered_words() const noexcept { return (elements() + 63) / 64; }
};

// A circular list, so that a payload leaves it without knowing which list it is.
class payload_list {
 public:
  payload_list() noexcept { ends_.previous = ends_.next = &ends_; }
  payload_list(const payload_list&) = delete;
  payload_list& operator=(const payload_list&) = delete;

  void push(payload& p) noexcept {
    p.previous = ends_.previous;
    p.next = &ends_;
    p.previous->next = p.next->previous = &p;
  }
  static void unlink(payload& p) noexcept {
    p.previous->next = p.next;
    p.next->previous = p.previous;
    p.previous = p.next = nullptr;
  }
  [[nodiscard]] payload* first() noexcept { return ends_.next == &ends_ ? nullptr : ends_.next; }
  // Calls function(payload&), which may unlink it.
  template <class Function>
  void each(Function function) {
    for (payload* at = ends_.next; at != &ends_;) {
      payload* const following = at->next;
      function(*at);
      at = following;
    }
  }

 private:
  payload ends_;
};

struct payload_counts {
  std::uint64_t allocated = 0;
  std::uint64_t given = 0;
  std::uint64_t forgotten = 0;
  std::uint64_t taken = 0;
  std::uint64_t swept = 0;
  std::size_t young = 0;
  std::size_t old = 0;
  std::size_t arrays = 0;
  std::size_t charged = 0;
  std::size_t held_back = 0;
};

class payload_space {
 public:
  // `quarantine` bytes of forgotten payloads are held back; all of them to prove it.
  payload_space(heap_state& owner, std::size_t quarantine, bool prove) noexcept
      : owner_(owner), quarantine_(quarantine), prove_(prove) {}
  payload_space(const payload_space&) = delete;
  payload_space& operator=(const payload_space&) = delete;
  ~payload_space();

  // A descriptor over memory for `bytes` bytes, or over that memory, which it then owns;
  // it is in no list yet. nullptr if there is no memory.
  payload* make(std::size_t bytes, std::byte* memory, bool references) noexcept;
  // Frees one that is in no list, and its memory.
  static void drop(payload* unlisted) noexcept;

  // Puts it in the list of the young, and charges it. `object` is its proxy, whose fields
  // are set.
  void adopt(payload& p, void* object, std::size_t elements, bool given, place at) noexcept;

  release forget(word proxy, place at) noexcept;
  release take(word proxy, place at, array<std::byte>& out) noexcept;
  release trim(word proxy, std::size_t bytes) noexcept;
  // Whether the payload stays where it is for now: only then may it be used without lock.
  release lend(word proxy, payload*& out) noexcept;
  void give_back(payload& lent) noexcept;

  // --- With all threads stopped ---

  // After the reached ones are known: frees the others. Those whose proxy is old now
  // become old.
  void sweep(bool all) noexcept;
  // Before a collection: forgets what was reached before, and in a full one all bitmaps.
  void begin(bool all) noexcept;
  // A new epoch: the budget is empty again.
  void end() noexcept;

  // Frees one of `proving`, whose proxy has died as it should.
  void disprove(payload& p) noexcept;

  // Old arrays of references in which something was stored.
  std::atomic<payload*> dirty{nullptr};

  // Payloads that were forgotten and are kept to see who still reaches their proxies.
  payload_list proving;

  [[nodiscard]] payload_counts counts() const noexcept;
  // An empty string, or which of P1 to P3 does not hold.
  [[nodiscard]] std::string recount() const;

 private:
  release look(word proxy, payload*& out) noexcept;
  // Out of its list and of the sums, and out of the proxy.
  void detach(payload& p) noexcept;
  void dispose(payload& p) noexcept;

  heap_state& owner_;
  mutable std::mutex lock_;
  mutable payload_list young_;
  mutable payload_list old_;
  payload_list quarantined_;
  payload_counts counts_;
  std::uint64_t epoch_ = 1;
  std::size_t quarantine_;
  bool prove_;
};

}  // namespace cleave::gc::detail
