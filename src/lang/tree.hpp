// tree.hpp -- a program as its author wrote it: the nodes that the parser makes.
//
// The parser takes apart all sugar that needs no names: tuples and `h <> t` are
// constructors, `a[i]` is a call of Array.get, an operator is a call of the def that
// its type names. What needs a name or a type stays: lists, blocks, matches and do
// blocks. The checker fills the fields that stand under "Resolved:", and changes
// nothing else.
//
//   tree_store store;                              // owns the nodes, frees them all at once
//   auto* n = store.make<name_term>(where, "x");
//   if (const auto* call = as<call_term>(t)) ...   // null if `t` is something else
//
// Invariants (tests/lang/parser_test.cpp):
//   N1  No path from an item to a leaf is longer than `depth_limit` nodes, so that
//       passes may recurse.
//   N2  No pointer is null unless its field says so.
//   N3  Every node's span lies in one file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lang/source.hpp"

namespace cleave::lang {

inline constexpr std::size_t depth_limit = 1000;

// How often a name may be used, and when: x, +x, -x, ~x. Base alone has `&x`: a
// parameter of a native def that is only read.
enum class mark : std::uint8_t { affine, reusable, erased, templated, borrowed };

struct def_decl;
struct type_decl;
struct constructor_decl;
struct term;

// The place where a name is bound. It stands for the name from then on.
struct binder {
  std::string_view name;
  mark how = mark::affine;
  span where;
  [[nodiscard]] bool ignored() const noexcept { return name == "_"; }
};

// Owns nodes of any kind, and the names in them. They stand side by side in large
// pieces of memory, since there may be millions.
class tree_store {
 public:
  tree_store() = default;
  tree_store(tree_store&&) = default;
  tree_store& operator=(tree_store&&) = delete;
  ~tree_store() {
    for (auto each = owned_.rbegin(); each != owned_.rend(); ++each) each->destroy(each->node);
  }

  template <class Node, class... Arguments>
  Node* make(Arguments&&... arguments) {
    static_assert(alignof(Node) <= alignof(std::max_align_t));
    Node* const node = new (room(sizeof(Node))) Node(std::forward<Arguments>(arguments)...);
    if constexpr (!std::is_trivially_destructible_v<Node>) {
      owned_.push_back({node, [](void* which) { static_cast<Node*>(which)->~Node(); }});
    }
    return node;
  }
  // A copy of the text that lives as long as the store.
  std::string_view keep(std::string text) { return *make<std::string>(std::move(text)); }

 private:
  struct piece {
    std::unique_ptr<std::byte[]> bytes;
    std::size_t used = 0;
  };
  struct owned {
    void* node;
    void (*destroy)(void*);
  };
  static constexpr std::size_t piece_size = std::size_t{1} << 16;

  void* room(std::size_t size) {
    size = (size + alignof(std::max_align_t) - 1) & ~(alignof(std::max_align_t) - 1);
    if (pieces_.empty() || piece_size - pieces_.back().used < size) {
      pieces_.push_back({std::make_unique_for_overwrite<std::byte[]>(piece_size), 0});
    }
    piece& last = pieces_.back();
    last.used += size;
    return last.bytes.get() + last.used - size;
  }

  std::vector<piece> pieces_;
  std::vector<owned> owned_;
};

// ---- Patterns --------------------------------------------------------------------

enum class pattern_kind : std::uint8_t { name, constructor, nat, successor, literal, text };

struct pattern {
  pattern_kind kind;
  span where;
};

// x, +x, _
struct name_pattern : pattern {
  static constexpr auto tag = pattern_kind::name;
  explicit name_pattern(binder bound) : pattern{tag, bound.where}, name(bound) {}
  binder name;
};

// C{p, q}; also what tuples, lists and h <> t stand for.
struct constructor_pattern : pattern {
  static constexpr auto tag = pattern_kind::constructor;
  constructor_pattern(span at, std::string_view constructor, std::vector<pattern*> inside)
      : pattern{tag, at}, name(constructor), fields(std::move(inside)) {}
  std::string_view name;
  std::vector<pattern*> fields;
  // Resolved:
  const constructor_decl* target = nullptr;
};

// 3n: exactly that number.
struct nat_pattern : pattern {
  static constexpr auto tag = pattern_kind::nat;
  nat_pattern(span at, std::uint64_t number) : pattern{tag, at}, value(number) {}
  std::uint64_t value;
};

// 2n+p: at least `amount`, and `rest` matches what is more. `amount` > 0.
struct successor_pattern : pattern {
  static constexpr auto tag = pattern_kind::successor;
  successor_pattern(span at, std::uint64_t number, pattern* more)
      : pattern{tag, at}, amount(number), rest(more) {}
  std::uint64_t amount;
  pattern* rest;
};

// 7 or 'c': exactly that U32 or Char.
struct literal_pattern : pattern {
  static constexpr auto tag = pattern_kind::literal;
  literal_pattern(span at, std::uint32_t number, bool is_char)
      : pattern{tag, at}, value(number), character(is_char) {}
  std::uint32_t value;
  bool character;
};

// "abc": exactly that String, UTF-8.
struct text_pattern : pattern {
  static constexpr auto tag = pattern_kind::text;
  text_pattern(span at, std::string_view string) : pattern{tag, at}, text(string) {}
  std::string_view text;
};

// ---- Terms -----------------------------------------------------------------------

enum class term_kind : std::uint8_t {
  name, number, text, successor, call, construct, list, annotated, lambda, array, do_block, block,
  match, apply_type, arrow, sort, proof
};

// Values and types share one grammar.
struct term {
  term_kind kind;
  span where;
};

// x, U32.add, M.f: a variable, a def, or a type without arguments. `+D` is a type too.
struct name_term : term {
  static constexpr auto tag = term_kind::name;
  name_term(span at, std::string_view text) : term{tag, at}, name(text) {}
  std::string_view name;
  // Resolved: one of them, or none for a type that the compiler knows (U32, Nat, ...).
  const binder* local = nullptr;
  const def_decl* def = nullptr;
  const type_decl* type = nullptr;
};

enum class number_kind : std::uint8_t { u32, nat, f32, character };

// 7, 7n, 1.5, 'a'.
struct number_term : term {
  static constexpr auto tag = term_kind::number;
  number_term(span at, number_kind of, std::uint64_t bits) : term{tag, at}, number(of), value(bits) {}
  number_kind number;
  std::uint64_t value;  // of an F32 its 32 bits
};

struct text_term : term {
  static constexpr auto tag = term_kind::text;
  text_term(span at, std::string_view string) : term{tag, at}, text(string) {}
  std::string_view text;  // UTF-8, escapes resolved
};

// 2n+e
struct successor_term : term {
  static constexpr auto tag = term_kind::successor;
  successor_term(span at, std::uint64_t number, term* more)
      : term{tag, at}, amount(number), rest(more) {}
  std::uint64_t amount;
  term* rest;
};

struct argument {
  term* value = nullptr;
  bool templated = false;  // written with ~
};

// f(a, b); f!(a, b)
struct call_term : term {
  static constexpr auto tag = term_kind::call;
  call_term(span at, term* called, std::vector<argument> with)
      : term{tag, at}, callee(called), arguments(std::move(with)) {}
  term* callee;
  std::vector<argument> arguments;
  bool device = false;
};

// C{a, b}
struct construct_term : term {
  static constexpr auto tag = term_kind::construct;
  construct_term(span at, std::string_view constructor, std::vector<term*> with)
      : term{tag, at}, name(constructor), arguments(std::move(with)) {}
  std::string_view name;
  std::vector<term*> arguments;
  // Resolved:
  const constructor_decl* target = nullptr;
};

// [a, b]
struct list_term : term {
  static constexpr auto tag = term_kind::list;
  list_term(span at, std::vector<term*> all) : term{tag, at}, items(std::move(all)) {}
  std::vector<term*> items;
};

// {e : T}, (e : T); the operators in the second have been resolved.
struct annotated_term : term {
  static constexpr auto tag = term_kind::annotated;
  annotated_term(span at, term* what, term* as) : term{tag, at}, value(what), type(as) {}
  term* value;
  term* type;
};

// x => body. In a type, `_ => B` is one too.
struct lambda_term : term {
  static constexpr auto tag = term_kind::lambda;
  lambda_term(span at, binder* bound, term* result) : term{tag, at}, parameter(bound), body(result) {}
  binder* parameter;
  term* body;
};

// [v : T*4n], [v : T^d]
struct array_term : term {
  static constexpr auto tag = term_kind::array;
  array_term(span at, term* filling, term* of, term* size, bool depth)
      : term{tag, at}, value(filling), element(of), count(size), is_depth(depth) {}
  term* value;
  term* element;
  term* count;    // a Nat literal that is a power of two, or any Nat if it is the depth
  bool is_depth;
};

enum class do_kind : std::uint8_t { bind, step, let, give, last };

// x : T <- m;  m;  x : T = v;  return e;  m at the end.
struct do_statement {
  do_kind kind;
  binder* name = nullptr;  // null unless bind or let; null in `T <- m`
  term* type = nullptr;    // null in step, give and last
  term* value = nullptr;
  span where;
};

// do M<a, R>: ...
struct do_term : term {
  static constexpr auto tag = term_kind::do_block;
  do_term(span at, std::string_view of, std::vector<term*> with, std::vector<do_statement> all)
      : term{tag, at}, monad(of), arguments(std::move(with)), statements(std::move(all)) {}
  std::string_view monad;
  std::vector<term*> arguments;  // the last is the result type
  std::vector<do_statement> statements;  // ends with `give` or `last`
  // Resolved, unless the monad is IO:
  const def_decl* bind = nullptr;
  const def_decl* pure = nullptr;
};

// What a body does before its result. Exactly one of three:
//   names.size() == 1   x = e, x : T = e
//   names.size() >= 2   a parallel let, one value for each name
//   bound != null       (a, b) = e, C{a, b} = e
// `a[i] <- v` as a statement is the first.
struct statement {
  span where;
  std::vector<binder*> names;
  pattern* bound = nullptr;
  term* type = nullptr;  // null if not written
  std::vector<term*> values;
};

struct block_term : term {
  static constexpr auto tag = term_kind::block;
  block_term(span at, std::vector<statement> before, term* value)
      : term{tag, at}, statements(std::move(before)), result(value) {}
  std::vector<statement> statements;  // at least one
  term* result;
};

struct match_row {
  span where;
  std::vector<pattern*> patterns;
  term* body = nullptr;
};

struct match_term : term {
  static constexpr auto tag = term_kind::match;
  match_term(span at, std::vector<term*> of, std::vector<match_row> all)
      : term{tag, at}, subjects(std::move(of)), rows(std::move(all)) {}
  std::vector<term*> subjects;
  std::vector<match_row> rows;
};

// D<a, b>; `A & B` is Sigma<A, B>, `A | B` is Either<A, B>. Calls in types stay calls.
struct apply_type_term : term {
  static constexpr auto tag = term_kind::apply_type;
  apply_type_term(span at, std::string_view of, std::vector<term*> with)
      : term{tag, at}, name(of), arguments(std::move(with)) {}
  std::string_view name;
  std::vector<term*> arguments;  // leading quantities may be missing
  // Resolved: one of them, or none for a type that the compiler knows (Array, IO).
  const type_decl* type = nullptr;
  const def_decl* def = nullptr;
};

// A -> B, @x:A -> B, @-x:A -> B
struct arrow_term : term {
  static constexpr auto tag = term_kind::arrow;
  arrow_term(span at, binder* bound, term* argument_type, term* result_type)
      : term{tag, at}, parameter(bound), from(argument_type), to(result_type) {}
  binder* parameter;  // null in A -> B
  term* from;
  term* to;
};

// Type, Data, Quant, Kind(q), &0, &1, &2, and quantity expressions such as a <&> b.
struct sort_term : term {
  static constexpr auto tag = term_kind::sort;
  explicit sort_term(span at) : term{tag, at} {}
};

// {a == b : T}, {a != b : T}, {==}, %e : P; body, \{...}: read and never run. With an
// empty `what` it stands for what could not be read, and the parser has said so.
struct proof_term : term {
  static constexpr auto tag = term_kind::proof;
  explicit proof_term(span at, std::string_view form) : term{tag, at}, what(form) {}
  std::string_view what;  // for messages, such as "{==}"
};

// ---- Items -----------------------------------------------------------------------

struct parameter {
  binder* name = nullptr;
  term* type = nullptr;  // null for a bare quantity, and in a def that fills a law
};

struct field_decl {
  std::string_view name;
  mark how = mark::affine;
  term* type = nullptr;
  span where;
};

struct constructor_decl {
  std::string_view name;
  span where;
  std::vector<field_decl> fields;
  const type_decl* type = nullptr;
  std::size_t number = 0;  // among the constructors of the type
};

struct type_decl {
  std::string_view name;
  span where;  // of the name
  std::vector<parameter> parameters;
  term* kind = nullptr;
  std::vector<constructor_decl*> constructors;
};

struct law_decl {
  std::string_view name;
  span where;  // of the name
  std::vector<parameter> parameters;
  term* result = nullptr;
  bool proof = false;  // its result is an equality, or it has `exs` or `where` clauses
  // Resolved: null if nothing fills it.
  const def_decl* filled_by = nullptr;
};

struct def_decl {
  std::string_view name;
  span where;  // of the name
  bool unsafe = false;
  bool native = false;  // Base alone: the runtime has it, and there is no body
  std::vector<parameter> parameters;
  term* result = nullptr;  // null in a def that fills a law
  term* body = nullptr;    // null if native
  // Resolved: the law that it fills, or null; whether it is part of a proof.
  const law_decl* law = nullptr;
  bool proof = false;

  // The k-th parameter's mark and type, and the result, whether a law says it or not.
  [[nodiscard]] mark how(std::size_t k) const {
    if (law != nullptr) return law->parameters[k].name->how;
    const bool quantity = result != nullptr && parameters[k].type == nullptr;
    return quantity ? mark::erased : parameters[k].name->how;
  }
  [[nodiscard]] const term* type_of(std::size_t k) const {
    return law != nullptr ? law->parameters[k].type : parameters[k].type;
  }
  [[nodiscard]] const term* result_type() const { return law != nullptr ? law->result : result; }
};

struct import_decl {
  span where;
  std::string_view path;   // as written; "Base" for the prelude
  std::string_view alias;  // empty for Base
};

// One file.
struct file_tree {
  const source_file* source = nullptr;
  // Something at the top level could not be read and was reported: names may be missing.
  bool incomplete = false;
  std::vector<import_decl> imports;
  std::vector<type_decl*> types;
  std::vector<law_decl*> laws;
  std::vector<def_decl*> defs;
};

// The node as its own kind; null if it is of another. T may be const or not.
template <class Kind>
const Kind* as(const term* t) noexcept {
  return t->kind == Kind::tag ? static_cast<const Kind*>(t) : nullptr;
}
template <class Kind>
Kind* as(term* t) noexcept {
  return t->kind == Kind::tag ? static_cast<Kind*>(t) : nullptr;
}
template <class Kind>
const Kind* as(const pattern* p) noexcept {
  return p->kind == Kind::tag ? static_cast<const Kind*>(p) : nullptr;
}
template <class Kind>
Kind* as(pattern* p) noexcept {
  return p->kind == Kind::tag ? static_cast<Kind*>(p) : nullptr;
}

}  // namespace cleave::lang
