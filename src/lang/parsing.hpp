// parsing.hpp -- coroutines for a parser that recurses without using the stack.
//
// A parser of nested things is easiest to read as functions that call each other, but
// then the depth of the input decides how much stack it takes. Here such a function is a
// coroutine: its frame is on the heap, and `co_await f()` goes back to a loop that runs
// f and later its caller. The stack stays flat, and a loop that knows all that is
// running can also give up what failed, without an exception or a test behind each call.
//
//   parsing<int> parser::sum() {              // parser has: parsing_stack& steps()
//     int total = co_await number();          // number() is a parsing<int>
//     ...
//     if (wrong) co_await steps().failure();  // never comes back
//     co_return total;
//   }
//   std::optional<int> made = steps().run(sum());                   // empty if it failed
//   std::optional<int> part = co_await attempt(sum());              // the same, inside
//
// Invariants (tests/lang/parsing_test.cpp):
//   P1  A failure ends all that runs below the nearest attempt, innermost first; the
//       destructors of their variables run.
//   P2  The depth of the machine's stack does not depend on how many wait for another.
#pragma once

#include <coroutine>
#include <optional>
#include <utility>
#include <vector>

namespace cleave::lang {

template <class T>
class parsing;

// All coroutines that have begun and not ended. Each but the last waits for the next.
class parsing_stack {
 public:
  parsing_stack() = default;
  parsing_stack(const parsing_stack&) = delete;
  parsing_stack& operator=(const parsing_stack&) = delete;
  // Something is still running only if an exception came through run().
  ~parsing_stack() {
    for (; !running_.empty(); running_.pop_back()) running_.back().code.destroy();
  }

  // What `whole` gives; empty if it failed.
  template <class T>
  std::optional<T> run(parsing<T> whole);

  // Awaited, it ends what runs up to the nearest attempt.
  struct failing {
    parsing_stack* steps;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<> /*code*/) const noexcept { steps->failed_ = true; }
    void await_resume() const noexcept {}
  };
  failing failure() noexcept { return {this}; }

  // For awaiters: `code` runs next. If it is an attempt, *failed becomes true when it fails.
  void push(std::coroutine_handle<> code, bool* failed) { running_.push_back({code, failed}); }

 private:
  struct entry {
    std::coroutine_handle<> code;
    bool* failed;  // null unless an attempt
  };

  void run_all() {
    while (!running_.empty()) {
      const std::coroutine_handle<> code = running_.back().code;
      code.resume();
      if (failed_) {
        unwind();
      } else if (code.done()) {
        running_.pop_back();
      }
    }
  }

  void unwind() {
    failed_ = false;
    for (bool caught = false; !caught;) {
      const entry last = running_.back();
      running_.pop_back();
      last.code.destroy();
      caught = last.failed != nullptr;
      if (caught) *last.failed = true;
    }
  }

  std::vector<entry> running_;
  bool failed_ = false;
};

// A coroutine that makes a T, which is copied around and has a default. It begins when
// it is awaited, once.
template <class T>
class [[nodiscard]] parsing {
 public:
  struct promise_type {
    // A coroutine is a member of what has the steps.
    template <class Owner, class... Arguments>
    explicit promise_type(Owner& owner, Arguments&&... /*arguments*/) : steps(&owner.steps()) {}

    parsing get_return_object() { return parsing(handle::from_promise(*this)); }
    std::suspend_always initial_suspend() noexcept { return {}; }
    std::suspend_always final_suspend() noexcept { return {}; }
    void return_value(T made) { value = std::move(made); }
    [[noreturn]] void unhandled_exception() { throw; }

    parsing_stack* steps;
    T value{};
  };
  using handle = std::coroutine_handle<promise_type>;

  explicit parsing(handle code) noexcept : code_(code) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> /*caller*/) const { begin(nullptr); }
  T await_resume() const { return take(); }

 private:
  friend class parsing_stack;
  template <class>
  friend class attempt;

  void begin(bool* failed) const { code_.promise().steps->push(code_, failed); }
  // Requires: it has ended.
  T take() const {
    T made = std::move(code_.promise().value);
    code_.destroy();
    return made;
  }

  handle code_;
};

// Awaited, it gives what the coroutine gives, or nothing if that failed.
template <class T>
class [[nodiscard]] attempt {
 public:
  explicit attempt(parsing<T> code) noexcept : code_(code) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> /*caller*/) { code_.begin(&failed_); }
  std::optional<T> await_resume() const {
    if (failed_) return std::nullopt;
    return code_.take();
  }

 private:
  parsing<T> code_;
  bool failed_ = false;
};

template <class T>
std::optional<T> parsing_stack::run(parsing<T> whole) {
  bool failed = false;
  whole.begin(&failed);
  run_all();
  if (failed) return std::nullopt;
  return whole.take();
}

}  // namespace cleave::lang
