#include "syntax_rules.hpp"

#include <unordered_map>
#include <vector>

namespace scheme {
namespace {

// What a name of the pattern stands for: a form, or several under an ellipsis.
struct match {
  std::optional<any> form;
  std::vector<match> several;
};
using matches = std::unordered_map<std::size_t, match>;

class expander {
 public:
  expander(machine& m, const any& literals)
      : m_(m),
        literals_(literals),
        ellipsis_(m.symbol_named("...")),
        anything_(m.symbol_named("_")) {}

  bool fits(any pattern, any form, matches& found) {
    for (;; pattern = tail(pattern), form = tail(form)) {
      const value p = pattern.get();
      if (p.is<symbol>()) {
        if (p == anything_.get()) return true;
        if (is_literal(p)) return form.get() == p;
        found[number(p)].form = form;
        return true;
      }
      if (!p.is<pair>()) return same_constant(p, form.get());
      if (is_ellipsis_behind(p)) return fits_several(pattern, form, found);
      if (!form.get().is<pair>() || !fits(head(pattern), head(form), found)) return false;
    }
  }

  any filled(any form, const matches& found) {
    std::vector<any> parts;
    any made = m_.held(nil);
    while (form.get().is<pair>()) {
      const any part = head(form);
      form = tail(form);
      if (part.get() == ellipsis_.get() && form.get().is<pair>()) {
        made = head(form);
        form = m_.held(nil);
        break;
      }
      int ellipses = 0;
      for (; form.get().is<pair>() && head(form).get() == ellipsis_.get(); form = tail(form)) {
        ++ellipses;
      }
      if (ellipses == 0) {
        parts.push_back(filled(part, found));
      } else {
        repeat(part, found, ellipses - 1, parts);
      }
    }
    if (form.get() != value(nil)) made = filled_end(form, found);
    for (std::size_t i = parts.size(); i-- > 0;) made = m_.cons(parts[i], made);
    return made;
  }

 private:
  bool fits_several(const any& pattern, const any& form, matches& found) {
    const any part = head(pattern), behind = tail(tail(pattern));
    std::size_t least = 0, have = 0;
    for (any at = behind; at.get().is<pair>(); at = tail(at)) ++least;
    for (any at = form; at.get().is<pair>(); at = tail(at)) ++have;
    if (have < least) return false;
    for (const std::size_t name : names_in(part)) found[name] = {};
    any at = form;
    for (; have > least; --have, at = tail(at)) {
      matches one;
      if (!fits(part, head(at), one)) return false;
      for (auto& [name, what] : one) found[name].several.push_back(std::move(what));
    }
    return fits(behind, at, found);
  }

  // What is no list, or stands behind the dot of one.
  any filled_end(const any& form, const matches& found) {
    if (!form.get().is<symbol>()) return form;
    const auto known = found.find(number(form.get()));
    if (known == found.end()) return form;
    if (!known->second.form) fail(m_, "an ellipsis is missing behind:", form.get());
    return *known->second.form;
  }

  void repeat(const any& part, const matches& found, int more, std::vector<any>& parts) {
    std::size_t times = 0;
    std::vector<std::size_t> names;
    matches one;
    for (const std::size_t name : names_in(part)) {
      const auto known = found.find(name);
      if (known == found.end()) continue;
      if (known->second.form) {
        one[name] = known->second;
        continue;
      }
      names.push_back(name);
      times = std::max(times, known->second.several.size());
    }
    if (names.empty()) fail("an ellipsis in a template has nothing to repeat");
    for (std::size_t i = 0; i < times; ++i) {
      for (const std::size_t name : names) {
        const std::vector<match>& all = found.at(name).several;
        if (i >= all.size()) fail("two parts of a template have different lengths");
        one[name] = all[i];
      }
      if (more > 0) {
        repeat(part, one, more - 1, parts);
      } else {
        parts.push_back(filled(part, one));
      }
    }
  }

  std::vector<std::size_t> names_in(const any& pattern) {
    std::vector<std::size_t> made;
    std::vector<any> open{pattern};
    while (!open.empty()) {
      const any one = open.back();
      open.pop_back();
      if (one.get().is<pair>()) {
        open.push_back(head(one));
        open.push_back(tail(one));
      } else if (one.get().is<symbol>() && one.get() != ellipsis_.get() &&
                 one.get() != anything_.get() && !is_literal(one.get())) {
        made.push_back(number(one.get()));
      }
    }
    return made;
  }

  bool is_literal(value name) const {
    for (value v = literals_.get(); v.is<pair>(); v = v.as<pair>()->tail.get()) {
      if (v.as<pair>()->head.get() == name) return true;
    }
    return false;
  }
  bool is_ellipsis_behind(value list) const {
    const value next = list.as<pair>()->tail.get();
    return next.is<pair>() && next.as<pair>()->head.get() == ellipsis_.get();
  }
  static bool same_constant(value a, value b) {
    if (a == b) return true;
    if (a.is<flonum>() && b.is<flonum>()) return a.as<flonum>()->number == b.as<flonum>()->number;
    if (!a.is<string>() || !b.is<string>()) return false;
    const auto left = a.as<string>()->characters->as<char32_t>();
    const auto right = b.as<string>()->characters->as<char32_t>();
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
  }
  static std::size_t number(value name) { return name.as<symbol>()->number; }
  any head(const any& list) { return m_.held(list.get().as<pair>()->head.get()); }
  any tail(const any& list) { return m_.held(list.get().as<pair>()->tail.get()); }

  machine& m_;
  const any literals_;
  const any ellipsis_, anything_;
};

}  // namespace

void check_macro(machine& m, const any& macro) {
  const auto wrong = [&] { fail(m, "not the rules of a macro:", macro.get()); };
  if (!macro.get().is<pair>()) wrong();
  value rules = macro.get().as<pair>()->tail.get();
  for (; rules.is<pair>(); rules = rules.as<pair>()->tail.get()) {
    pair* const rule = rules.as<pair>()->head.get().try_as<pair>();
    if (rule == nullptr || !rule->head.get().is<pair>() || !rule->tail.get().is<pair>()) wrong();
  }
  if (rules != value(nil)) wrong();
}

any expand_macro(machine& m, const any& macro, const any& form) {
  expander with(m, m.held(macro.get().as<pair>()->head.get()));
  any rules = m.held(macro.get().as<pair>()->tail.get());
  // The keyword itself is not looked at.
  const any given = m.held(form.get().as<pair>()->tail.get());
  for (; rules.get().is<pair>(); rules.set(rules.get().as<pair>()->tail.get())) {
    pair* const rule = rules.get().as<pair>()->head.get().as<pair>();
    const any pattern = m.held(rule->head.get().as<pair>()->tail.get());
    const any shape = m.held(rule->tail.get().as<pair>()->head.get());
    matches found;
    if (with.fits(pattern, given, found)) return with.filled(shape, found);
  }
  fail(m, "no rule of the macro fits:", form.get());
}

}  // namespace scheme
