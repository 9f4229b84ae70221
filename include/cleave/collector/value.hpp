// value.hpp -- one word of a managed program: a reference to an object, or an immediate.
//
//   value nothing;                            // the null word
//   value five = immediate::integer(5);       // no object at all
//   value any = some_local.get();             // a reference
//   if (node* n = any.try_as<node>()) ...     // by the type in the object's header
//
// A word whose three low bits are zero is a reference, or null; any other word is an
// immediate, which the collector leaves alone. A runtime may use all patterns of
// immediates as it likes; integer() is there for those that need only numbers.
//
// A `value` on the C++ stack is NOT a root. Like a plain pointer to an object it is good
// until the next safepoint of this thread, and no longer (mutator.hpp has the rules).
//
// An object begins with one word of the collector's, its header, in front of the address
// that references have. It holds the object's type.
#pragma once

#include <cleave/heap.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace cleave::gc {

static_assert(sizeof(std::uintptr_t) == 8, "the collector needs addresses of 64 bits");

class visitor;
class byte_array;
template <class T>
class ref_array;

// What the collector has to know of the objects of one type. C++ types get theirs from
// type_of<T>; one written by hand has static storage, and never changes.
struct type {
  enum class kind : std::uint32_t { object, bytes, references };

  const char* name = "object";
  kind layout = kind::object;
  // The size of an object without its header: a multiple of 8, at least 8.
  std::size_t bytes = 0;
  // Shows each reference field of the object to the visitor; nullptr if it has none.
  void (*trace)(void* object, visitor& to) = nullptr;
  // Or, without a function: where in the object its reference fields lie.
  const std::size_t* offsets = nullptr;
  std::size_t offset_count = 0;
};

// The largest object, in bytes. Larger things are arrays.
inline constexpr std::size_t max_object_bytes = 8192;

namespace detail {

template <class T>
struct is_ref_array : std::false_type {};
template <class T>
struct is_ref_array<ref_array<T>> : std::true_type {};

template <class T>
concept traces = requires(T& object, visitor& to) { object.trace(to); };
template <class T>
concept declares_a_leaf = requires { requires !T::has_references; };
template <class T>
concept built_in = std::same_as<T, byte_array> || is_ref_array<T>::value;

}  // namespace detail

// A class whose objects the collector can hold. It shows its references in
//
//   void trace(gc::visitor& to) { to.visit(left, right); }
//
// which does nothing else and does not throw, or says `static constexpr bool has_references =
// false;`. Saying nothing does not compile, since a forgotten reference would dangle.
template <class T>
concept managed = detail::built_in<T> || detail::traces<T> || detail::declares_a_leaf<T>;

namespace detail {

template <class T>
void trace_object(void* object, visitor& to) {
  static_cast<T*>(object)->trace(to);
}

template <class T>
constexpr type make_type() {
  type made;
  if constexpr (std::same_as<T, byte_array>) {
    made.name = "byte_array";
    made.layout = type::kind::bytes;
  } else if constexpr (is_ref_array<T>::value) {
    made.name = "ref_array";
    made.layout = type::kind::references;
  } else {
    if constexpr (requires { T::type_name; }) made.name = T::type_name;
    made.bytes = (sizeof(T) + 7) & ~std::size_t{7};
    if constexpr (traces<T>) made.trace = &trace_object<T>;
  }
  return made;
}

// The types of arrays live in the library: an array of references is one whatever C++
// thinks of its elements.
CLEAVE_API extern const type byte_array_type;
CLEAVE_API extern const type ref_array_type;

template <class T>
inline constexpr type user_type = make_type<T>();

}  // namespace detail

// The type of T's objects; its address is what their headers hold. One T in two shared
// libraries that hide their symbols is two types.
// `static constexpr const char* type_name` in T names it in reports.
template <class T>
[[nodiscard]] constexpr const type& type_of() noexcept {
  if constexpr (std::same_as<T, byte_array>) {
    return detail::byte_array_type;
  } else if constexpr (detail::is_ref_array<T>::value) {
    return detail::ref_array_type;
  } else {
    static_assert(detail::traces<T> || detail::declares_a_leaf<T>,
                  "write trace(gc::visitor&), or static constexpr bool has_references = false");
    static_assert(detail::traces<T> || std::is_trivially_copyable_v<T>,
                  "a class without references is plain data");
    static_assert(std::is_trivially_destructible_v<T>,
                  "dead objects are not visited; use a finalizer");
    static_assert(alignof(T) <= 8 && sizeof(T) <= max_object_bytes);
    return detail::user_type<T>;
  }
}

// A word that is no reference.
class immediate {
 public:
  // Requires: one of the three low bits is set.
  static constexpr immediate from_bits(std::uintptr_t bits) noexcept { return immediate(bits); }
  // Requires: -2^62 <= number < 2^62.
  static constexpr immediate integer(std::int64_t number) noexcept {
    return immediate(static_cast<std::uintptr_t>(number) << 1 | 1);
  }
  [[nodiscard]] constexpr std::uintptr_t bits() const noexcept { return bits_; }

 private:
  constexpr explicit immediate(std::uintptr_t bits) noexcept : bits_(bits) {}
  std::uintptr_t bits_;
};

class value {
 public:
  constexpr value() noexcept = default;
  constexpr value(std::nullptr_t) noexcept {}
  constexpr value(immediate number) noexcept : bits_(number.bits()) {}
  template <managed T>
  value(T* object) noexcept : bits_(reinterpret_cast<std::uintptr_t>(object)) {}
  // Requires: null, an immediate, or a reference that is good now.
  static constexpr value from_bits(std::uintptr_t bits) noexcept {
    value made;
    made.bits_ = bits;
    return made;
  }

  [[nodiscard]] constexpr std::uintptr_t bits() const noexcept { return bits_; }
  [[nodiscard]] constexpr bool is_null() const noexcept { return bits_ == 0; }
  [[nodiscard]] constexpr bool is_reference() const noexcept {
    return (bits_ & 7) == 0 && bits_ != 0;
  }
  [[nodiscard]] constexpr bool is_immediate() const noexcept { return (bits_ & 7) != 0; }

  // What immediate::integer() made has its low bit set.
  [[nodiscard]] constexpr bool is_integer() const noexcept { return (bits_ & 1) != 0; }
  [[nodiscard]] constexpr std::int64_t integer() const noexcept {
    return static_cast<std::int64_t>(bits_) >> 1;
  }

  // The type of the object. Requires: is_reference().
  [[nodiscard]] const type& object_type() const noexcept {
    return *reinterpret_cast<const type*>(reinterpret_cast<const std::uintptr_t*>(bits_)[-1] &
                                          ~std::uintptr_t{7});
  }
  template <managed T>
  [[nodiscard]] bool is() const noexcept {
    return is_reference() && &object_type() == &type_of<T>();
  }
  // nullptr if it is no object of this type.
  template <managed T>
  [[nodiscard]] T* try_as() const noexcept {
    return is<T>() ? as<T>() : nullptr;
  }
  // Requires: is<T>(), or null.
  template <managed T>
  [[nodiscard]] T* as() const noexcept {
    return reinterpret_cast<T*>(bits_);
  }

  friend constexpr bool operator==(value left, value right) noexcept = default;

 private:
  std::uintptr_t bits_ = 0;
};

namespace detail {

// How a word is handed to the program: as T*, or as a value if any type may stand there.
template <class T>
struct handed_out {
  using type = T*;
  static type from(std::uintptr_t bits) noexcept { return reinterpret_cast<T*>(bits); }
};
template <>
struct handed_out<value> {
  using type = value;
  static type from(std::uintptr_t bits) noexcept { return value::from_bits(bits); }
};

// A reference to a `From` may stand where one to a `To` is expected.
template <class From, class To>
concept stands_for = std::same_as<From, To> || std::same_as<To, value>;

}  // namespace detail

}  // namespace cleave::gc
