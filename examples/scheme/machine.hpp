// machine.hpp -- the machine that runs compiled Scheme.
//
//   gc::collector c;
//   machine m(c);
//   m.run_text("(display (* 6 7))", "example");     // prints 42
//
// A loop over nodes with a few registers. What waits for a value is a frame, and frames are
// objects that never change once they are made: a continuation is a reference to the newest
// one, may be entered any number of times, and a tail call leaves no frame behind.
// Arguments are collected on a stack of the machine's own, which is a root, as all registers
// are: nothing that the collector has to know lies on the C++ stack.
#pragma once

#include <cleave/collector.hpp>
#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "nodes.hpp"
#include "values.hpp"

namespace scheme {

class machine;

// What a primitive gets: how many arguments there are; m.argument(i) has them. It may
// allocate; an argument is read anew after that.
using primitive_function = value (*)(machine& m, std::size_t count);

struct primitive_entry {
  const char* name;
  primitive_function function;
  std::size_t least = 0;
  std::size_t most = 0;
  static constexpr std::size_t any_number = SIZE_MAX;
  // These change the machine instead of giving a value.
  enum class control { none, apply, call_cc, call_with_values, with_handler, raise, raise_on };
  control act = control::none;
};

// An error that the program can handle.
struct scheme_error {
  std::string message;
  std::optional<any> irritant;
};
[[noreturn]] void fail(std::string message);
// The length of a list; nothing for what is none, as a circle.
std::optional<std::size_t> length_of(value v);
[[noreturn]] void fail(machine& m, std::string message, value irritant);

// `(exit n)`.
struct exit_request {
  int code;
};
// What no handler took, as a line.
struct uncaught {
  std::string text;
};

class machine {
 public:
  explicit machine(gc::collector& owner);
  machine(const machine&) = delete;
  machine& operator=(const machine&) = delete;

  // Runs all expressions of the text. Throws uncaught and exit_request.
  void run_text(std::string_view text, const std::string& name);

  gc::mutator& heap() noexcept { return heap_; }
  gc::collector& owner() noexcept { return heap_.owner(); }

  // --- Primitives ---
  [[nodiscard]] value argument(std::size_t i) const noexcept { return stack_[arguments_ + i]; }
  void define(const primitive_entry& entry);

  // --- Values ---
  any cons(const any& head, const any& tail) { return heap_.make<pair>(head, tail); }
  value make_flonum(double number) { return heap_.make<flonum>(number).get(); }
  any make_string(std::u32string_view text);
  any make_string(std::string_view text);
  // The same symbol for the same name.
  any symbol_named(std::string_view name);
  any fresh_symbol();
  any held(value v) { return any(heap_, v); }

  // --- For the compiler ---
  [[nodiscard]] value global(std::size_t number) const noexcept { return globals_[number]; }
  std::size_t keep_constant(value v);
  // Nodes live as long as the machine.
  template <class Node>
  Node* make_node() {
    auto made = std::make_unique<Node>();
    Node* const plain = made.get();
    nodes_.push_back(std::move(made));
    return plain;
  }
  std::unordered_map<std::size_t, std::size_t>& macros() noexcept { return macros_; }
  // The globals that code calls as the primitives that they were.
  std::unordered_set<std::size_t>& used_primitives() noexcept { return used_primitives_; }
  // Those that the program gives another value, so that code may not call them so.
  std::unordered_set<std::size_t>& changed_primitives() noexcept { return changed_primitives_; }
  [[nodiscard]] value constant_at(std::size_t i) const noexcept { return constants_[i]; }

  // What was written and not printed yet.
  std::string& output() noexcept { return output_; }
  void flush();

 private:
  enum class step { node, result, call };

  void run(const node* code);
  void loop();
  step evaluate();
  step go_on();
  step call();
  step call_closure(std::size_t count);
  step call_primitive(const primitive_entry& entry, std::size_t count);
  step call_control(primitive_entry::control act, std::size_t count);
  step enter_body(const lambda_node& code, std::size_t count);
  step raise(bool may_return);
  step evaluate_call(const call_node& code, std::size_t from);
  step evaluate_sequence(const sequence_node& code, std::size_t from);
  step give(value v) {
    result_ = v;
    return step::result;
  }

  // The value of a node that needs no frame.
  value simple(const node& code);
  value simple_call(const call_node& code);
  value make_closure(const lambda_node& code);
  value local(const local_node& code) const;
  void assign(const node& target, value v);
  void push_frame(const node* code, std::size_t index, std::size_t values);
  void handle(const scheme_error& error);

  gc::mutator heap_;

  // The registers. `base_` is where the arguments of the call that is made begin.
  const node* node_ = nullptr;
  value result_, environment_, frame_, handlers_;
  std::vector<value> stack_;
  std::size_t arguments_ = 0;

  std::vector<value> symbols_;
  std::vector<value> globals_;
  std::deque<value> constants_;
  std::unordered_map<std::string, std::size_t> names_;
  // From the number of a keyword to its constant: a list of literals and rules.
  std::unordered_map<std::size_t, std::size_t> macros_;
  std::unordered_set<std::size_t> used_primitives_, changed_primitives_;
  std::vector<std::unique_ptr<node>> nodes_;
  std::deque<primitive_entry> primitives_;
  std::string output_;
  std::size_t fresh_ = 0;

  gc::roots roots_;
};

// The primitives, and what of the language is written in it.
void add_numbers(machine& m);
void add_lists(machine& m);
void add_texts(machine& m);
void add_control(machine& m);
extern const char* const prelude;

}  // namespace scheme
