#include "printer.hpp"

#include <charconv>
#include <cmath>

#include "nodes.hpp"
#include "reader.hpp"

namespace scheme {
namespace {

class printer {
 public:
  explicit printer(bool quotes) : quotes_(quotes) {}

  void print(value v, int depth) {
    if (depth > deepest || ++items_ > most) {
      text += "...";
    } else if (v.is_integer()) {
      text += std::to_string(v.integer());
    } else if (is_character(v)) {
      print_character(character_of(v));
    } else if (v.is_reference()) {
      print_object(v, depth);
    } else {
      text += v == value(nil)           ? "()"
              : v == value(no)          ? "#f"
              : v == value(yes)         ? "#t"
              : v == value(end_of_file) ? "#<eof>"
                                        : "#<unspecified>";
    }
  }

  std::string text;

 private:
  static constexpr int deepest = 2'000;
  static constexpr std::size_t most = 1'000'000;

  void print_object(value v, int depth) {
    if (v.is<pair>()) {
      print_list(v, depth);
    } else if (flonum* const f = v.try_as<flonum>()) {
      print_double(f->number);
    } else if (symbol* const name = v.try_as<symbol>()) {
      print_characters(*name->name.get().as<string>(), false);
    } else if (string* const s = v.try_as<string>()) {
      print_characters(*s, quotes_);
    } else if (vector* const all = v.try_as<vector>()) {
      text += "#(";
      for (std::size_t i = 0; i < all->size(); ++i) {
        if (i != 0) text += ' ';
        print((*all)[i], depth + 1);
      }
      text += ')';
    } else if (bytevector* const bytes = v.try_as<bytevector>()) {
      print_bytes(*bytes);
    } else if (condition* const c = v.try_as<condition>()) {
      text += "#<condition " + described(c) + ">";
    } else if (record* const r = v.try_as<record>()) {
      text += "#<";
      print(r->kind.get().is<record>() ? (*r->kind.get().as<record>()->fields.get())[0] : nil,
            depth + 1);
      text += ">";
    } else {
      text += std::string("#<") + v.object_type().name + ">";
    }
  }

  void print_list(value v, int depth) {
    text += '(';
    print(v.as<pair>()->head.get(), depth + 1);
    for (v = v.as<pair>()->tail.get(); v.is<pair>(); v = v.as<pair>()->tail.get()) {
      text += ' ';
      if (items_ > most) break;
      print(v.as<pair>()->head.get(), depth + 1);
    }
    if (v != value(nil)) {
      text += " . ";
      print(v, depth + 1);
    }
    text += ')';
  }

  void print_double(double number) {
    if (std::isnan(number)) {
      text += "+nan.0";
    } else if (std::isinf(number)) {
      text += number > 0 ? "+inf.0" : "-inf.0";
    } else {
      char digits[40];
      const auto end = std::to_chars(digits, digits + sizeof digits, number);
      const std::string_view shown(digits, static_cast<std::size_t>(end.ptr - digits));
      text += shown;
      if (shown.find_first_of(".e") == std::string_view::npos) text += '.';
    }
  }

  void print_characters(const string& s, bool quotes) {
    if (quotes) text += '"';
    for (const char32_t c : s.characters->as<char32_t>()) {
      if (quotes && (c == '"' || c == '\\')) text += '\\';
      if (quotes && c == '\n') {
        text += "\\n";
      } else {
        append_encoded(text, c);
      }
    }
    if (quotes) text += '"';
  }

  void print_character(char32_t c) {
    if (!quotes_) return append_encoded(text, c);
    text += "#\\";
    c == ' ' ? text += "space" : c == '\n' ? text += "newline" : (append_encoded(text, c), text);
  }

  void print_bytes(const bytevector& bytes) {
    if (bytes.forgotten()) {
      text += "#<forgotten bytevector>";
      return;
    }
    text += "#u8(";
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (i != 0) text += ' ';
      text += std::to_string(static_cast<unsigned>(bytes[i]));
    }
    text += ')';
  }

  bool quotes_;
  std::size_t items_ = 0;
};

std::string printed(value v, bool quotes) {
  printer p(quotes);
  p.print(v, 0);
  return std::move(p.text);
}

}  // namespace

std::string written(value v) {
  return printed(v, true);
}

std::string displayed(value v) {
  return printed(v, false);
}

std::string described(value v) {
  condition* const c = v.try_as<condition>();
  if (c == nullptr) return "an object was raised: " + written(v);
  std::string text = displayed(c->message.get());
  for (value rest = c->irritants.get(); rest.is<pair>(); rest = rest.as<pair>()->tail.get()) {
    text += ' ';
    text += written(rest.as<pair>()->head.get());
  }
  return text;
}

}  // namespace scheme
