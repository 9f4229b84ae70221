// values.hpp -- what Scheme's values are to the collector.
//
//   value five = fixnum(5), nothing = nil;
//   if (pair* p = v.try_as<pair>()) show(p->head.get());
//
// Small integers, characters and the few constants are immediates; everything else is an
// object. Vectors are the collector's arrays of references, bytevectors its arrays of bytes,
// so a large one can be forgotten.
#pragma once

#include <cleave/collector.hpp>
#include <cstdint>

namespace scheme {

namespace gc = cleave::gc;
using gc::immediate;
using gc::value;
using any = gc::local<value>;
using vector = gc::ref_array<value>;
using bytevector = gc::byte_array;

// --- Immediates. Integers have the lowest bit set; 010 are constants, 110 characters ---

constexpr immediate constant(std::uintptr_t number) noexcept {
  return immediate::from_bits(number << 3 | 2);
}
inline constexpr immediate nil = constant(0);
inline constexpr immediate no = constant(1);
inline constexpr immediate yes = constant(2);
// The value of what has none, such as an assignment.
inline constexpr immediate unspecified = constant(3);
inline constexpr immediate end_of_file = constant(4);
// In variables that have no value yet. Never seen by a program.
inline constexpr immediate unbound = constant(5);

constexpr immediate boolean(bool b) noexcept {
  return b ? yes : no;
}
constexpr bool is_true(value v) noexcept {
  return v != value(no);
}

inline constexpr std::int64_t largest_fixnum = (std::int64_t{1} << 61) - 1;
constexpr immediate fixnum(std::int64_t n) noexcept {
  return immediate::integer(n);
}
constexpr bool fits_fixnum(std::int64_t n) noexcept {
  return n <= largest_fixnum && n >= -largest_fixnum - 1;
}

constexpr immediate character(char32_t c) noexcept {
  return immediate::from_bits(std::uintptr_t{c} << 3 | 6);
}
constexpr bool is_character(value v) noexcept {
  return (v.bits() & 7) == 6;
}
constexpr char32_t character_of(value v) noexcept {
  return static_cast<char32_t>(v.bits() >> 3);
}

// --- Objects ---

struct pair {
  static constexpr const char* type_name = "pair";
  gc::ref<value> head, tail;
  void trace(gc::visitor& to) { to.visit(head, tail); }
};

struct flonum {
  static constexpr const char* type_name = "flonum";
  static constexpr bool has_references = false;
  double number;
};

// The characters are 32-bit code points.
struct string {
  static constexpr const char* type_name = "string";
  gc::ref<bytevector> characters;
  void trace(gc::visitor& to) { to.visit(characters); }
};

// `number` is its place among the machine's symbols, and that of its global variable.
struct symbol {
  static constexpr const char* type_name = "symbol";
  std::uint64_t number;
  gc::ref<value> name;
  void trace(gc::visitor& to) { to.visit(name); }
};

struct lambda_node;

// `environment` is a vector: the enclosing one, and then the variables.
struct closure {
  static constexpr const char* type_name = "procedure";
  const lambda_node* code;
  gc::ref<vector> environment;
  void trace(gc::visitor& to) { to.visit(environment); }
};

struct primitive_entry;

struct primitive {
  static constexpr const char* type_name = "primitive";
  static constexpr bool has_references = false;
  const primitive_entry* entry;
};

// The frames that wait for a value, and the exception handlers of that moment.
struct continuation {
  static constexpr const char* type_name = "continuation";
  gc::ref<value> frame, handlers;
  void trace(gc::visitor& to) { to.visit(frame, handlers); }
};

// Several values on their way to call-with-values.
struct several {
  static constexpr const char* type_name = "values";
  gc::ref<value> list;
  void trace(gc::visitor& to) { to.visit(list); }
};

// A record's first field is its type, which is a record of type `unbound` with a name.
struct record {
  static constexpr const char* type_name = "record";
  gc::ref<value> kind;
  gc::ref<vector> fields;
  void trace(gc::visitor& to) { to.visit(kind, fields); }
};

// What `error` makes.
struct condition {
  static constexpr const char* type_name = "condition";
  gc::ref<value> message, irritants;
  void trace(gc::visitor& to) { to.visit(message, irritants); }
};

inline double as_double(value v) noexcept {
  return v.is_integer() ? static_cast<double>(v.integer()) : v.as<flonum>()->number;
}
inline bool is_number(value v) noexcept {
  return v.is_integer() || v.is<flonum>();
}
inline bool is_procedure(value v) noexcept {
  return v.is<closure>() || v.is<primitive>() || v.is<continuation>();
}

}  // namespace scheme
