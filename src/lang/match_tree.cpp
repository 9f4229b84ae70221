// match_tree.cpp -- which value a node tests, and which rows its outcomes leave.
#include "lang/match_tree.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace cleave::lang {
namespace {

using core::test_kind;
using core::type_kind;

constexpr std::uint64_t no_limit = ~std::uint64_t{0};

// Whether a constructor of String is that of the text. "" is SNil, other texts are SCon.
bool is_constructor_of(std::size_t number, std::string_view text) {
  return text.empty() == (number == 0);
}

// From how many different numbers on a switch is better than a test for each.
constexpr std::size_t switch_from = 3;

}  // namespace

match_tree::place* match_tree::make_place(shape* type, std::string_view hint) {
  place& made = places_.emplace_back();
  made.type = type;
  made.hint = hint;
  return &made;
}

void match_tree::build(const std::vector<match_row>& rows, const std::vector<place*>& subjects) {
  std::vector<row> all;
  std::size_t size = 0;
  for (const match_row& one : rows) {
    row& made = all.emplace_back();
    made.number = all.size() - 1;
    for (std::size_t k = 0; k < subjects.size(); ++k) {
      made.tests.push_back({subjects[k], one.patterns[k]});
    }
    size += 1 + subjects.size();
  }
  leaves_.assign(rows.size(), 0);
  bindings_.assign(rows.size(), nullptr);
  budget_ = 20'000 + 100 * size;
  const node* const root = make(all, nullptr, 0);
  if (!over_budget_) {
    roots_ = {root};
    return;
  }
  over_budget_ = false;
  leaves_.assign(rows.size(), 0);
  for (row& one : all) {
    row behind;
    behind.number = one.number;
    behind.behind = true;
    budget_ = no_limit;
    roots_.push_back(make({std::move(one), std::move(behind)}, nullptr, 0));
  }
}

match_tree::node* match_tree::new_node(node_kind kind) {
  node& made = nodes_.emplace_back();
  made.kind = kind;
  return &made;
}

// Requires: the first row stands above the others.
const match_tree::node* match_tree::make(std::vector<row> rows, const knowledge* known,
                                         std::size_t depth) {
  if (depth > deepest) too_deep_ = true;
  if (over_budget_ || too_deep_) return new_node(node_kind::fail);
  std::erase_if(rows, [&](row& one) { return !simplify(one, known); });
  if (rows.empty()) return new_node(node_kind::fail);
  row& first = rows.front();
  if (first.tests.empty()) return make_leaf(first, known);

  const test asked = first.tests.front();
  switch (asked.by->kind) {
    case pattern_kind::text: return test_texts(rows, asked.on, known, depth);
    case pattern_kind::literal: return test_numbers(rows, asked.on, known, depth);
    case pattern_kind::nat:
    case pattern_kind::successor: return test_nat(rows, asked.on, known, depth);
    case pattern_kind::name:
    case pattern_kind::constructor: break;
  }
  switch (kind_of(*as<constructor_pattern>(asked.by))) {
    case type_kind::nat: return test_nat(rows, asked.on, known, depth);
    case type_kind::character:
    case type_kind::f32: return view(rows, asked.on, known, depth);
    default: return test_constructors(rows, asked.on, known, depth);
  }
}

const match_tree::node* match_tree::make_leaf(row& first, const knowledge* known) {
  node* const leaf = new_node(node_kind::leaf);
  leaf->row = first.number;
  leaf->behind = first.behind;
  const node* top = leaf;
  for (const bound& one : first.names) {
    const bool is_nat = one.on->type != nullptr && type_table::find(one.on->type) == types_.nat();
    const range in = is_nat ? range_of(one.on, known) : range{0, no_limit};
    if (in.lo == in.hi) {
      leaf->bindings.push_back({one.name, nullptr, in.lo - one.minus});
      continue;
    }
    place* on = one.on;
    if (one.minus > 0) {
      on = nullptr;
      for (const knowledge* at = known; at != nullptr; at = at->above) {
        if (at->on == one.on && at->rest != nullptr && at->minus == one.minus) on = at->rest;
      }
      if (on == nullptr) {
        // No test has given this difference: one that always holds does.
        on = make_place(types_.nat(), one.name->name);
        node* const subtract = new_node(node_kind::test);
        subtract->on = one.on;
        subtract->test = test_kind::at_least;
        branch& only = subtract->branches.emplace_back();
        only.value = one.minus;
        only.fields = {on};
        only.then = top;
        top = subtract;
      }
    }
    if (on->hint.empty()) on->hint = one.name->name;
    leaf->bindings.push_back({one.name, on, 0});
  }
  if (!first.behind) {
    ++leaves_[first.number];
    bindings_[first.number] = &leaf->bindings;
  }
  return top;
}

// ---- Rows ------------------------------------------------------------------------

// False if the row cannot match any more. What needs no test becomes a name or nothing.
bool match_tree::simplify(row& one, const knowledge* known) {
  bool possible = true;
  std::erase_if(one.tests, [&](test& t) {
    if (!possible) return false;
    const fit fits = simplify(one, t, known);
    possible = fits != fit::no;
    return fits == fit::yes;
  });
  return possible;
}

match_tree::fit match_tree::simplify(row& one, test& t, const knowledge* known) {
  // U32{w}: the word of a word is itself.
  while (const auto* const made = as<constructor_pattern>(t.by)) {
    if (kind_of(*made) != type_kind::u32) break;
    t.by = made->fields.at(0);
  }
  if (const auto* const name = as<name_pattern>(t.by)) {
    one.names.push_back({&name->name, t.on, 0});
    return fit::yes;
  }
  if (type_table::find(t.on->type) != types_.nat()) return fit::open;
  const nat_form form = form_of(*t.by);
  const range in = range_of(t.on, known);
  if (in.hi < form.amount || (form.exact && in.lo > form.amount)) return fit::no;
  if (form.exact) return in.lo == in.hi ? fit::yes : fit::open;
  if (in.lo < form.amount) return fit::open;
  one.names.push_back({&form.rest->name, t.on, form.amount});
  return fit::yes;
}

match_tree::nat_form match_tree::form_of(const pattern& by) const {
  std::uint64_t amount = 0;
  const pattern* at = &by;
  while (true) {
    if (const auto* const name = as<name_pattern>(at)) return {false, amount, name};
    if (const auto* const nat = as<nat_pattern>(at)) return {true, amount + nat->value, nullptr};
    if (const auto* const more = as<successor_pattern>(at)) {
      amount += more->amount;
      at = more->rest;
      continue;
    }
    const auto* const made = as<constructor_pattern>(at);
    if (made->fields.empty()) return {true, amount, nullptr};
    ++amount;
    at = made->fields[0];
  }
}

type_kind match_tree::kind_of(const constructor_pattern& by) const {
  return facts_.kind_of(*by.target->type);
}

match_tree::range match_tree::range_of(const place* on, const knowledge* known) {
  for (const knowledge* at = known; at != nullptr; at = at->above) {
    if (at->on == on) return {at->lo, at->hi};
  }
  return {0, no_limit};
}

const match_tree::test* match_tree::test_on(const row& one, const place* on) {
  const auto at = std::ranges::find(one.tests, on, &test::on);
  return at != one.tests.end() ? &*at : nullptr;
}

void match_tree::without(row& one, const place* on) {
  std::erase_if(one.tests, [&](const test& t) { return t.on == on; });
}

// Rows behind one that matches all are never reached.
void match_tree::copy_to(std::vector<row>& to, const row& one) {
  if (!to.empty() && to.back().tests.empty()) return;
  pay(one);
  if (!over_budget_) to.push_back(one);
}

void match_tree::pay(const row& one) {
  const std::size_t price = 1 + one.tests.size() + one.names.size();
  over_budget_ = over_budget_ || price > budget_;
  if (!over_budget_) budget_ -= price;
}

// ---- Tests -----------------------------------------------------------------------

const match_tree::node* match_tree::test_constructors(std::vector<row>& rows, place* on,
                                                      const knowledge* known, std::size_t depth) {
  std::map<std::size_t, const constructor_decl*> asked;
  for (const row& one : rows) {
    const test* const t = test_on(one, on);
    const auto* const made = t != nullptr ? as<constructor_pattern>(t->by) : nullptr;
    if (made != nullptr) asked.emplace(made->target->number, made->target);
  }
  node* const made = new_node(node_kind::test);
  made->on = on;
  std::map<std::size_t, std::vector<row>> rows_of;
  std::vector<row> rest;
  const std::size_t count = asked.begin()->second->type->constructors.size();
  for (const auto& [number, constructor] : asked) {
    branch& one = made->branches.emplace_back();
    one.constructor = number;
    for (shape* field : facts_.fields_of(*constructor, on->type)) {
      // Erased fields have no place in the branch, but patterns have one for them.
      one.fields.push_back(make_place(field));
    }
    rows_of[number];
  }
  const auto possible = [](const test* t, std::size_t number) {
    const auto* const text = t != nullptr ? as<text_pattern>(t->by) : nullptr;
    return text == nullptr || is_constructor_of(number, text->text);
  };
  for (const row& one : rows) {
    const test* const t = test_on(one, on);
    const auto* const by = t != nullptr ? as<constructor_pattern>(t->by) : nullptr;
    if (by == nullptr) {
      for (auto& [number, those] : rows_of) {
        if (possible(t, number)) copy_to(those, one);
      }
      if (asked.size() < count && possible(t, asked.contains(0) ? 1 : 0)) copy_to(rest, one);
      continue;
    }
    row inner;
    inner.number = one.number;
    inner.behind = one.behind;
    inner.names = one.names;
    const auto at = std::ranges::find(made->branches, by->target->number, &branch::constructor);
    for (const test& other : one.tests) {
      if (other.on != on) {
        inner.tests.push_back(other);
        continue;
      }
      for (std::size_t k = 0; k < by->fields.size(); ++k) {
        inner.tests.push_back({at->fields[k], by->fields[k]});
      }
    }
    copy_to(rows_of[by->target->number], inner);
  }
  for (branch& one : made->branches) {
    one.then = make(std::move(rows_of[one.constructor]), known, depth + 1);
  }
  if (asked.size() < count) made->otherwise = make(std::move(rest), known, depth + 1);
  return made;
}

const match_tree::node* match_tree::test_numbers(std::vector<row>& rows, place* on,
                                                 const knowledge* known, std::size_t depth) {
  node* const made = new_node(node_kind::test);
  made->on = on;
  made->test = test_kind::numbers;
  std::map<std::uint64_t, std::vector<row>> rows_of;
  std::vector<row> rest;
  const auto literal_of = [&](const row& one) {
    const test* const t = test_on(one, on);
    return t != nullptr ? as<literal_pattern>(t->by) : nullptr;
  };
  for (const row& one : rows) {
    if (const auto* const literal = literal_of(one)) rows_of[literal->value];
  }
  for (row& one : rows) {
    const auto* const literal = literal_of(one);
    if (literal == nullptr) {
      for (auto& [value, those] : rows_of) copy_to(those, one);
      copy_to(rest, one);
      continue;
    }
    without(one, on);
    copy_to(rows_of[literal->value], one);
  }
  for (auto& [value, those] : rows_of) {
    branch& one = made->branches.emplace_back();
    one.value = value;
    one.then = make(std::move(those), known, depth + 1);
  }
  made->otherwise = make(std::move(rest), known, depth + 1);
  return made;
}

const match_tree::node* match_tree::test_nat(std::vector<row>& rows, place* on,
                                             const knowledge* known, std::size_t depth) {
  const range in = range_of(on, known);
  const nat_form first = form_of(*test_on(rows.front(), on)->by);
  std::set<std::uint64_t> exact;
  for (const row& one : rows) {
    const test* const t = test_on(one, on);
    if (t == nullptr) continue;
    const nat_form form = form_of(*t->by);
    if (form.exact) exact.insert(form.amount);
  }
  node* const made = new_node(node_kind::test);
  made->on = on;
  if (first.exact && (exact.size() >= switch_from || first.amount != in.lo)) {
    made->test = test_kind::numbers;
    for (const std::uint64_t value : exact) {
      const knowledge here{on, value, value, nullptr, 0, known};
      branch& one = made->branches.emplace_back();
      one.value = value;
      std::vector<row> those;
      for (const row& other : rows) {
        const test* const t = test_on(other, on);
        const bool elsewhere =
            t != nullptr && form_of(*t->by).exact && form_of(*t->by).amount != value;
        if (!elsewhere) copy_to(those, other);
      }
      made->branches.back().then = make(std::move(those), &here, depth + 1);
    }
    range left = in;
    while (exact.contains(left.lo)) ++left.lo;
    while (left.hi != no_limit && left.hi > left.lo && exact.contains(left.hi)) --left.hi;
    const knowledge here{on, left.lo, left.hi, nullptr, 0, known};
    std::erase_if(rows, [&](const row& other) {
      const test* const t = test_on(other, on);
      return t != nullptr && form_of(*t->by).exact;
    });
    made->otherwise = make(std::move(rows), &here, depth + 1);
    return made;
  }
  // Exactly the least possible number is what is not at least one more.
  made->test = test_kind::at_least;
  const std::uint64_t least = first.exact ? first.amount + 1 : first.amount;
  place* const rest = make_place(types_.nat());
  branch& one = made->branches.emplace_back();
  one.value = least;
  one.fields = {rest};
  for (const row& other : rows) pay(other);
  const knowledge more{on, least, in.hi, rest, least, known};
  const knowledge less{on, in.lo, least - 1, nullptr, 0, known};
  made->branches.back().then = make(rows, &more, depth + 1);
  made->otherwise = make(std::move(rows), &less, depth + 1);
  return made;
}

const match_tree::node* match_tree::test_texts(std::vector<row>& rows, place* on,
                                               const knowledge* known, std::size_t depth) {
  node* const made = new_node(node_kind::test);
  made->on = on;
  made->test = test_kind::texts;
  std::map<std::string_view, std::vector<row>> rows_of;
  std::vector<row> rest;
  const auto text_of = [&](const row& one) {
    const test* const t = test_on(one, on);
    return t != nullptr ? as<text_pattern>(t->by) : nullptr;
  };
  for (const row& one : rows) {
    if (const auto* const text = text_of(one)) rows_of[text->text];
  }
  const auto fits_text = [](const test* t, std::string_view text) {
    const auto* const by = t != nullptr ? as<constructor_pattern>(t->by) : nullptr;
    return by == nullptr || is_constructor_of(by->target->number, text);
  };
  for (row& one : rows) {
    const auto* const text = text_of(one);
    if (text == nullptr) {
      const test* const t = test_on(one, on);
      for (auto& [value, those] : rows_of) {
        if (fits_text(t, value)) copy_to(those, one);
      }
      copy_to(rest, one);
      continue;
    }
    without(one, on);
    copy_to(rows_of[text->text], one);
  }
  for (auto& [text, those] : rows_of) {
    branch& one = made->branches.emplace_back();
    one.text = text;
    one.then = make(std::move(those), known, depth + 1);
  }
  made->otherwise = make(std::move(rest), known, depth + 1);
  return made;
}

// Chr{w} and F32{w}: the word is tested or bound in place of what it is in.
const match_tree::node* match_tree::view(std::vector<row>& rows, place* on, const knowledge* known,
                                         std::size_t depth) {
  node* const made = new_node(node_kind::view);
  made->on = on;
  made->made = make_place(types_.u32());
  for (row& one : rows) {
    for (test& t : one.tests) {
      if (t.on != on) continue;
      t.on = made->made;
      if (const auto* const word = as<constructor_pattern>(t.by)) t.by = word->fields.at(0);
    }
  }
  made->then = make(std::move(rows), known, depth + 1);
  return made;
}

}  // namespace cleave::lang
