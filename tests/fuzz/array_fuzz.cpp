// array_fuzz.cpp -- libFuzzer chooses what happens to a few arrays; vectors say what they hold.
//
// The elements count themselves, so that one which is destroyed twice, or never, or lost in a
// move is seen at the end of each input.
#include <algorithm>
#include <array>
#include <cleave/array.hpp>
#include <utility>
#include <vector>

#include "fuzz/steps.hpp"

namespace cleave::test {
namespace {

std::ptrdiff_t alive = 0;

class cell {
 public:
  cell() : cell(0) {}
  explicit cell(std::uint32_t value) : value_(value) { ++alive; }
  cell(const cell& other) : value_(other.checked()) { ++alive; }
  cell(cell&& other) noexcept : value_(other.checked()) { ++alive; }
  cell& operator=(const cell& other) {
    value_ = other.checked();
    return *this;
  }
  ~cell() {
    (void)checked();
    --alive;
    self_ = nullptr;
  }
  std::uint32_t checked() const {
    if (self_ != this) fail("an element was used that is not there");
    return value_;
  }
  bool operator==(std::uint32_t value) const { return checked() == value; }

 private:
  const cell* self_ = this;
  std::uint32_t value_;
};

class session {
 public:
  void take(const step& s) {
    pair& chosen = pairs_[s.which % pairs_.size()];
    pair& other = pairs_[s.number % pairs_.size()];
    const std::size_t size = std::min<std::size_t>(size_from(s.number), 5000);
    switch (s.what % 9) {
      case 0: fill(chosen, size); break;
      case 1: cut(chosen, other, s.which * 37 + s.number); break;
      case 2: join(chosen, other); break;
      case 3: chosen = pair{}; break;
      case 4: resize(chosen, size); break;
      case 5: clone(chosen, other); break;
      case 6: std::swap(chosen, other); break;
      case 7: halve(chosen, other); break;
      default: shrink(chosen, s.number); break;
    }
    agree(chosen);
    agree(other);
  }

 private:
  struct pair {
    array<cell> own;
    std::vector<std::uint32_t> same;
  };

  static void agree(const pair& p) {
    expect(std::equal(p.own.begin(), p.own.end(), p.same.begin(), p.same.end(),
                      [](const cell& c, std::uint32_t value) { return c == value; }),
           "an array does not hold what it should");
  }

  void fill(pair& p, std::size_t size) {
    p.same.resize(size);
    for (std::uint32_t& value : p.same) value = next_++;
    std::vector<cell> cells(p.same.begin(), p.same.end());
    p.own = array<cell>(cells.begin(), cells.end());
  }

  static void cut(pair& from, pair& to, std::size_t number) {
    if (&from == &to) return;
    const std::size_t at = number % (from.own.size() + 1);
    to.own = from.own.cut(at);
    to.same.assign(from.same.begin() + static_cast<std::ptrdiff_t>(at), from.same.end());
    from.same.resize(at);
  }

  static void join(pair& left, pair& right) {
    if (&left == &right || left.own.size() > 20'000) return;
    left.own.join(std::move(right.own));
    left.same.insert(left.same.end(), right.same.begin(), right.same.end());
    right = pair{};
  }

  static void halve(pair& left, pair& right) {
    if (&left == &right) return;
    auto halves = std::move(left.own).halves();
    const auto middle = static_cast<std::ptrdiff_t>(halves.first.size());
    right.own = std::move(halves.second);
    right.same.assign(left.same.begin() + middle, left.same.end());
    left.own = std::move(halves.first);
    left.same.resize(left.own.size());
  }

  static void resize(pair& p, std::size_t size) {
    p.own.resize(size, cell(7));
    p.same.resize(size, 7);
  }

  static void shrink(pair& p, std::size_t number) {
    const std::size_t size = number % (p.own.size() + 1);
    p.own.shrink(size);
    p.same.resize(size);
  }

  static void clone(pair& from, pair& to) {
    if (&from == &to) return;
    to.own = from.own.clone();
    to.same = from.same;
  }

  std::array<pair, 8> pairs_;
  std::uint32_t next_ = 0;
};

}  // namespace
}  // namespace cleave::test

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace cleave::test;
  run_session<session>(data, bytes);
  expect(alive == 0, "elements were destroyed twice or never");
  return 0;
}
