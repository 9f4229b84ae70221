// core.hpp -- a program with every type known: what the elaborator makes, the ownership
// pass completes, and the emitter writes as C++.
//
// A function is generic nowhere: each instance of a def is a function of its own. Code is
// a *block*: steps in order of evaluation, then one ending. Operands are atoms, variables
// or numbers, so that the last use of each value is a place. Types, erased arguments
// and templates are gone.
//
//   sum(a):                              block
//     match a:                             ending: branch on a
//       case ALeaf{x}: x                     arm 0 (x):     give x
//       case ANode{l, r}:                    arm 1 (l, r):  p = call sum(l); q = call sum(r)
//         (sum(l) + sum(r) : U32)                           s = native U32.add(p, q); give s
//
// Ownership, after own(): a variable that is not plain (see is_plain) and not borrowed has
// one owner, and each of its paths ends in exactly one step or ending that consumes it.
//
// Invariants (tests/lang/core_test.cpp; check() tests them):
//   C1  Each variable is bound once, and used only where its binding reaches.
//   C2  A jump goes to a label of its own function, with as many values as it has
//       parameters; no label is used before its step.
//   C3  After own(): an owned variable is consumed exactly once on every path.
//   C4  A token is used at most once on every path, else freed.
//   C5  Types agree: arguments with parameters, fields with constructors, results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/tree.hpp"

namespace cleave::lang::core {

struct data_type;

enum class type_kind : std::uint8_t { u32, nat, f32, character, string, array, data, function, io };

// Interned: equal types are the same object.
struct type {
  type_kind kind;
  const data_type* data = nullptr;  // data
  const type* first = nullptr;      // element of an array, argument of a function, result of IO
  const type* second = nullptr;     // result of a function
};

struct constructor {
  std::string name;
  std::vector<std::string> field_names;
  std::vector<const type*> fields;  // erased ones are left out
};

// An instance of a type of the program or of Base, such as List<U32>. Bool, Cmp, Unit and
// Sigma are some of them; String, Array, Char and numbers are not.
struct data_type {
  std::string name;  // as in a message: List<U32>
  const type_decl* declaration = nullptr;
  std::vector<const type*> arguments;
  std::vector<constructor> constructors;
  std::size_t number = 0;  // among all of the program
  mutable int plain = -1;  // what is_plain() found out; -1 until it is asked
};

struct variable {
  const type* of = nullptr;
  std::string name;        // as in the source, or empty
  std::size_t number = 0;  // unique in the program
  // own(): the value belongs to someone else for as long as this variable lives.
  bool borrowed = false;
  // own(): not a value, but the memory of one that was taken apart, or nothing.
  bool token = false;
};

// A variable, or a number (of an F32 its bits); and its type.
struct atom {
  variable* name = nullptr;
  const type* of = nullptr;
  std::uint64_t number = 0;
};

struct function;
struct closure;
struct block;

enum class operation_kind : std::uint8_t {
  copy,          // arguments[0]; between U32 and Char too
  text,          // the string `text`
  call,          // callee(arguments)
  native,        // native<types>(arguments); does the effect, if it is one
  look,          // the second part of what the native gives; the first is arguments[0] as it was
  construct,     // constructor number `constructor` of the type of the result
  leaf,          // ALeaf{arguments[0]}
  node,          // ANode{arguments[0], arguments[1]}
  make_closure,  // of type function or io
  apply,         // arguments[0](arguments[1])
  run,           // the result of the action arguments[0]
  nested,        // what `inner` gives
};

struct operation {
  operation_kind kind = operation_kind::copy;
  std::vector<atom> arguments;
  const function* callee = nullptr;
  const def_decl* native = nullptr;
  std::vector<const type*> types;
  std::size_t constructor = 0;
  std::string text;
  std::unique_ptr<closure> made;
  std::unique_ptr<block> inner;
  span where;
  // own(), for construct and leaf: take this token's memory if it has any.
  variable* reuse = nullptr;
  // A call that the device runs: written f!(x), of a function that a kernel can be made of.
  bool device = false;
};

struct label {
  std::vector<variable*> parameters;
  std::unique_ptr<block> body;
  std::size_t number = 0;
};

// One value of a parallel let.
struct branch_value {
  variable* name = nullptr;
  std::unique_ptr<block> value;
};

enum class step_kind : std::uint8_t {
  let,         // name = operation
  parallel,    // all of `values`, perhaps at the same time
  define,      // the label `target`, which the rest of this block may jump to
  keep,        // one more owner of `name`
  drop,        // `name` has no owner any more
  free_token,  // the memory in the token `name` is not needed
};

struct step {
  step_kind kind = step_kind::let;
  variable* name = nullptr;  // null in a let whose value is not used
  operation what;
  std::vector<branch_value> values;
  std::unique_ptr<label> target;
};

enum class test_kind : std::uint8_t {
  constructors,  // data, string (SNil 0, SCon 1) and array (ALeaf 0, ANode 1)
  numbers,       // U32, Char, Nat: arms by value
  at_least,      // Nat: the one arm if subject >= value, with field 0 = subject - value
  texts,         // String: arms by text
  // Array: the one arm, which binds nothing, if its depth is the value and it has one owner.
  small_array,
};

struct arm {
  std::size_t constructor = 0;
  std::uint64_t value = 0;
  std::string text;
  std::vector<variable*> fields;  // null for a field that is not used
  std::unique_ptr<block> body;
  // own(): receives the memory of the subject when nobody else owns it.
  variable* token = nullptr;
};

struct branching {
  test_kind test = test_kind::constructors;
  atom subject;
  std::vector<arm> arms;
  std::unique_ptr<block> otherwise;  // null if the arms cover all
  // own(): the subject ends here, and its fields belong to the arm. If not, its
  // fields are borrowed from it.
  bool consumes = false;
  // A small array: the arm computes in order what the others fork, and is not taken where
  // forks are wanted.
  bool in_order = false;
};

enum class ending_kind : std::uint8_t {
  give,       // value: the result of this function, closure, nested block or label's block
  tail_call,  // callee(arguments), whose result is the result; also apply, if callee is null
  tail_run,   // in the body of an io closure: go on with the action `value`
  branch,
  jump,  // target(arguments)
  stop,  // fail: print `message`, exit code 1
};

struct ending {
  ending_kind kind = ending_kind::give;
  atom value;
  const function* callee = nullptr;
  std::vector<atom> arguments;
  std::unique_ptr<branching> cases;
  const label* target = nullptr;
  std::string message;
  bool device = false;  // as in operation
  span where;           // of a tail call that the device runs
};

struct block {
  std::vector<step> steps;
  ending end;
};

// A function value, or an IO action if `action`. `captures` are variables of the code
// around it; `inside` are the same values within the body, one for each.
struct closure {
  std::vector<variable*> captures;
  std::vector<variable*> inside;
  variable* parameter = nullptr;  // null if action
  bool action = false;
  block body;
};

// An instance of a def.
struct function {
  std::string name;  // as in a message: List.map<U32, Nat>
  const def_decl* source = nullptr;
  std::vector<variable*> parameters;  // own() marks those that are only read as borrowed
  const type* result = nullptr;
  block body;
  std::size_t number = 0;
  bool inlined = false;  // becomes a part of the code that calls it
  bool kernel = false;   // becomes code of the device: a copy for that alone
  // The host's side of the calls of a kernel: its one call is what the device runs.
  bool launches = false;
};

// Owns everything. `main` takes nothing.
struct program {
  std::deque<type> types;
  std::deque<data_type> data;
  std::deque<variable> variables;
  std::deque<function> functions;
  const function* main = nullptr;
  std::size_t labels = 0;
};

// True if copying a value needs no count and dropping it nothing: numbers, and data made
// of such that is not recursive.
[[nodiscard]] bool is_plain(const type& of);

// The program as text, for tests and for people.
[[nodiscard]] std::string to_text(const program& all);

// The first broken invariant, or an empty string. C3 and C4 only if `owned`.
[[nodiscard]] std::string check(const program& all, bool owned);

}  // namespace cleave::lang::core
