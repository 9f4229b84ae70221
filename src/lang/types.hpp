// types.hpp -- the types of core as values that are compared by address, and types with
// unknown parts, which unify() finds out.
//
// A *shape* is a type in the making: known, unknown, or built of such. A shape without
// unknown parts has a core type from the start, so that nearly all comparisons are one of
// pointers. Shapes and core types live as long as the table.
//
//   type_table types(made);
//   shape* const list = types.data(*list_decl, {types.unknown()});      // List<?>
//   types.unify(list, types.data(*list_decl, {types.u32()}));           // true: ? is U32
//   types.close(list)->data->name == "List<U32>"
//
// Invariants (tests/lang/types_test.cpp):
//   T1  Two core types of one table are the same object exactly if they are equal.
//   T2  The field `known` never changes once it is not null.
//   T3  No type has more than `largest` parts, and none contains itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/core.hpp"
#include "lang/tree.hpp"

namespace cleave::lang {

struct shape {
  core::type_kind kind = core::type_kind::u32;
  bool unknown = false;
  const type_decl* declaration = nullptr;  // data
  // data: the arguments; array, io: the element; function: argument and result.
  std::vector<shape*> parts;
  const core::type* known = nullptr;
  shape* same = nullptr;  // what an unknown turned out to be, or an equal shape
  std::size_t size = 1;   // parts when it was made
  std::uint64_t visited = 0;
};

class type_table {
 public:
  // Parts of a type, counted as in its text.
  static constexpr std::size_t largest = 4096;

  explicit type_table(core::program& made);

  [[nodiscard]] shape* u32() const noexcept { return u32_; }
  [[nodiscard]] shape* nat() const noexcept { return nat_; }
  [[nodiscard]] shape* f32() const noexcept { return f32_; }
  [[nodiscard]] shape* character() const noexcept { return character_; }
  [[nodiscard]] shape* string() const noexcept { return string_; }
  // Built of others. O(parts).
  [[nodiscard]] shape* array(shape* element);
  [[nodiscard]] shape* io(shape* result);
  [[nodiscard]] shape* function(shape* from, shape* to);
  [[nodiscard]] shape* data(const type_decl& declaration, std::vector<shape*> arguments);
  [[nodiscard]] shape* unknown();
  [[nodiscard]] shape* of(const core::type* known);

  // True if, since this was asked last, a type was wanted that is larger than `largest`;
  // another took its place.
  [[nodiscard]] bool take_too_large() noexcept { return std::exchange(too_large_, false); }

  // What is known of it, without the detours. Amortised O(1).
  [[nodiscard]] static shape* find(shape* s) noexcept;

  // Makes them equal, if that is possible. Near O(parts) where both are not known yet.
  // Error: false; unknown parts may have been found on the way.
  bool unify(shape* a, shape* b);

  // The core type; unknown parts become `rest`, which was set before.
  [[nodiscard]] const core::type* close(shape* s);
  void set_rest(shape* unit) noexcept { rest_ = unit; }
  [[nodiscard]] shape* rest() const noexcept { return rest_; }

  // The core types of data that nobody took yet; their constructors are still to be filled.
  [[nodiscard]] core::data_type* next_unfilled() noexcept;

 private:
  struct key {
    core::type_kind kind;
    const void* declaration;
    std::vector<const core::type*> parts;
    bool operator==(const key&) const = default;
  };
  struct key_hash {
    std::size_t operator()(const key& k) const noexcept;
  };

  [[nodiscard]] shape* built(core::type_kind kind, const type_decl* declaration,
                             std::vector<shape*> parts);
  [[nodiscard]] const core::type* intern(core::type_kind kind, const type_decl* declaration,
                                         std::vector<const core::type*> parts);
  [[nodiscard]] bool occurs(const shape* unknown, shape* in, std::size_t depth);
  [[nodiscard]] bool unify(shape* a, shape* b, std::size_t depth);
  [[nodiscard]] const core::type* close(shape* s, std::size_t depth);

  core::program& made_;
  std::deque<shape> shapes_;
  std::unordered_map<key, const core::type*, key_hash> interned_;
  std::unordered_map<const core::type*, shape*> shapes_of_;
  std::size_t filled_ = 0;
  std::uint64_t visit_ = 0;
  bool too_large_ = false;
  shape* rest_ = nullptr;
  shape* u32_;
  shape* nat_;
  shape* f32_;
  shape* character_;
  shape* string_;
};

// In the notation of the language: `List<U32> & Nat`, `U32 -> IO(Unit)`; `_` stands for
// what is unknown, and `..` for what is more than `longest` bytes.
[[nodiscard]] std::string to_text(const core::type& of, std::size_t longest = 200);
[[nodiscard]] std::string to_text(shape* of, std::size_t longest = 200);

}  // namespace cleave::lang
