// lists.cpp -- pairs, lists, equality, symbols, vectors.

#include <algorithm>
#include <bit>
#include <set>
#include <vector>

#include "primitives.hpp"
#include "printer.hpp"

namespace scheme {
namespace {

// --- Equality ---

bool eqv(value a, value b) {
  if (a == b) return true;
  // By their bits: 0.0 and -0.0 differ.
  return a.is<flonum>() && b.is<flonum>() &&
         std::bit_cast<std::uint64_t>(*a.as<flonum>()) ==
             std::bit_cast<std::uint64_t>(*b.as<flonum>());
}

bool equal(value first, value second) {
  std::vector<std::pair<value, value>> open{{first, second}};
  // What was compared before need not be again: a circle would never end.
  std::set<std::pair<std::uintptr_t, std::uintptr_t>> seen;
  for (std::size_t steps = 0; !open.empty(); ++steps) {
    const auto [a, b] = open.back();
    open.pop_back();
    if (eqv(a, b)) continue;
    if (steps > 100'000 && !seen.emplace(a.bits(), b.bits()).second) continue;
    if (!a.is_reference() || !b.is_reference() || &a.object_type() != &b.object_type())
      return false;
    if (pair* const p = a.try_as<pair>()) {
      open.emplace_back(p->tail.get(), b.as<pair>()->tail.get());
      open.emplace_back(p->head.get(), b.as<pair>()->head.get());
    } else if (vector* const all = a.try_as<vector>()) {
      vector* const other = b.as<vector>();
      if (all->size() != other->size()) return false;
      for (std::size_t i = 0; i < all->size(); ++i) open.emplace_back((*all)[i], (*other)[i]);
    } else if (a.is<string>()) {
      open.emplace_back(a.as<string>()->characters.get(), b.as<string>()->characters.get());
    } else if (bytevector* const bytes = a.try_as<bytevector>()) {
      bytevector* const other = b.as<bytevector>();
      if (bytes->forgotten() || other->forgotten() || bytes->size() != other->size() ||
          !std::equal(bytes->data(), bytes->data() + bytes->size(), other->data())) {
        return false;
      }
    } else {
      return false;
    }
  }
  return true;
}

value is_eqv(machine& m, std::size_t) {
  return boolean(eqv(m.argument(0), m.argument(1)));
}
value is_eq(machine& m, std::size_t) {
  return boolean(m.argument(0) == m.argument(1));
}
value is_equal(machine& m, std::size_t) {
  return boolean(equal(m.argument(0), m.argument(1)));
}
value is_not(machine& m, std::size_t) {
  return boolean(!is_true(m.argument(0)));
}

// --- Pairs and lists ---

value cons(machine& m, std::size_t) {
  const auto made = m.heap().make<pair>();
  made->head.set(m.argument(0));
  made->tail.set(m.argument(1));
  return made.get();
}
value car(machine& m, std::size_t) {
  return object_at<pair>(m, 0, "car")->head.get();
}
value cdr(machine& m, std::size_t) {
  return object_at<pair>(m, 0, "cdr")->tail.get();
}
value set_car(machine& m, std::size_t) {
  object_at<pair>(m, 0, "set-car!")->head.set(m.argument(1));
  return unspecified;
}
value set_cdr(machine& m, std::size_t) {
  object_at<pair>(m, 0, "set-cdr!")->tail.set(m.argument(1));
  return unspecified;
}

// The path is read from its end: "ad" is cadr.
template <char... Path>
value path(machine& m, std::size_t) {
  static constexpr char steps[] = {Path...};
  value v = m.argument(0);
  for (std::size_t i = sizeof steps; i-- > 0;) {
    pair* const p = v.try_as<pair>();
    if (p == nullptr)
      fail(m, std::string("c") + std::string(steps, sizeof steps) + "r: not a pair:", v);
    v = steps[i] == 'a' ? p->head.get() : p->tail.get();
  }
  return v;
}

value is_null(machine& m, std::size_t) {
  return boolean(m.argument(0) == value(nil));
}

}  // namespace

std::optional<std::size_t> length_of(value v) {
  std::size_t size = 0;
  for (value slow = v; v.is<pair>(); ++size) {
    v = v.as<pair>()->tail.get();
    if (size % 2 == 1) slow = slow.as<pair>()->tail.get();
    if (v == slow && v.is<pair>()) return std::nullopt;
  }
  if (v != value(nil)) return std::nullopt;
  return size;
}

namespace {

std::size_t length_at(machine& m, std::size_t i, const char* who) {
  const std::optional<std::size_t> size = length_of(m.argument(i));
  if (!size) fail(m, std::string(who) + ": not a list:", m.argument(i));
  return *size;
}

value is_list(machine& m, std::size_t) {
  return boolean(length_of(m.argument(0)).has_value());
}
value length(machine& m, std::size_t) {
  return fixnum(static_cast<std::int64_t>(length_at(m, 0, "length")));
}
value list(machine& m, std::size_t count) {
  any made = m.held(nil);
  for (std::size_t i = count; i-- > 0;) made = m.cons(m.held(m.argument(i)), made);
  return made.get();
}
// Copies the list and lets it end in `last`.
any copied_before(machine& m, any from, const any& last, std::size_t size) {
  if (size == 0) return last;
  const auto first = m.heap().make<pair>();
  first->head.set(from.get().as<pair>()->head.get());
  gc::local<pair> end = first;
  for (std::size_t i = 1; i < size; ++i) {
    from.set(from.get().as<pair>()->tail.get());
    const auto next = m.heap().make<pair>();
    next->head.set(from.get().as<pair>()->head.get());
    end->tail = next;
    end = next;
  }
  end->tail = last;
  return first;
}

value append(machine& m, std::size_t count) {
  if (count == 0) return nil;
  any made = m.held(m.argument(count - 1));
  for (std::size_t i = count - 1; i-- > 0;) {
    made = copied_before(m, m.held(m.argument(i)), made, length_at(m, i, "append"));
  }
  return made.get();
}

value reverse(machine& m, std::size_t) {
  length_at(m, 0, "reverse");
  any made = m.held(nil), from = m.held(m.argument(0));
  for (; from.get().is<pair>(); from.set(from.get().as<pair>()->tail.get())) {
    made = m.cons(m.held(from.get().as<pair>()->head.get()), made);
  }
  return made.get();
}

template <bool (*Same)(value, value)>
value member(machine& m, std::size_t) {
  value v = m.argument(1);
  for (; v.is<pair>(); v = v.as<pair>()->tail.get()) {
    if (Same(m.argument(0), v.as<pair>()->head.get())) return v;
  }
  return no;
}
template <bool (*Same)(value, value)>
value associated(machine& m, std::size_t) {
  value v = m.argument(1);
  for (; v.is<pair>(); v = v.as<pair>()->tail.get()) {
    pair* const one = v.as<pair>()->head.get().try_as<pair>();
    if (one == nullptr) fail(m, "assoc: not a pair:", v.as<pair>()->head.get());
    if (Same(m.argument(0), one->head.get())) return one;
  }
  return no;
}
bool same(value a, value b) {
  return a == b;
}

// --- Vectors ---

value make_vector(machine& m, std::size_t count) {
  const std::size_t size = size_at(m, 0, "make-vector");
  const auto made = m.heap().make_refs<value>(size);
  const value fill = count == 2 ? m.argument(1) : value(unspecified);
  for (std::size_t i = 0; i < size; ++i) made->set(i, fill);
  return made.get();
}
value vector_of(machine& m, std::size_t count) {
  const auto made = m.heap().make_refs<value>(count);
  for (std::size_t i = 0; i < count; ++i) made->set(i, m.argument(i));
  return made.get();
}
value vector_length(machine& m, std::size_t) {
  return fixnum(static_cast<std::int64_t>(object_at<vector>(m, 0, "vector-length")->size()));
}
value vector_ref(machine& m, std::size_t) {
  vector* const all = object_at<vector>(m, 0, "vector-ref");
  return (*all)[place_at(m, 1, all->size(), "vector-ref")];
}
value vector_set(machine& m, std::size_t) {
  vector* const all = object_at<vector>(m, 0, "vector-set!");
  all->set(place_at(m, 1, all->size(), "vector-set!"), m.argument(2));
  return unspecified;
}

value vector_fill(machine& m, std::size_t count) {
  vector* const all = object_at<vector>(m, 0, "vector-fill!");
  const range part = range_at(m, 2, count, all->size(), "vector-fill!");
  for (std::size_t i = part.begin; i < part.end; ++i) all->set(i, m.argument(1));
  return unspecified;
}
value vector_to_list(machine& m, std::size_t count) {
  const range part =
      range_at(m, 1, count, object_at<vector>(m, 0, "vector->list")->size(), "vector->list");
  any made = m.held(nil);
  for (std::size_t i = part.end; i-- > part.begin;) {
    made = m.cons(m.held((*m.argument(0).as<vector>())[i]), made);
  }
  return made.get();
}
value list_to_vector(machine& m, std::size_t) {
  const std::size_t size = length_at(m, 0, "list->vector");
  const auto made = m.heap().make_refs<value>(size);
  value v = m.argument(0);
  for (std::size_t i = 0; i < size; ++i, v = v.as<pair>()->tail.get()) {
    made->set(i, v.as<pair>()->head.get());
  }
  return made.get();
}
value vector_copy(machine& m, std::size_t count) {
  const range part =
      range_at(m, 1, count, object_at<vector>(m, 0, "vector-copy")->size(), "vector-copy");
  const auto made = m.heap().make_refs<value>(part.end - part.begin);
  vector* const from = m.argument(0).as<vector>();
  for (std::size_t i = part.begin; i < part.end; ++i) made->set(i - part.begin, (*from)[i]);
  return made.get();
}
value vector_copy_to(machine& m, std::size_t count) {
  vector* const to = object_at<vector>(m, 0, "vector-copy!");
  vector* const from = object_at<vector>(m, 2, "vector-copy!");
  const std::size_t at = index_at(m, 1, to->size(), "vector-copy!");
  const range part = range_at(m, 3, count, from->size(), "vector-copy!");
  const std::size_t size = part.end - part.begin;
  if (size > to->size() - at) fail("vector-copy!: the target is too short");
  if (at <= part.begin) {
    for (std::size_t i = 0; i < size; ++i) to->set(at + i, (*from)[part.begin + i]);
  } else {
    for (std::size_t i = size; i-- > 0;) to->set(at + i, (*from)[part.begin + i]);
  }
  return unspecified;
}

// --- Symbols ---

value symbol_to_string(machine& m, std::size_t) {
  (void)object_at<symbol>(m, 0, "symbol->string");
  return m.make_string(displayed(m.argument(0))).get();
}
value string_to_symbol(machine& m, std::size_t) {
  (void)object_at<string>(m, 0, "string->symbol");
  return m.symbol_named(displayed(m.argument(0))).get();
}

}  // namespace

void add_lists(machine& m) {
  const primitive_entry all[] = {
      {"eq?", is_eq, 2, 2},
      {"eqv?", is_eqv, 2, 2},
      {"equal?", is_equal, 2, 2},
      {"not", is_not, 1, 1},
      {"cons", cons, 2, 2},
      {"car", car, 1, 1},
      {"cdr", cdr, 1, 1},
      {"set-car!", set_car, 2, 2},
      {"set-cdr!", set_cdr, 2, 2},
      {"caar", path<'a', 'a'>, 1, 1},
      {"cadr", path<'a', 'd'>, 1, 1},
      {"cdar", path<'d', 'a'>, 1, 1},
      {"cddr", path<'d', 'd'>, 1, 1},
      {"caddr", path<'a', 'd', 'd'>, 1, 1},
      {"cdddr", path<'d', 'd', 'd'>, 1, 1},
      {"cadddr", path<'a', 'd', 'd', 'd'>, 1, 1},
      {"pair?", is_a<pair>, 1, 1},
      {"null?", is_null, 1, 1},
      {"list?", is_list, 1, 1},
      {"length", length, 1, 1},
      {"list", list, 0, any_number},
      {"append", append, 0, any_number},
      {"reverse", reverse, 1, 1},
      {"memq", member<same>, 2, 2},
      {"memv", member<eqv>, 2, 2},
      {"member", member<equal>, 2, 2},
      {"assq", associated<same>, 2, 2},
      {"assv", associated<eqv>, 2, 2},
      {"assoc", associated<equal>, 2, 2},
      {"vector?", is_a<vector>, 1, 1},
      {"make-vector", make_vector, 1, 2},
      {"vector", vector_of, 0, any_number},
      {"vector-length", vector_length, 1, 1},
      {"vector-ref", vector_ref, 2, 2},
      {"vector-set!", vector_set, 3, 3},
      {"vector-fill!", vector_fill, 2, 4},
      {"vector->list", vector_to_list, 1, 3},
      {"list->vector", list_to_vector, 1, 1},
      {"vector-copy", vector_copy, 1, 3},
      {"vector-copy!", vector_copy_to, 3, 5},
      {"symbol?", is_a<symbol>, 1, 1},
      {"symbol->string", symbol_to_string, 1, 1},
      {"string->symbol", string_to_symbol, 1, 1},
  };
  for (const primitive_entry& one : all) m.define(one);
}

}  // namespace scheme
