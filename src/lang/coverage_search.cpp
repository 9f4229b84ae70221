// coverage_search.cpp -- the search, column by column.
#include "lang/coverage_search.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace cleave::lang {
namespace {

// Searches within searches; each takes a frame of the stack. What is deeper is not looked at.
constexpr std::size_t deepest = 1000;

// The first code point of a text, which is not empty, and its length. Bytes that are no
// UTF-8 count as themselves.
std::pair<std::uint64_t, std::size_t> first_code_point(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const std::size_t length = lead < 0xC0 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (length == 1 || length > text.size()) return {lead, 1};
  std::uint64_t code = lead & (0xFFU >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    code = code << 6 | (static_cast<unsigned char>(text[k]) & 0x3FU);
  }
  return {code, length};
}

}  // namespace

known_types::known_types(const name_table& names)
    : nat(names.base_type("Nat")),
      u32(names.base_type("U32")),
      f32(names.base_type("F32")),
      character(names.base_type("Char")),
      string(names.base_type("String")) {}

const type_decl* known_types::type_of(const pattern& one) const {
  switch (one.kind) {
    case pattern_kind::name: return nullptr;
    case pattern_kind::constructor: return as<constructor_pattern>(&one)->target->type;
    case pattern_kind::nat:
    case pattern_kind::successor: return nat;
    case pattern_kind::literal: return as<literal_pattern>(&one)->character ? character : u32;
    case pattern_kind::text: return string;
  }
  return nullptr;
}

coverage_search::coverage_search(const known_types& types, const std::vector<match_row>& rows,
                                 std::size_t columns, std::size_t budget)
    : types_(types), columns_(columns), budget_(budget) {
  matrix all;
  all.reserve(rows.size());
  for (const match_row& from : rows) {
    row& to = all.emplace_back();
    to.reserve(columns);
    for (std::size_t k = columns; k > 0; --k) to.push_back(cell_of(from.patterns[k - 1]));
  }
  run(std::move(all), 0);
}

coverage_search::cell coverage_search::cell_of(const pattern* one) const {
  while (const auto* const made = as<constructor_pattern>(one)) {
    const type_decl* const type = made->target->type;
    if (type == types_.nat) {
      return made->fields.empty() ? cell(cell_kind::nat)
                                  : cell(cell_kind::at_least, 1, made->fields[0]);
    }
    const bool is_number = type == types_.u32 || type == types_.f32 || type == types_.character;
    if (!is_number || made->fields.size() != 1) {
      cell constructed(cell_kind::constructor, 0, made);
      constructed.target = made->target;
      return constructed;
    }
    one = made->fields[0];
  }
  switch (one->kind) {
    case pattern_kind::nat: return cell(cell_kind::nat, as<nat_pattern>(one)->value);
    case pattern_kind::successor: {
      const auto& successor = *as<successor_pattern>(one);
      return cell(cell_kind::at_least, successor.amount, successor.rest);
    }
    case pattern_kind::literal: return cell(cell_kind::number, as<literal_pattern>(one)->value);
    case pattern_kind::text: return cell(as<text_pattern>(one)->text);
    default: return {};
  }
}

bool coverage_search::pay(std::size_t steps) {
  steps_ += steps;
  gave_up_ = gave_up_ || steps_ > budget_;
  return !gave_up_;
}

// Looks for values of the columns in `rows` that no row matches, given what was chosen
// for the columns before them.
void coverage_search::run(matrix rows, std::size_t depth) {
  if (depth > deepest) return;
  const std::size_t chosen = chosen_.size();
  while (!done()) {
    if (rows.empty()) {
      record();
      break;
    }
    if (!pay(rows[0].size() + rows.size())) break;
    const auto is_any = [](const cell& one) { return one.kind == cell_kind::any; };
    if (std::ranges::all_of(rows[0], is_any)) break;
    const column what = look_at(rows);
    if (what.constructors && what.type->constructors.size() == 1) {
      const constructor_decl& only = *what.type->constructors[0];
      if (!pay(rows.size() * only.fields.size())) break;
      for (row& one : rows) open(one, only);
      chosen_.push_back(choice(only));
    } else if (what.constructors) {
      split_constructors(rows, *what.type, depth);
      break;
    } else if (what.at_least) {
      if (!split_nat(rows, depth)) break;
    } else if (what.nats || what.numbers || what.texts) {
      split_literals(rows, what, depth);
      break;
    } else {
      for (row& one : rows) one.pop_back();
      chosen_.emplace_back();
    }
  }
  chosen_.resize(chosen);
}

coverage_search::column coverage_search::look_at(const matrix& rows) {
  column what;
  for (const row& one : rows) {
    const cell& head = one.back();
    switch (head.kind) {
      case cell_kind::any: break;
      case cell_kind::constructor:
        what.constructors = true;
        what.type = head.target->type;
        break;
      case cell_kind::nat: what.nats = true; break;
      case cell_kind::at_least: what.at_least = true; break;
      case cell_kind::number: what.numbers = true; break;
      case cell_kind::text: what.texts = true; break;
    }
  }
  return what;
}

// Replaces the next column by those of the constructor's fields. The row must be able to
// match such a value.
void coverage_search::open(row& one, const constructor_decl& target) {
  const cell head = one.back();
  one.pop_back();
  if (head.kind == cell_kind::constructor) {
    const auto& fields = as<constructor_pattern>(head.inside)->fields;
    for (std::size_t k = fields.size(); k > 0; --k) one.push_back(cell_of(fields[k - 1]));
  } else if (head.kind == cell_kind::text && !head.text.empty()) {
    const auto [code, length] = first_code_point(head.text);
    one.push_back(cell(head.text.substr(length)));
    one.push_back(cell(cell_kind::number, code));
  } else {
    one.resize(one.size() + target.fields.size());
  }
}

// The rows of both lists, in their order; with the next column opened, or dropped if there
// is no constructor.
coverage_search::matrix coverage_search::select(const matrix& rows,
                                                const std::vector<std::size_t>& own,
                                                const std::vector<std::size_t>& any,
                                                const constructor_decl* target) {
  std::vector<std::size_t> both(own.size() + any.size());
  std::ranges::merge(own, any, both.begin());
  matrix selected;
  const std::size_t width = rows[0].size() + (target != nullptr ? target->fields.size() : 0);
  if (!pay(both.size() * width)) return selected;
  selected.reserve(both.size());
  for (const std::size_t k : both) {
    row& one = selected.emplace_back(rows[k]);
    if (target != nullptr) {
      open(one, *target);
    } else {
      one.pop_back();
    }
  }
  return selected;
}

void coverage_search::split_constructors(const matrix& rows, const type_decl& type,
                                         std::size_t depth) {
  const std::size_t count = type.constructors.size();
  std::unordered_map<const constructor_decl*, std::vector<std::size_t>> own;
  std::vector<std::size_t> any;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const cell& head = rows[k].back();
    if (head.kind == cell_kind::any) {
      any.push_back(k);
    } else if (head.kind == cell_kind::constructor) {
      own[head.target].push_back(k);
    } else if (head.kind == cell_kind::text && count == 2) {
      own[type.constructors[head.text.empty() ? 0 : 1]].push_back(k);
    }
  }
  bool others_covered = false;
  for (const constructor_decl* target : type.constructors) {
    if (done() || !pay(1)) return;
    const auto at = own.find(target);
    if (at == own.end() && others_covered) continue;
    const std::size_t before = missing_.size();
    chosen_.push_back(choice(*target));
    run(select(rows, at != own.end() ? at->second : std::vector<std::size_t>{}, any, target),
        depth + 1);
    chosen_.pop_back();
    others_covered = others_covered || (at == own.end() && missing_.size() == before);
  }
}

// Numbers, or texts, or Nats without n+p: those that are written, then all others.
void coverage_search::split_literals(const matrix& rows, const column& what, std::size_t depth) {
  std::map<std::pair<std::uint64_t, std::string_view>, std::vector<std::size_t>> own;
  std::vector<std::size_t> any;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const cell& head = rows[k].back();
    if (head.kind == cell_kind::any) {
      any.push_back(k);
    } else {
      own[{head.value, head.text}].push_back(k);
    }
  }
  const choice_kind kind = what.nats    ? choice_kind::nat
                           : what.texts ? choice_kind::text
                                        : choice_kind::number;
  for (const auto& [value, indices] : own) {
    if (done()) return;
    chosen_.push_back(choice(kind, value.first, value.second));
    run(select(rows, indices, any, nullptr), depth + 1);
    chosen_.pop_back();
  }
  // 0n and 1n are written: the others are 2n+_.
  const std::uint64_t beyond = own.rbegin()->first.first + 1;
  if (what.nats && beyond == own.size()) {
    chosen_.push_back(choice(choice_kind::more, beyond));
  }
  chosen_.emplace_back();
  run(select(rows, {}, any, nullptr), depth + 1);
}

// Nats, with n+p among them. Splits off those below the least n and goes on with what is
// more in the same columns; below 1 there is 0. False if there is no step to go on with.
bool coverage_search::split_nat(matrix& rows, std::size_t depth) {
  std::uint64_t least = ~std::uint64_t{0};
  for (const row& one : rows) {
    if (one.back().kind != cell_kind::any) least = std::min(least, one.back().value);
  }
  std::vector<std::size_t> zero;
  std::vector<std::size_t> any;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const cell& head = rows[k].back();
    if (head.kind == cell_kind::any) any.push_back(k);
    if (head.kind == cell_kind::nat && head.value == 0) zero.push_back(k);
  }
  chosen_.push_back(choice(choice_kind::nat));
  run(select(rows, zero, any, nullptr), depth + 1);
  chosen_.pop_back();
  if (done() || !pay(rows.size())) return false;
  const std::uint64_t step = std::max<std::uint64_t>(least, 1);
  const auto is_less = [&](const row& one) {
    return one.back().kind == cell_kind::nat && one.back().value < step;
  };
  std::erase_if(rows, is_less);
  for (row& one : rows) {
    cell& head = one.back();
    if (head.kind == cell_kind::any) continue;
    head.value -= step;
    if (head.kind == cell_kind::at_least && head.value == 0) head = cell_of(head.inside);
  }
  chosen_.push_back(choice(choice_kind::more, step));
  return true;
}

// ---- The value -------------------------------------------------------------------

void coverage_search::record() {
  std::string text;
  std::size_t next = 0;
  const bool is_bare =
      columns_ == 1 && !chosen_.empty() && chosen_[0].kind == choice_kind::constructor &&
      chosen_[0].target->name != "Tuple" &&
      std::ranges::all_of(chosen_.begin() + 1, chosen_.end(),
                          [](const choice& one) { return one.kind == choice_kind::any; });
  if (is_bare) {
    text = chosen_[0].target->name;
  } else {
    for (std::size_t k = 0; k < columns_; ++k) {
      if (k > 0) text += ' ';
      print(text, next);
    }
  }
  missing_.push_back(std::move(text));
}

// Adds the pattern that begins with the choice `next`, and counts on behind it. Of a long
// text the end is left out.
void coverage_search::print(std::string& text, std::size_t& next) const {
  constexpr std::size_t longest = 200;
  if (text.size() > longest) {
    if (!text.ends_with("...")) text += "...";
    return;
  }
  std::uint64_t more = 0;
  for (; next < chosen_.size() && chosen_[next].kind == choice_kind::more; ++next) {
    more += chosen_[next].value;
  }
  const choice now = next < chosen_.size() ? chosen_[next++] : choice{};
  switch (now.kind) {
    case choice_kind::nat: text += std::to_string(more + now.value) + "n"; return;
    case choice_kind::number: text += std::to_string(now.value); return;
    case choice_kind::text: text += '"' + std::string(now.text.substr(0, longest)) + '"'; return;
    case choice_kind::constructor: {
      const bool tuple = now.target->name == "Tuple";
      text += tuple ? "(" : std::string(now.target->name) + "{";
      for (std::size_t k = 0; k < now.target->fields.size() && text.size() <= longest; ++k) {
        if (k > 0) text += ", ";
        print(text, next);
      }
      text += tuple ? ")" : "}";
      return;
    }
    default: text += more > 0 ? std::to_string(more) + "n+_" : "_"; return;
  }
}

}  // namespace cleave::lang
