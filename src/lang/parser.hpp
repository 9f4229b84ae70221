// parser.hpp -- tokens to a tree: one function for each form of the grammar.
//
// Patterns, types and values share one grammar: all are read as terms, and a term that
// turns out to stand left of `=` or behind `case` is made a pattern. Functions that may
// nest are coroutines (parsing.hpp). After an error the parser goes on at the next case
// of a match or at the next item.
//
//   file_tree made = parser(source, base, nodes, found).file();
//
// Invariants (tests/lang/parser_*_test.cpp):
//   A1  Each token is looked at a bounded number of times.
//   A2  A def in whose body something was wrong has a body that says nothing more.
//   A3  No more than depth_limit constructs are open at a time, which bounds memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lang/diagnostic.hpp"
#include "lang/lexer.hpp"
#include "lang/operators.hpp"
#include "lang/parsing.hpp"
#include "lang/token.hpp"
#include "lang/tree.hpp"

namespace cleave::lang {

// A node with the number of nodes on its longest path.
template <class Node>
struct sized {
  Node* node = nullptr;
  std::size_t height = 0;
};
using sized_term = sized<term>;
using sized_pattern = sized<pattern>;

class parser {
 public:
  parser(const source_file& source, bool base, tree_store& nodes, diagnostics& found);

  file_tree file();

  // For the coroutines.
  parsing_stack& steps() noexcept { return steps_; }

 private:
  // What the brackets around a term allow behind it.
  enum class around : std::uint8_t {
    nothing,
    angles,  // a `>` closes
    colon,   // a `:` belongs to the brackets
    parens,  // a `:` may belong to the parentheses, or to a let
  };

  // Ends the coroutine unless the token is there; gives it.
  struct wanted {
    parsing_stack* steps;
    token got;
    bool met;
    [[nodiscard]] bool await_ready() const noexcept { return met; }
    void await_suspend(std::coroutine_handle<> code) const noexcept {
      steps->failure().await_suspend(code);
    }
    token await_resume() const noexcept { return got; }
  };

  // Counts the constructs that are open.
  class opened {
   public:
    explicit opened(std::size_t& count) noexcept : count_(&count) { ++count; }
    opened(const opened&) = delete;
    opened& operator=(const opened&) = delete;
    ~opened() { --*count_; }

   private:
    std::size_t* count_;
  };

  // Gives a variable its old value back.
  class restored {
   public:
    explicit restored(std::uint32_t& variable) noexcept : variable_(&variable), old_(variable) {}
    restored(const restored&) = delete;
    restored& operator=(const restored&) = delete;
    ~restored() { *variable_ = old_; }

   private:
    std::uint32_t* variable_;
    std::uint32_t old_;
  };

  // A hole or an eliminator: refused, unless it is part of a proof.
  struct refused_form {
    span where;
    std::string_view what;
    std::string_view item;  // the name of the item around it
  };

  struct read_less {
    token sign;
    sized_term right;
  };

  // What is read so far of one item, and is looked at again at its end.
  struct item_state {
    std::string_view name;
    bool broken = false;  // something within it was reported and passed over
    std::vector<call_term*> operators;
  };

  // ---- Tokens (parser.cpp)
  token take();
  const token& peek();
  bool at(token_kind kind) const noexcept { return now_.kind == kind; }
  bool take_if(token_kind kind);
  bool same_line() const noexcept { return !now_.first_on_line && now_.kind != token_kind::end; }
  [[nodiscard]] std::string_view text_of(const token& one) const;
  [[nodiscard]] span span_of(const token& one) const { return {&source_, one.begin, one.end}; }
  // From the beginning of a token or node to the end of the last token taken.
  [[nodiscard]] span since(std::uint32_t begin) const { return {&source_, begin, last_end_}; }
  [[nodiscard]] bool starts_term() const noexcept;
  [[nodiscard]] bool starts_item();

  // Errors are in this item from now on.
  void enter_item(const token& name);

  // ---- Errors (parser.cpp)
  // `help` is a line behind the message; without it, what habit_at() knows.
  void report(span where, std::string expected, std::string observed, std::string message = {},
              std::string_view help = {});
  void report_here(std::string expected, std::string_view help = {});
  parsing_stack::failing refuse(std::string expected, std::string_view help = {});
  parsing_stack::failing refuse(span where, std::string expected);
  parsing_stack::failing refuse_feature(span where, std::string feature,
                                        std::string_view help = {});
  wanted want(token_kind kind, const char* expected);
  wanted want_name();
  // Ends the coroutine if a node would stand too high, or if too many constructs are open.
  wanted want_height(std::size_t height, span where);
  [[nodiscard]] std::string observed(const token& one) const;
  [[nodiscard]] std::string quoted(span where) const;
  // To a case as well that stands at the column or left of it: cases of matches within
  // the one that failed stand further to the right.
  void skip_to_item(std::uint32_t case_column = 0);

  // ---- Items (parser_items.cpp)
  parsing<bool> items();
  parsing<bool> item();
  parsing<bool> import_item();
  parsing<bool> type_item();
  parsing<constructor_decl*> constructor(const type_decl* of);
  parsing<bool> law_item();
  parsing<bool> law_clauses(law_decl* made);
  parsing<bool> marked_item();
  parsing<bool> def_item(bool unsafe, bool native);
  parsing<bool> def_body(def_decl* made);
  parsing<bool> parameters(std::vector<parameter>* all, token_kind close, around outside,
                           bool native, bool erased);
  parsing<parameter> clause();
  mark take_mark(bool native);
  void end_item();
  void refuse_forms();
  [[nodiscard]] bool in_proof(std::string_view item) const { return proofs_.contains(item); }

  // ---- Terms (parser_terms.cpp)
  parsing<sized_term> term_at(int lowest, around outside = around::nothing);
  // The same from its first operand on.
  parsing<sized_term> rest_of_term(sized_term last, int lowest, around outside);
  parsing<sized_term> operand(around outside);
  parsing<sized_term> prefix(around outside);
  parsing<sized_term> suffix(sized_term of);
  parsing<sized_term> call(sized_term of);
  parsing<sized_term> index(sized_term of);
  parsing<sized_term> type_arguments(sized_term of, sized_term first);
  parsing<sized_term> lambda(sized_term parameter, around outside);
  parsing<sized_term> construct(const name_term* of);
  // The term that is one token; null if the next is none.
  sized_term leaf();
  [[nodiscard]] bool at_suffix(bool of_name);
  sized_term apply_operator(const token& sign, const operator_info& what, sized_term left,
                            sized_term right);

  // ---- Brackets, sorts and proofs (parser_brackets.cpp)
  parsing<sized_term> parens();
  parsing<sized_term> braces();
  parsing<sized_term> list_or_array();
  parsing<sized_term> array(token open, sized_term value);
  parsing<sized_term> kind();
  parsing<sized_term> quantity();
  parsing<sized_term> dependent_arrow();
  parsing<sized_term> rewrite(around outside);
  sized_term hole();
  parsing<sized_term> eliminator();
  sized_term sort_since(std::uint32_t begin);
  // The operators behind the first so many were within it, and are forgotten.
  sized_term proof_since(std::uint32_t begin, std::string_view what, std::size_t operators);

  // ---- Bodies (parser_bodies.cpp)
  parsing<sized_term> body(around outside);
  // These give the height of what they fill in; the first gives 0 if there is no let.
  parsing<std::size_t> let_behind(statement* made, token first, sized_term read, around outside);
  parsing<std::size_t> erased_let(statement* made);
  parsing<std::size_t> plain_let(statement* made, sized_term left);
  parsing<std::size_t> parallel_let(statement* made, sized_term first);
  [[nodiscard]] bool at_parallel_let(const term* first) const;
  [[nodiscard]] bool is_write_statement(const token& first, const term* t) const;
  parsing<sized_term> match(around outside);
  parsing<std::size_t> row(match_row* made, std::size_t width, around outside);

  // ---- Do blocks (parser_do.cpp)
  parsing<sized_term> do_block(around outside);
  parsing<std::size_t> do_line(do_statement* made, std::uint32_t column, around outside);
  parsing<std::size_t> named_do_line(do_statement* made, sized_term name);

  // ---- Patterns (parser_patterns.cpp)
  parsing<sized_pattern> to_pattern(const term* t);
  // Null if `t` is not x or +x.
  binder* to_binder(const term* t);

  // After a failure: nothing is open any more, and operators behind the first so many
  // wait for no type.
  void forget_open(std::size_t operators);

  // ---- Nodes
  template <class Node, class... Arguments>
  Node* make(Arguments&&... arguments) {
    return nodes_.make<Node>(std::forward<Arguments>(arguments)...);
  }
  sized_term call_of(span where, span name_where, std::string_view name,
                     std::vector<argument> arguments, std::size_t inner);
  static sized_term above(term* node, std::size_t inner) { return {node, inner + 1}; }
  term* nothing(span where) { return make<proof_term>(where, std::string_view{}); }

  const source_file& source_;
  bool base_;
  tree_store& nodes_;
  diagnostics& found_;
  lexer words_;
  operator_names names_;

  token now_;
  std::optional<token> next_;
  std::uint32_t last_end_ = 0;

  file_tree made_;
  item_state item_;
  std::vector<refused_form> refused_;
  std::unordered_set<std::string_view> proofs_;  // laws and defs that are
  std::size_t open_ = 0;
  // `< right`, read in search of type arguments by terms that may not have a comparison:
  // what comes first in the text is last.
  std::vector<read_less> less_;
  // `: T` behind a body within parentheses.
  std::optional<sized_term> type_behind_;
  // Of the case around, 0 if there is none: the cases of a match stand right of it.
  std::uint32_t case_column_ = 0;
  // The last `a[i] <- v`.
  const term* written_ = nullptr;
  // The last member: what may still run when it goes uses the others.
  parsing_stack steps_;
};

}  // namespace cleave::lang
