// numbers.cpp -- arithmetic. Numbers are integers of 62 bits and doubles. An integer that does
// not fit is an error; a quotient that is not whole is a double.

#include <charconv>
#include <cmath>
#include <cstdlib>

#include "primitives.hpp"
#include "printer.hpp"
#include "reader.hpp"

namespace scheme {
namespace {

value number_at(machine& m, std::size_t i, const char* who) {
  const value v = m.argument(i);
  if (!is_number(v)) fail(m, std::string(who) + ": not a number:", v);
  return v;
}

std::int64_t integer_at(machine& m, std::size_t i, const char* who) {
  const value v = m.argument(i);
  if (v.is_integer()) return v.integer();
  if (flonum* const f = v.try_as<flonum>();
      f != nullptr && f->number == std::floor(f->number) && std::abs(f->number) < 1e18) {
    return static_cast<std::int64_t>(f->number);
  }
  fail(m, std::string(who) + ": not an integer:", v);
}

value whole(std::int64_t n) {
  if (!fits_fixnum(n)) fail("an integer is too large");
  return fixnum(n);
}
// Exact if the arguments were.
value whole_like(machine& m, std::int64_t n, bool exact) {
  return exact ? whole(n) : m.make_flonum(static_cast<double>(n));
}

struct plus {
  static constexpr const char* name = "+";
  static bool whole(std::int64_t a, std::int64_t b, std::int64_t& to) {
    return !__builtin_add_overflow(a, b, &to);
  }
  static double real(double a, double b) { return a + b; }
};
struct minus {
  static constexpr const char* name = "-";
  static bool whole(std::int64_t a, std::int64_t b, std::int64_t& to) {
    return !__builtin_sub_overflow(a, b, &to);
  }
  static double real(double a, double b) { return a - b; }
};
struct times {
  static constexpr const char* name = "*";
  static bool whole(std::int64_t a, std::int64_t b, std::int64_t& to) {
    return !__builtin_mul_overflow(a, b, &to);
  }
  static double real(double a, double b) { return a * b; }
};

template <class Operation>
value combine(machine& m, value a, value b) {
  if (a.is_integer() && b.is_integer()) [[likely]] {
    std::int64_t made = 0;
    if (!Operation::whole(a.integer(), b.integer(), made) || !fits_fixnum(made)) {
      fail(std::string(Operation::name) + ": an integer is too large");
    }
    return fixnum(made);
  }
  return m.make_flonum(Operation::real(as_double(a), as_double(b)));
}

// From `made` and the arguments behind the first.
template <class Operation>
value fold(machine& m, value made, std::size_t from, std::size_t count) {
  for (std::size_t i = from; i < count; ++i) {
    made = combine<Operation>(m, made, number_at(m, i, Operation::name));
  }
  return made;
}

template <class Operation, int Neutral>
value sum(machine& m, std::size_t count) {
  if (count == 0) return fixnum(Neutral);
  return fold<Operation>(m, number_at(m, 0, Operation::name), 1, count);
}

value difference(machine& m, std::size_t count) {
  const value first = number_at(m, 0, "-");
  return count == 1 ? combine<times>(m, fixnum(-1), first) : fold<minus>(m, first, 1, count);
}

value quotient_of(machine& m, value a, value b) {
  if (a.is_integer() && b.is_integer()) {
    if (b.integer() == 0) fail("/: division by zero");
    if (a.integer() % b.integer() == 0) return whole(a.integer() / b.integer());
  }
  return m.make_flonum(as_double(a) / as_double(b));
}

value divide(machine& m, std::size_t count) {
  value made = number_at(m, 0, "/");
  if (count == 1) return quotient_of(m, fixnum(1), made);
  for (std::size_t i = 1; i < count; ++i) made = quotient_of(m, made, number_at(m, i, "/"));
  return made;
}

template <class Compare>
bool holds_for(value a, value b) {
  return a.is_integer() && b.is_integer() ? Compare()(a.integer(), b.integer())
                                          : Compare()(as_double(a), as_double(b));
}
template <class Compare>
value in_order(machine& m, std::size_t count) {
  bool holds = true;
  value before = number_at(m, 0, "a comparison");
  for (std::size_t i = 1; i < count; ++i) {
    const value next = number_at(m, i, "a comparison");
    holds = holds && holds_for<Compare>(before, next);
    before = next;
  }
  return boolean(holds);
}

enum class division { quotient, remainder, modulo };
template <division What>
value divide_whole(machine& m, std::size_t) {
  static constexpr const char* name = What == division::quotient    ? "quotient"
                                      : What == division::remainder ? "remainder"
                                                                    : "modulo";
  const std::int64_t a = integer_at(m, 0, name), b = integer_at(m, 1, name);
  const bool exact = m.argument(0).is_integer() && m.argument(1).is_integer();
  if (b == 0) fail(std::string(name) + ": division by zero");
  if (What == division::quotient) return whole_like(m, a / b, exact);
  std::int64_t rest = a % b;
  if (What == division::modulo && rest != 0 && (rest < 0) != (b < 0)) rest += b;
  return whole_like(m, rest, exact);
}

template <class Better>
value extreme(machine& m, std::size_t count) {
  std::size_t best = 0;
  bool exact = true;
  for (std::size_t i = 0; i < count; ++i) {
    const value v = number_at(m, i, "max or min");
    exact = exact && v.is_integer();
    if (holds_for<Better>(v, m.argument(best))) best = i;
  }
  return exact ? m.argument(best) : m.make_flonum(as_double(m.argument(best)));
}

template <double (*Function)(double)>
value of_real(machine& m, std::size_t) {
  return m.make_flonum(Function(as_double(number_at(m, 0, "a function of numbers"))));
}
template <double (*Function)(double)>
value rounded(machine& m, std::size_t) {
  const value v = number_at(m, 0, "rounding");
  return v.is_integer() ? v : m.make_flonum(Function(v.as<flonum>()->number));
}

value exact(machine& m, std::size_t) {
  const value v = number_at(m, 0, "exact");
  if (v.is_integer()) return v;
  const double number = v.as<flonum>()->number;
  if (number != std::floor(number) || std::abs(number) >= 0x1p61) {
    fail(m, "exact: no integer has this value:", v);
  }
  return fixnum(static_cast<std::int64_t>(number));
}

value square_root(machine& m, std::size_t) {
  const value v = number_at(m, 0, "sqrt");
  if (as_double(v) < 0) fail(m, "sqrt: of a negative number:", v);
  const double root = std::sqrt(as_double(v));
  if (v.is_integer() && root == std::floor(root)) {
    const auto n = static_cast<std::int64_t>(root);
    if (n * n == v.integer()) return fixnum(n);
  }
  return m.make_flonum(root);
}

value power(machine& m, std::size_t) {
  const value base = number_at(m, 0, "expt"), exponent = number_at(m, 1, "expt");
  if (!base.is_integer() || !exponent.is_integer() || exponent.integer() < 0) {
    return m.make_flonum(std::pow(as_double(base), as_double(exponent)));
  }
  value made = fixnum(1), square = base;
  for (std::int64_t n = exponent.integer(); n > 0; n >>= 1) {
    if ((n & 1) != 0) made = combine<times>(m, made, square);
    if (n > 1) square = combine<times>(m, square, square);
  }
  return made;
}

value number_to_string(machine& m, std::size_t count) {
  const value v = number_at(m, 0, "number->string");
  const auto radix = count == 2 ? integer_at(m, 1, "number->string") : 10;
  if (radix < 2 || radix > 16) fail("number->string: the radix is 2 to 16");
  if (!v.is_integer()) return m.make_string(written(v)).get();
  char digits[70];
  const auto end =
      std::to_chars(digits, digits + sizeof digits, v.integer(), static_cast<int>(radix));
  return m.make_string(std::string_view(digits, static_cast<std::size_t>(end.ptr - digits))).get();
}

value string_to_number(machine& m, std::size_t count) {
  const value v = m.argument(0);
  if (!v.is<string>()) fail(m, "string->number: not a string:", v);
  const auto radix = count == 2 ? integer_at(m, 1, "string->number") : 10;
  if (radix < 2 || radix > 16) fail("string->number: the radix is 2 to 16");
  const std::optional<any> made = number_of(m, displayed(v), static_cast<int>(radix));
  return made ? made->get() : value(no);
}

value is_number_value(machine& m, std::size_t) {
  return boolean(is_number(m.argument(0)));
}
value is_whole(machine& m, std::size_t) {
  const value v = m.argument(0);
  flonum* const f = v.try_as<flonum>();
  return boolean(v.is_integer() ||
                 (f != nullptr && f->number == std::floor(f->number) && std::isfinite(f->number)));
}
value is_exact(machine& m, std::size_t) {
  return boolean(number_at(m, 0, "exact?").is_integer());
}
value is_zero(machine& m, std::size_t) {
  return boolean(as_double(number_at(m, 0, "zero?")) == 0);
}
value is_even(machine& m, std::size_t) {
  return boolean(integer_at(m, 0, "even?") % 2 == 0);
}
value is_odd(machine& m, std::size_t) {
  return boolean(integer_at(m, 0, "odd?") % 2 != 0);
}
value inexact(machine& m, std::size_t) {
  const value v = number_at(m, 0, "inexact");
  return v.is_integer() ? m.make_flonum(as_double(v)) : v;
}

}  // namespace

void add_numbers(machine& m) {
  const primitive_entry all[] = {
      {"+", sum<plus, 0>, 0, any_number},
      {"*", sum<times, 1>, 0, any_number},
      {"-", difference, 1, any_number},
      {"/", divide, 1, any_number},
      {"=", in_order<std::equal_to<>>, 1, any_number},
      {"<", in_order<std::less<>>, 1, any_number},
      {">", in_order<std::greater<>>, 1, any_number},
      {"<=", in_order<std::less_equal<>>, 1, any_number},
      {">=", in_order<std::greater_equal<>>, 1, any_number},
      {"quotient", divide_whole<division::quotient>, 2, 2},
      {"remainder", divide_whole<division::remainder>, 2, 2},
      {"modulo", divide_whole<division::modulo>, 2, 2},
      {"max", extreme<std::greater<>>, 1, any_number},
      {"min", extreme<std::less<>>, 1, any_number},
      {"floor", rounded<std::floor>, 1, 1},
      {"ceiling", rounded<std::ceil>, 1, 1},
      {"truncate", rounded<std::trunc>, 1, 1},
      {"round", rounded<std::nearbyint>, 1, 1},
      {"exact", exact, 1, 1},
      {"inexact", inexact, 1, 1},
      {"sqrt", square_root, 1, 1},
      {"expt", power, 2, 2},
      {"exp", of_real<std::exp>, 1, 1},
      {"log", of_real<std::log>, 1, 1},
      {"sin", of_real<std::sin>, 1, 1},
      {"cos", of_real<std::cos>, 1, 1},
      {"tan", of_real<std::tan>, 1, 1},
      {"asin", of_real<std::asin>, 1, 1},
      {"acos", of_real<std::acos>, 1, 1},
      {"atan", of_real<std::atan>, 1, 1},
      {"number?", is_number_value, 1, 1},
      {"integer?", is_whole, 1, 1},
      {"exact?", is_exact, 1, 1},
      {"zero?", is_zero, 1, 1},
      {"even?", is_even, 1, 1},
      {"odd?", is_odd, 1, 1},
      {"number->string", number_to_string, 1, 2},
      {"string->number", string_to_number, 1, 2},
  };
  for (const primitive_entry& one : all) m.define(one);
}

}  // namespace scheme
