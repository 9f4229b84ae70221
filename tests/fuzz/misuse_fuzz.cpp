// misuse_fuzz.cpp -- libFuzzer plants mistakes in checked mode; each must be named.
//
// The steps of an input are correct uses of a few runs, and mistakes. A mistake is made in a
// child of fork(), which then goes on with the other steps of the input, so that what it broke
// lies about while the heap works on. The child must end with the report that the mistake has
// by docs/reliability.md, and exit code 70; anything else is a bug of ours. The process itself
// makes no mistake, goes on, and must see no report.
//
// A plain model of the pieces tells which reports are right. It is exact while what was freed
// last stands in quarantine; of older memory checked mode knows less, and may say less.
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cleave/array.hpp>
#include <cleave/heap.hpp>
#include <cstring>
#include <utility>
#include <vector>

#include "fuzz/steps.hpp"

namespace cleave::test {
namespace {

// The first lines, as a set of bits.
enum reports : unsigned {
  double_free = 1,
  wrong_size = 2,
  not_live = 4,
  joined_away = 8,
  strangers = 16,
  write_after_free = 32,
  write_past_end = 64,
  moved_from = 128,
  leak = 256
};
constexpr const char* first_lines[] = {"double free",
                                       "wrong size",
                                       "free of memory that is not live",
                                       "free of a piece that was joined away",
                                       "join of strangers",
                                       "write after free",
                                       "write past the end",
                                       "use of a moved-from array",
                                       "leak"};
constexpr unsigned of_what_is_gone = double_free | joined_away | not_live;

constexpr std::size_t redzone = 32;
// Half of what the quarantine holds: what was freed within so much is there.
constexpr std::size_t remembered = std::size_t{8} << 20;

std::uintptr_t address(const void* p) {
  return reinterpret_cast<std::uintptr_t>(p);
}

// The address sanitizer would see it before checked mode does.
__attribute__((no_sanitize("address"), noinline)) void spoil(std::byte* p) {
  *static_cast<volatile std::byte*>(p) = std::byte{0x5A};
}

struct piece {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::size_t run = 0;
  // Of a freed one: how many bytes had been freed with it.
  std::size_t freed_at = 0;

  [[nodiscard]] std::byte* end() const { return data + bytes; }
  [[nodiscard]] bool covers(std::uintptr_t p) const {
    return address(data) <= p && p < address(end());
  }
};

class session {
 public:
  session(const std::uint8_t* data, std::size_t bytes) : rest_(data), rest_bytes_(bytes) {}

  // All steps that are left.
  void go_on() {
    while (rest_bytes_ >= 4) {
      const std::uint8_t* const now = std::exchange(rest_, rest_ + 4);
      rest_bytes_ -= 4;
      for_each_step(now, 4, [this](const step& s) { take(s); });
    }
    while (!live_.empty()) drop(0, live_.front().bytes);
  }

 private:
  static constexpr std::size_t most_pieces = 24;
  static constexpr std::size_t most_mistakes = 3;

  void take(const step& s) {
    if (s.what >= 160) return plant(s);
    if (live_.empty() || s.what % 5 == 0) return make(s);
    const std::size_t i = s.which % live_.size();
    piece& chosen = live_[i];
    switch (s.what % 5) {
      case 1:
        if (s.number == 0) {
          heap::purge();
          gone_.clear();
        } else {
          drop(i, chosen.bytes);
        }
        break;
      case 2: cut(i, s.number % chosen.bytes); break;
      // The head goes, or the tail.
      case 3:
        if (s.number % 2 == 0) cut(i, s.number % chosen.bytes);
        drop(i, 1 + s.number % live_[i].bytes);
        break;
      default: extend(chosen, chosen.bytes + s.number % 5000); break;
    }
  }

  void make(const step& s) {
    if (live_.size() >= most_pieces) return;
    const std::size_t bytes = size_from(s.number) + 1;
    auto* const p =
        static_cast<std::byte*>(heap::try_allocate(bytes, std::size_t{1} << s.what / 5 % 13));
    if (p == nullptr) return;
    std::memset(p, 0x11, bytes);
    runs_.push_back({p, bytes});
    live_.push_back({p, bytes, runs_.size() - 1});
  }

  // Frees the first `bytes` of a piece.
  void drop(std::size_t i, std::size_t bytes) {
    piece& from = live_[i];
    heap::free(from.data, bytes);
    freed_ += bytes;
    gone_.push_back({from.data, bytes, from.run, freed_});
    from.data += bytes;
    from.bytes -= bytes;
    if (from.bytes == 0) live_.erase(live_.begin() + static_cast<std::ptrdiff_t>(i));
  }

  void cut(std::size_t i, std::size_t at) {
    if (at == 0 || live_.size() >= most_pieces) return;
    const piece& whole = live_[i];
    const piece right{whole.data + at, whole.bytes - at, whole.run};
    live_[i].bytes = at;
    live_.push_back(right);
  }

  void extend(piece& p, std::size_t bytes) {
    if (!heap::extend(p.data, p.bytes, bytes)) return;
    std::memset(p.end(), 0x11, bytes - p.bytes);
    p.bytes = bytes;
    runs_[p.run].bytes = static_cast<std::size_t>(p.end() - runs_[p.run].data);
  }

  // --- What the heap sees: live pieces without the cuts between them ---

  const piece* find(const std::vector<piece>& in, std::uintptr_t p) const {
    const auto found =
        std::find_if(in.rbegin(), in.rend(), [p](const piece& each) { return each.covers(p); });
    return found == in.rend() ? nullptr : &*found;
  }
  const piece* live_at(std::uintptr_t p) const { return find(live_, p); }
  // Only what stands in quarantine for sure.
  const piece* gone_at(std::uintptr_t p) const {
    const piece* const found = find(gone_, p);
    return found != nullptr && freed_ - found->freed_at < remembered ? found : nullptr;
  }
  // Where the live bytes end that begin in this piece.
  std::uintptr_t reach(const piece& from) const {
    std::uintptr_t end = address(from.end());
    for (const piece* next = live_at(end); next != nullptr && next->run == from.run;
         next = live_at(end)) {
      end = address(next->end());
    }
    return end;
  }
  bool something_ends_at(std::uintptr_t end) const {
    const piece* const last = live_at(end - 1);
    return last != nullptr && reach(*last) == end;
  }

  // What is right for a free of [p, p + bytes); 0 if it is no mistake that can be seen.
  unsigned expected(std::uintptr_t p, std::size_t bytes) const {
    if (const piece* const first = live_at(p); first != nullptr) {
      const std::uintptr_t end = reach(*first);
      if (bytes <= end - p) return 0;
      if (p + bytes < p) return wrong_size;
      if (end < address(runs_[first->run].end())) {
        return gone_at(end) != nullptr ? joined_away : joined_away | wrong_size | strangers;
      }
      return something_ends_at(p + bytes) ? strangers : wrong_size;
    }
    const piece* const before = gone_at(p);
    if (before == nullptr) return of_what_is_gone;
    const std::size_t left = address(before->end()) - p;
    const bool part = bytes < left || p != address(before->data);
    return part && bytes <= left ? joined_away : double_free;
  }

  // --- Mistakes ---

  void plant(const step& s) {
    if (!honest_ || mistakes_ >= most_mistakes) return;
    const piece* const one = live_.empty() ? nullptr : &live_[s.which % live_.size()];
    const piece* const dead = gone_.empty() ? nullptr : &gone_[s.which % gone_.size()];
    const std::size_t extra = 1 + size_from(s.number);
    switch (s.what % 9) {
      // The same again, or a part of it, or more.
      case 0:
        if (dead != nullptr)
          bad_free(s, address(dead->data), s.number % 2 == 0 ? dead->bytes : extra);
        break;
      case 1:
        if (dead != nullptr) bad_free(s, address(dead->data) + s.number % dead->bytes, extra);
        break;
      // More than there is; from the middle; from before.
      case 2:
        if (one != nullptr)
          bad_free(s, address(one->data), reach(*one) - address(one->data) + extra);
        break;
      case 3:
        if (one != nullptr)
          bad_free(s, address(one->data) + s.number % one->bytes, one->bytes + extra);
        break;
      case 4:
        if (one != nullptr) bad_free(s, address(one->data) - extra, one->bytes);
        break;
      case 5: {
        static std::byte own[64];
        bad_free(s, s.number % 2 == 0 ? address(own) : address(&own) * 3, 1 + s.number % 64);
        break;
      }
      case 6: join(s); break;
      case 7: write(s); break;
      default: lose(s); break;
    }
  }

  // By free() or by extend().
  void bad_free(const step& s, std::uintptr_t p, std::size_t bytes) {
    const unsigned right = expected(p, bytes);
    if (right == 0) return;
    auto* const data = reinterpret_cast<std::byte*>(p);
    const bool extends = s.what % 4 == 3 && bytes < SIZE_MAX / 2;
    in_child(right, [=] {
      if (extends) {
        (void)heap::extend(data, bytes, bytes + 100);
      } else {
        heap::free(data, bytes);
      }
      fail("it came back");
    });
  }

  // Two allocations freed as one.
  void join(const step& s) {
    if (live_.size() < 2) return;
    const piece& one = live_[s.which % live_.size()];
    const piece& two = live_[s.number % live_.size()];
    const piece& low = one.data < two.data ? one : two;
    const piece& high = one.data < two.data ? two : one;
    bad_free(s, address(low.data), reach(high) - address(low.data));
  }

  void write(const step& s) {
    if (s.number % 2 == 0) {
      if (live_.empty()) return;
      const piece& one = live_[s.which % live_.size()];
      const std::byte* const end = runs_[one.run].end();
      // Who holds the last bytes answers for what lies behind.
      if (reach(one) != address(end)) return;
      std::byte* const at = runs_[one.run].end() + s.number / 2 % redzone;
      in_child(write_past_end, [=] { spoil(at); });
    } else {
      if (gone_.empty()) return;
      const piece& dead = gone_[s.which % gone_.size()];
      if (gone_at(address(dead.data)) != &dead) return;
      std::byte* const at = dead.data + s.number / 2 % dead.bytes;
      in_child(write_after_free, [=] { spoil(at); });
    }
  }

  // Nobody frees it, or it is used after it was given away.
  void lose(const step& s) {
    if (s.number % 2 == 0) {
      in_child(leak, [&] {
        (void)heap::allocate(1 + size_from(s.number));
        cleave::detail::report_live();
      });
    } else {
      in_child(moved_from, [] {
        array<int> a{1, 2, 3};
        const array<int> owner = std::move(a);
        (void)a.at(0);
      });
    }
  }

  // Makes a mistake and goes on with the input, in a process of its own.
  template <typename Mistake>
  void in_child(unsigned right, const Mistake& mistake) {
    ++mistakes_;
    int ends[2];
    expect(::pipe(ends) == 0, "no pipe");
    const pid_t child = ::fork();
    expect(child >= 0, "no process");
    if (child == 0) {
      ::dup2(ends[1], 2);
      ::close(ends[0]);
      // Names of functions and lines are looked up by another program, which takes its time.
      ::setenv("PATH", "/nowhere", 1);
      honest_ = false;
      mistake();
      go_on();
      (void)heap::verify();
      fail("nothing was noticed");
    }
    ::close(ends[1]);
    std::string said;
    char text[4096];
    for (ssize_t n = 0; (n = ::read(ends[0], text, sizeof text)) > 0;) {
      said.append(text, static_cast<std::size_t>(n));
    }
    ::close(ends[0]);
    int status = 0;
    ::waitpid(child, &status, 0);
    const bool named = WIFEXITED(status) && WEXITSTATUS(status) == 70 && is_right(said, right);
    if (!named)
      fail("a mistake (bits " + std::to_string(right) + ") ended with status " +
           std::to_string(status) + " and\n" + said);
  }

  static bool is_right(const std::string& said, unsigned right) {
    for (std::size_t i = 0; i < std::size(first_lines); ++i) {
      const std::string line = std::string("cleave check: ") + first_lines[i] + '\n';
      if ((right >> i & 1) != 0 && said.starts_with(line)) return true;
    }
    return false;
  }

  const std::uint8_t* rest_;
  std::size_t rest_bytes_;
  std::vector<piece> runs_;  // whole, by their numbers
  std::vector<piece> live_;
  std::vector<piece> gone_;  // the last ones last
  std::size_t freed_ = 0;
  std::size_t mistakes_ = 0;
  bool honest_ = true;
};

}  // namespace
}  // namespace cleave::test

// Before the heap starts.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  ::setenv("CLEAVE_CHECK", "1", 1);
  return 0;
}

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace cleave::test;
  session(data, bytes).go_on();
  expect_nothing_live();
  return 0;
}
