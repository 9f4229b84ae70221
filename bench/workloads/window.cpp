// window.cpp -- words come in at the end and go out at the front, one by one.
//
// The strategies cut in the middle only, so each contender says here how it would do this.
#include <deque>
#include <vector>

#include "workloads/filling.hpp"
#include "workloads/workloads.hpp"

namespace cleave::bench {
namespace {

// How many words there are at each moment.
constexpr std::size_t width = 4096;
// What is made at once, where memory is made ahead.
constexpr std::size_t room = 4 * width;

// A window is made empty. pop() returns the word that has been in it for the longest time.
template <class W>
concept sliding = requires(W window, word value) {
  window.push(value);
  { window.pop() } -> std::same_as<word>;
};

// The limit: a ring, nothing is ever made or freed.
class ring_window {
 public:
  void push(word value) { cells_[end_++ % (2 * width)] = value; }
  word pop() { return cells_[begin_++ % (2 * width)]; }

 private:
  word* cells_ = flat_buffer(2 * width);
  std::size_t begin_ = 0, end_ = 0;
};

// A span that moves through one buffer, and back to its beginning when it is at the end.
class raw_window {
 public:
  void push(word value) {
    if (end_ == buffer_ + raw::largest) [[unlikely]] {
      std::memmove(buffer_, begin_, size() * sizeof(word));
      end_ = buffer_ + size();
      begin_ = buffer_;
    }
    *end_++ = value;
  }
  word pop() { return *begin_++; }

 private:
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(end_ - begin_); }

  word* buffer_ = flat_buffer(raw::largest);
  word* begin_ = buffer_;
  word* end_ = buffer_;
};

// A vector and an index; what lies before the index goes when it is most of it.
class vector_window {
 public:
  void push(word value) {
    if (cells_.size() == room) [[unlikely]] {
      cells_.erase(cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(begin_));
      begin_ = 0;
    }
    cells_.push_back(value);
  }
  word pop() { return cells_[begin_++]; }

 private:
  std::vector<word> cells_;
  std::size_t begin_ = 0;
};

class deque_window {
 public:
  void push(word value) { cells_.push_back(value); }
  word pop() {
    const word value = cells_.front();
    cells_.pop_front();
    return value;
  }

 private:
  std::deque<word> cells_;
};

// Each word is an array, cut off from what was made ahead, and joined. At the front it is
// cut off and freed, so that memory is free again as the window leaves it.
class cleave_window {
 public:
  void push(word value) {
    if (ahead_.empty()) [[unlikely]]
      move_on();
    auto rest = ahead_.cut(1);
    ahead_[0] = value;
    window_.join(std::move(ahead_));
    ahead_ = std::move(rest);
  }
  word pop() {
    auto rest = window_.cut(1);
    const word value = window_[0];
    window_ = std::move(rest);
    return value;
  }

 private:
  void move_on() {
    auto made = cleave::array<word>::for_overwrite(room);
    ahead_ = made.cut(window_.size());
    std::copy(window_.begin(), window_.end(), made.begin());
    window_ = std::move(made);
  }

  cleave::array<word> window_, ahead_;
};

// The same with a plain pointer and sizes, and heap::free() for what leaves.
class cleave_run_window {
 public:
  cleave_run_window() = default;
  cleave_run_window(const cleave_run_window&) = delete;
  cleave_run_window& operator=(const cleave_run_window&) = delete;
  ~cleave_run_window() {
    if (begin_ != last_) heap::free(begin_, bytes(begin_, last_));
  }

  void push(word value) {
    if (end_ == last_) [[unlikely]]
      move_on();
    *end_++ = value;
  }
  word pop() {
    const word value = *begin_;
    heap::free(begin_++, sizeof(word));
    return value;
  }

 private:
  static std::size_t bytes(const word* from, const word* to) {
    return static_cast<std::size_t>(to - from) * sizeof(word);
  }
  void move_on() {
    auto* const made = static_cast<word*>(heap::allocate(room * sizeof(word), alignof(word)));
    word* const end = std::copy(begin_, end_, made);
    if (begin_ != end_) heap::free(begin_, bytes(begin_, end_));
    begin_ = made;
    end_ = end;
    last_ = made + room;
  }

  // The window is [begin_, end_), and [end_, last_) is what was made ahead.
  word* begin_ = nullptr;
  word* end_ = nullptr;
  word* last_ = nullptr;
};

struct window_body {
  static constexpr std::size_t repeats = 10'000'000, quick_repeats = 500'000;

  template <sliding W>
  static std::uint64_t run(job& todo) {
    W window;
    for (std::size_t i = 0; i < width; ++i) window.push(content(i, 0));
    std::uint64_t sum = 0;
    for (std::size_t step = 0; step < todo.repeats; ++step) {
      window.push(content(width + step, 0));
      // In the order in which they came in.
      sum += window.pop() * (step + 1);
      keep(&window);
    }
    return sum;
  }
};

}  // namespace

workload window() {
  workload made = describe<window_body>("window");
  add_own(made, "limit", &window_body::run<ring_window>);
  add_own(made, raw::name(), &window_body::run<raw_window>);
  add_own(made, "vec", &window_body::run<vector_window>);
  add_own(made, "deque", &window_body::run<deque_window>);
  add_own(made, cleave_array::name(), &window_body::run<cleave_window>);
  add_own(made, cleave_run::name(), &window_body::run<cleave_run_window>);
  return made;
}

}  // namespace cleave::bench
