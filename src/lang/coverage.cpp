// coverage.cpp -- one type for each place of the values, then the search for a gap.
#include "lang/coverage.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace cleave::lang {
namespace {

// Steps for each pattern of a match, for each match besides, and for the program.
constexpr std::size_t steps_per_pattern = 8;
constexpr std::size_t steps_per_match = 1'000'000;
constexpr std::size_t steps_in_all = 20'000'000;

std::string text_of(const pattern& one) {
  switch (one.kind) {
    case pattern_kind::name: return std::string(as<name_pattern>(&one)->name.name);
    case pattern_kind::constructor: {
      const auto& made = *as<constructor_pattern>(&one);
      return std::string(made.name) + (made.fields.empty() ? "{}" : "{...}");
    }
    case pattern_kind::nat: return std::to_string(as<nat_pattern>(&one)->value) + "n";
    case pattern_kind::successor:
      return std::to_string(as<successor_pattern>(&one)->amount) + "n+...";
    case pattern_kind::literal: {
      const auto& literal = *as<literal_pattern>(&one);
      return literal.character ? "a character" : std::to_string(literal.value);
    }
    case pattern_kind::text: return "a string";
  }
  return {};
}

// The patterns of a match that look at the same place of its subjects: those of a column,
// and for each constructor and field those inside. A place has the number that was free
// when it was first met.
class column_types {
 public:
  column_types(const known_types& types, diagnostics& found, std::string_view def)
      : types_(types), found_(found), def_(def) {}

  void look_at(const pattern& one, std::size_t column) { visit(one, place({0, nullptr, column})); }
  [[nodiscard]] std::size_t patterns() const noexcept { return patterns_; }
  [[nodiscard]] bool sound() const noexcept { return sound_; }

 private:
  struct key {
    std::size_t outer;
    const constructor_decl* constructor;
    std::size_t field;
    bool operator==(const key&) const = default;
  };
  struct key_hash {
    std::size_t operator()(const key& one) const noexcept {
      const std::size_t mixed = std::hash<const void*>{}(one.constructor) ^ (one.field << 20);
      return (mixed ^ one.outer * 0x9E3779B97F4A7C15U) * 0xFF51AFD7ED558CCDU;
    }
  };
  struct seen {
    const type_decl* type = nullptr;
    span where;
  };

  std::size_t place(const key& at) {
    const auto [entry, fresh] = numbers_.emplace(at, first_.size());
    if (fresh) first_.emplace_back();
    return entry->second;
  }

  void visit(const pattern& one, std::size_t at) {
    ++patterns_;
    const type_decl* const type = types_.type_of(one);
    if (type == nullptr) return;
    if (first_[at].type == nullptr) first_[at] = {type, one.where};
    if (first_[at].type != type) return report(one, first_[at]);
    if (const auto* const successor = as<successor_pattern>(&one))
      return visit(*successor->rest, at);
    if (const auto* const made = as<constructor_pattern>(&one)) {
      for (std::size_t k = 0; k < made->fields.size(); ++k) {
        if (made->fields[k]->kind == pattern_kind::name) {
          ++patterns_;
        } else {
          visit(*made->fields[k], place({at, made->target, k}));
        }
      }
    }
  }

  void report(const pattern& one, const seen& first) {
    sound_ = false;
    diagnostic wrong;
    wrong.where = one.where;
    wrong.def = def_;
    wrong.expected = "a pattern of type " + std::string(first.type->name);
    wrong.observed = text_of(one) + " of type " + std::string(types_.type_of(one)->name);
    wrong.remarks.push_back({first.where, "the first pattern in this place"});
    found_.report(std::move(wrong));
  }

  const known_types& types_;
  diagnostics& found_;
  std::string_view def_;
  std::unordered_map<key, std::size_t, key_hash> numbers_;
  std::vector<seen> first_ = std::vector<seen>(1);
  std::size_t patterns_ = 0;
  bool sound_ = true;
};

std::string list_of(const std::vector<std::string>& missing) {
  std::string text = "cases for ";
  for (std::size_t k = 0; k < missing.size(); ++k) {
    if (k > 0) text += ", ";
    text += missing[k];
  }
  if (missing.size() == coverage_search::most) text += ", ...";
  return text;
}

}  // namespace

coverage_check::coverage_check(const name_table& names, diagnostics& found)
    : types_(names), found_(found), steps_left_(steps_in_all) {}

void coverage_check::match(const match_term& one, std::string_view def) {
  const std::vector<std::string> missing = cover(one.rows, one.subjects.size(), def);
  if (missing.empty()) return;
  diagnostic wrong;
  wrong.where = one.where;
  wrong.def = def;
  wrong.expected = list_of(missing);
  wrong.observed = "a match without them";
  found_.report(std::move(wrong));
}

void coverage_check::binding(const statement& one, std::string_view def) {
  match_row only;
  only.where = one.where;
  only.patterns.push_back(one.bound);
  const std::vector<std::string> missing = cover({only}, 1, def);
  if (missing.empty()) return;
  diagnostic wrong;
  wrong.where = one.bound->where;
  wrong.def = def;
  wrong.expected = list_of(missing) + " (a match has room for them)";
  wrong.observed = "one pattern";
  found_.report(std::move(wrong));
}

// Values that no row matches; none if there are none, or the search would take too long,
// or nothing can be said about the rows.
std::vector<std::string> coverage_check::cover(const std::vector<match_row>& rows,
                                               std::size_t columns, std::string_view def) {
  // Whether a match without rows is one of an Empty value is up to its type.
  if (rows.empty()) return {};
  column_types places(types_, found_, def);
  for (const match_row& row : rows) {
    for (std::size_t k = 0; k < columns; ++k) places.look_at(*row.patterns[k], k);
  }
  if (!places.sound()) return {};
  const std::size_t own = places.patterns() * steps_per_pattern;
  const coverage_search search(types_, rows, columns, own + std::min(steps_left_, steps_per_match));
  if (search.steps() > own) steps_left_ -= std::min(steps_left_, search.steps() - own);
  return search.missing();
}

}  // namespace cleave::lang
