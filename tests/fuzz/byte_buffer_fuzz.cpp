// byte_buffer_fuzz.cpp -- libFuzzer chooses what happens to a few buffers; strings say what they
// hold.
#include <array>
#include <cleave/byte_buffer.hpp>
#include <string>
#include <utility>

#include "fuzz/steps.hpp"

namespace cleave::test {
namespace {

class session {
 public:
  void take(const step& s) {
    pair& chosen = pairs_[s.which % pairs_.size()];
    pair& other = pairs_[s.number % pairs_.size()];
    const std::size_t size = size_from(s.number) % 100'000;
    const std::size_t at = s.number % (chosen.own.size() + 1);
    switch (s.what % 12) {
      case 0:
      case 1: append(chosen, size % 3000); break;
      case 2:
        if (&chosen == &other) break;
        other.own = chosen.own.split_to(at);
        other.same = chosen.same.substr(0, at);
        chosen.same.erase(0, at);
        break;
      case 3:
        if (&chosen == &other) break;
        other.own = chosen.own.split_off(at);
        other.same = chosen.same.substr(at);
        chosen.same.resize(at);
        break;
      case 4:
        if (&chosen == &other) break;
        other.own = chosen.own.split();
        other.same = std::exchange(chosen.same, {});
        break;
      case 5: unsplit(chosen, other); break;
      case 6:
        chosen.own.advance(at);
        chosen.same.erase(0, at);
        break;
      case 7:
        chosen.own.truncate(at);
        chosen.same.resize(at);
        break;
      case 8: chosen.own.reserve(size); break;
      case 9: chosen.own.shrink_to_fit(); break;
      case 10:
        chosen.own.resize(size, std::byte{'z'});
        chosen.same.resize(size, 'z');
        break;
      default: round_trip(chosen); break;
    }
    agree();
  }

 private:
  struct pair {
    byte_buffer own;
    std::string same;
  };

  void append(pair& p, std::size_t bytes) {
    const std::string text(bytes, static_cast<char>('a' + next_++ % 23));
    p.own.append(text);
    p.same += text;
  }

  static void unsplit(pair& left, pair& right) {
    if (&left == &right || left.same.size() > 1'000'000) return;
    if (!left.own.try_unsplit(std::move(right.own))) left.own.unsplit(std::move(right.own));
    left.same += right.same;
    right = pair{};
  }

  static void round_trip(pair& p) { p.own = byte_buffer(std::move(p.own).into_run()); }

  void agree() const {
    std::size_t capacities = 0;
    for (const pair& p : pairs_) {
      expect(p.own.text() == p.same, "a buffer does not hold what it should");
      expect(p.own.size() <= p.own.capacity(), "B1");
      capacities += p.own.capacity();
    }
    expect(heap::live_bytes() == capacities, "B2");
  }

  std::array<pair, 6> pairs_;
  unsigned next_ = 0;
};

}  // namespace
}  // namespace cleave::test

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  using namespace cleave::test;
  run_session<session>(data, bytes);
  return 0;
}
