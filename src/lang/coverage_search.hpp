// coverage_search.hpp -- a value that no row of patterns matches.
//
//   coverage_search search(cells, rows, 2, budget);
//   search.missing()      // {"True{} False{}", "Con{_, Nil{}} _"}, or nothing
//
// The search goes through the columns from the left. Where a column has a constructor it
// splits in one search per constructor, with the rows that can still match and columns
// for the fields; numbers and texts split in those that are written and all others. No row
// left: what was chosen on the way is the value. A first row that matches everything: all
// is covered. That may take exponentially many steps, so steps have a budget.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lang/resolve_names.hpp"
#include "lang/tree.hpp"

namespace cleave::lang {

// The types of Base whose patterns have more than one form. Null where Base has none.
struct known_types {
  explicit known_types(const name_table& names);
  const type_decl* nat;
  const type_decl* u32;
  const type_decl* f32;
  const type_decl* character;
  const type_decl* string;

  // The type that the pattern's values have; null for a name.
  [[nodiscard]] const type_decl* type_of(const pattern& one) const;
};

class coverage_search {
 public:
  coverage_search(const known_types& types, const std::vector<match_row>& rows, std::size_t columns,
                  std::size_t budget);

  // At most so many values are looked for.
  static constexpr std::size_t most = 8;
  // Empty too if the budget was not enough.
  [[nodiscard]] const std::vector<std::string>& missing() const noexcept { return missing_; }
  [[nodiscard]] std::size_t steps() const noexcept { return steps_; }

 private:
  // A pattern with one way to write each value: 2n and Succ{Succ{Zero{}}} are the same
  // cell, and U32{w} and Chr{c} are those of w and c.
  enum class cell_kind : std::uint8_t { any, constructor, nat, at_least, number, text };
  struct cell {
    cell() = default;
    explicit cell(cell_kind form, std::uint64_t number = 0, const pattern* more = nullptr)
        : kind(form), inside(more), value(number) {}
    explicit cell(std::string_view string) : kind(cell_kind::text), text(string) {}
    cell_kind kind = cell_kind::any;
    const constructor_decl* target = nullptr;  // constructor
    const pattern* inside = nullptr;  // the constructor's pattern, or what is more than `value`
    std::uint64_t value = 0;
    std::string_view text;
  };
  // The next column is the last cell.
  using row = std::vector<cell>;
  using matrix = std::vector<row>;
  // A step on the way to a value. A constructor is followed by its fields, and `more` by
  // what is more; what is missing at the end is any.
  enum class choice_kind : std::uint8_t { any, constructor, nat, more, number, text };
  struct choice {
    choice() = default;
    explicit choice(choice_kind form, std::uint64_t number = 0, std::string_view string = {})
        : kind(form), value(number), text(string) {}
    explicit choice(const constructor_decl& one) : kind(choice_kind::constructor), target(&one) {}
    choice_kind kind = choice_kind::any;
    const constructor_decl* target = nullptr;
    std::uint64_t value = 0;
    std::string_view text;
  };
  // What the cells of a column are.
  struct column {
    const type_decl* type = nullptr;  // of constructors
    bool constructors = false;
    bool nats = false;
    bool at_least = false;
    bool numbers = false;
    bool texts = false;
  };

  [[nodiscard]] cell cell_of(const pattern* one) const;
  [[nodiscard]] bool done() const noexcept { return missing_.size() >= most || gave_up_; }
  bool pay(std::size_t steps);

  void run(matrix rows, std::size_t depth);
  [[nodiscard]] static column look_at(const matrix& rows);
  void split_constructors(const matrix& rows, const type_decl& type, std::size_t depth);
  void split_literals(const matrix& rows, const column& what, std::size_t depth);
  bool split_nat(matrix& rows, std::size_t depth);
  [[nodiscard]] matrix select(const matrix& rows, const std::vector<std::size_t>& own,
                              const std::vector<std::size_t>& any, const constructor_decl* target);
  void open(row& one, const constructor_decl& target);

  void record();
  void print(std::string& text, std::size_t& next) const;

  const known_types& types_;
  std::size_t columns_;
  std::size_t budget_;
  std::size_t steps_ = 0;
  bool gave_up_ = false;
  std::vector<choice> chosen_;
  std::vector<std::string> missing_;
};

}  // namespace cleave::lang
