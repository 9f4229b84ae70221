// layout.hpp -- how a value of each type is held by the compiled program.
//
//   const layouts all(program);
//   all.of(type).form                 // boxed, for List<U32>
//   all.of(type).plain                 // copies need no count
//   all.of(type).cells[1].size         // the bytes of a Con: header, tail, head
//
// Numbers are numbers; a type whose constructors have no fields is a small number; a type
// that contains itself is boxed, a pointer to a counted cell; all others are structs or
// tagged unions where they are small, and boxed where they are not.
//
// Invariants (tests/lang/layout_test.cpp):
//   Y1  A plain type is never boxed, and has no part that is.
//   Y2  No value is larger than `largest_pair` bytes.
//   Y3  Sizes and alignments are those that C++ gives to the structs of emit_types.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "lang/core.hpp"

namespace cleave::lang {

enum class form : std::uint8_t {
  number,       // U32, Nat, F32, Char
  text,         // String
  array,        // Array<T>
  closure,      // A -> B, IO(A)
  enumeration,  // no constructor has a field: its number
  pair,         // Sigma
  record,       // one constructor: a struct
  choice,       // a tagged union
  boxed,        // a pointer to a cell, or the number of a constructor without fields
};

// The fields of one constructor, in a struct or in a cell.
struct field_order {
  std::vector<std::size_t> order;  // numbers of fields, by falling alignment
  std::size_t size = 0;            // of a cell with its header; of a struct without one
  std::size_t alignment = 1;
};

struct layout {
  lang::form form = lang::form::number;
  bool plain = false;
  // An array is a part of the value itself, so that a keep would change its place.
  bool holds_array = false;
  std::size_t size = 0;
  std::size_t alignment = 1;
  std::vector<field_order> cells;  // of a record, choice or boxed type, for each constructor
};

// Limits in bytes. Values that own something move more often than plain ones, which fill
// arrays, and results of natives are pairs of whatever their types say.
inline constexpr std::size_t largest_choice = 32;
inline constexpr std::size_t largest_record = 64;
inline constexpr std::size_t largest_plain = 256;
inline constexpr std::size_t largest_pair = 1024;

inline constexpr std::size_t cell_header = 8;

class layouts {
 public:
  // O(types and their fields). The program's types stay where they are and as they are.
  explicit layouts(const core::program& all);

  [[nodiscard]] const layout& of(const core::type& type) const { return found_.at(&type); }
  [[nodiscard]] const layout& of(const core::data_type& data) const {
    return of(*type_of_.at(&data));
  }
  // The type of which `data` is the description.
  [[nodiscard]] const core::type& type_of(const core::data_type& data) const {
    return *type_of_.at(&data);
  }
  // All types; each stands behind those that it mentions, unless it is boxed.
  [[nodiscard]] const std::vector<const core::type*>& in_order() const { return in_order_; }

 private:
  void place(const core::type& type, bool circular);
  void place_struct(const core::type& type, std::size_t number_size, layout& made);
  [[nodiscard]] field_order fields_of(const core::constructor& one, std::size_t size) const;

  std::unordered_map<const core::type*, layout> found_;
  std::unordered_map<const core::data_type*, const core::type*> type_of_;
  std::vector<const core::type*> in_order_;
};

}  // namespace cleave::lang
