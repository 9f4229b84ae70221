// primitives.hpp -- what the primitives ask of their arguments.
#pragma once

#include <string>

#include "machine.hpp"

namespace scheme {

inline constexpr std::size_t any_number = primitive_entry::any_number;

template <class T>
value is_a(machine& m, std::size_t) {
  return boolean(m.argument(0).is<T>());
}

// Argument i as an object of type T.
template <class T>
T* object_at(machine& m, std::size_t i, const char* who) {
  T* const found = m.argument(i).try_as<T>();
  if (found == nullptr) fail(m, std::string(who) + ": this is of another type:", m.argument(i));
  return found;
}

// An index from 0 to `size`, that included; and one of an element.
inline std::size_t index_at(machine& m, std::size_t i, std::size_t size, const char* who) {
  const value v = m.argument(i);
  if (!v.is_integer() || v.integer() < 0 || static_cast<std::uint64_t>(v.integer()) > size) {
    fail(m, std::string(who) + ": out of range:", v);
  }
  return static_cast<std::size_t>(v.integer());
}
inline std::size_t place_at(machine& m, std::size_t i, std::size_t size, const char* who) {
  const std::size_t at = index_at(m, i, size, who);
  if (at == size) fail(m, std::string(who) + ": out of range:", m.argument(i));
  return at;
}
inline std::size_t size_at(machine& m, std::size_t i, const char* who) {
  return index_at(m, i, std::size_t{1} << 40, who);
}

// The range that arguments i and i + 1 name, both optional.
struct range {
  std::size_t begin, end;
  [[nodiscard]] std::size_t size() const noexcept { return end - begin; }
};
inline range range_at(machine& m, std::size_t i, std::size_t count, std::size_t size,
                      const char* who) {
  const std::size_t begin = count > i ? index_at(m, i, size, who) : 0;
  const std::size_t end = count > i + 1 ? index_at(m, i + 1, size, who) : size;
  if (begin > end) fail(m, std::string(who) + ": the range begins behind its end:", m.argument(i));
  return {begin, end};
}

}  // namespace scheme
