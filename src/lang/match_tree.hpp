// match_tree.hpp -- from the rows of a match to a tree of tests.
//
// Each node tests one value; each leaf is a row with what its names stand for. Rows are
// tried from top to bottom, so a node tests what the first row that is left asks for,
// and goes on with the rows that the outcome leaves possible. A row may be the leaf of
// many paths; the one who makes the code makes its body once.
//
// The tree of contrived rows is large. Then rows are tried one by one instead: the tree of
// each has a second leaf, which stands for all the rows behind it.
//
//   match_tree tree(facts, types);
//   tree.build(rows, subjects);
//   for (const match_tree::node* root : tree.roots()) ...
//
// Invariants (tests/lang/elaborate_match_test.cpp):
//   M1  On no path is more than `deepest` tests; too_deep() tells if that is too little.
//   M2  The size of all trees is linear in that of the rows, but for a constant.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string_view>
#include <vector>

#include "lang/core.hpp"
#include "lang/facts.hpp"
#include "lang/tree.hpp"
#include "lang/types.hpp"

namespace cleave::lang {

class match_tree {
 public:
  static constexpr std::size_t deepest = 500;

  // A value that is tested or bound. The maker of code sets `atom` where it is made.
  struct place {
    shape* type = nullptr;
    std::string_view hint;  // a name for it
    core::atom atom = {};
  };

  struct binding {
    const binder* name;
    place* on;             // null for a number
    std::uint64_t number;  // a Nat
  };

  struct node;
  struct branch {
    std::size_t constructor = 0;
    std::uint64_t value = 0;
    std::string_view text;
    std::vector<place*> fields;
    const node* then = nullptr;
  };

  enum class node_kind : std::uint8_t {
    leaf,  // row `row`, or the rows behind it
    fail,  // no row: the checker has seen that this is not reached
    test,
    view,  // `made` is the word in the character or float `on`
  };
  struct node {
    node_kind kind = node_kind::fail;
    std::size_t row = 0;
    bool behind = false;  // not the row, but the next
    std::vector<binding> bindings;
    place* on = nullptr;
    core::test_kind test = core::test_kind::constructors;
    std::vector<branch> branches;
    const node* otherwise = nullptr;  // null if the branches cover all
    place* made = nullptr;
    const node* then = nullptr;
  };

  match_tree(fact_table& facts, type_table& types) : facts_(facts), types_(types) {}

  // Requires: the patterns have the types of the subjects.
  void build(const std::vector<match_row>& rows, const std::vector<place*>& subjects);

  [[nodiscard]] place* make_place(shape* type, std::string_view hint = {});
  // The root, or one for each row if they are tried one by one.
  [[nodiscard]] const std::vector<const node*>& roots() const noexcept { return roots_; }
  // How many leaves a row has, and what the names of one of them stand for.
  [[nodiscard]] std::size_t leaves(std::size_t of_row) const { return leaves_[of_row]; }
  [[nodiscard]] const std::vector<binding>& bindings(std::size_t of_row) const {
    return *bindings_[of_row];
  }
  [[nodiscard]] bool too_deep() const noexcept { return too_deep_; }

 private:
  struct test {
    place* on;
    const pattern* by;
  };
  struct bound {
    const binder* name;
    place* on;
    std::uint64_t minus;  // of a Nat
  };
  struct row {
    std::size_t number = 0;
    bool behind = false;
    std::vector<test> tests;
    std::vector<bound> names;
  };
  // What the tests above have told about a Nat: lo <= n <= hi, and `rest` is n - minus.
  struct knowledge {
    const place* on;
    std::uint64_t lo;
    std::uint64_t hi;
    place* rest;
    std::uint64_t minus;
    const knowledge* above;
  };
  struct range {
    std::uint64_t lo;
    std::uint64_t hi;
  };
  // A Nat pattern: exactly `amount`, or at least that and `rest` is what is more.
  struct nat_form {
    bool exact;
    std::uint64_t amount;
    const name_pattern* rest;
  };
  enum class fit : std::uint8_t { yes, no, open };

  [[nodiscard]] const node* make(std::vector<row> rows, const knowledge* known, std::size_t depth);
  [[nodiscard]] const node* make_leaf(row& first, const knowledge* known);
  [[nodiscard]] const node* test_constructors(std::vector<row>& rows, place* on,
                                              const knowledge* known, std::size_t depth);
  [[nodiscard]] const node* test_numbers(std::vector<row>& rows, place* on, const knowledge* known,
                                         std::size_t depth);
  [[nodiscard]] const node* test_nat(std::vector<row>& rows, place* on, const knowledge* known,
                                     std::size_t depth);
  [[nodiscard]] const node* test_texts(std::vector<row>& rows, place* on, const knowledge* known,
                                       std::size_t depth);
  [[nodiscard]] const node* view(std::vector<row>& rows, place* on, const knowledge* known,
                                 std::size_t depth);
  [[nodiscard]] bool simplify(row& one, const knowledge* known);
  [[nodiscard]] fit simplify(row& one, test& t, const knowledge* known);
  [[nodiscard]] nat_form form_of(const pattern& by) const;
  [[nodiscard]] core::type_kind kind_of(const constructor_pattern& by) const;
  [[nodiscard]] node* new_node(node_kind kind);
  void copy_to(std::vector<row>& to, const row& one);
  void pay(const row& one);
  [[nodiscard]] static range range_of(const place* on, const knowledge* known);
  [[nodiscard]] static const test* test_on(const row& one, const place* on);
  static void without(row& one, const place* on);

  fact_table& facts_;
  type_table& types_;
  std::deque<place> places_;
  std::deque<node> nodes_;
  std::vector<const node*> roots_;
  std::vector<std::size_t> leaves_;
  std::vector<const std::vector<binding>*> bindings_;
  std::size_t budget_ = 0;
  bool over_budget_ = false;
  bool too_deep_ = false;
};

}  // namespace cleave::lang
