// operators.hpp -- the binary operators, and how a type gives them a meaning.
//
// An operator on values is the def of the same meaning in the name space of a type,
// which the nearest `( ... : T)` around it supplies. Until then its call has a callee
// without a type, such as `.add`, which no name of a program can be.
//
//   const operator_info* one = operator_of(token_kind::plus);   // level 10, ".add"
//   resolve_operators(inside, "U32", names);                    // .add becomes U32.add
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lang/token.hpp"
#include "lang/tree.hpp"

namespace cleave::lang {

struct operator_info {
  token_kind kind;
  int level;  // section 3.3: the higher, the tighter
  bool right = false;
  std::string_view def;  // what it calls; with a dot in front if a type is to supply the rest
};

inline constexpr int level_arrow = 0;
inline constexpr int level_pair = 1;
inline constexpr int level_or = 2;
inline constexpr int level_compare = 4;
inline constexpr int level_cons = 5;
inline constexpr int level_operand = 12;  // above all operators

// Null if the token is no binary operator.
[[nodiscard]] const operator_info* operator_of(token_kind kind) noexcept;

// The names `T.def`, each kept once.
class operator_names {
 public:
  explicit operator_names(tree_store& nodes) : nodes_(nodes) {}
  std::string_view name(std::string_view type, std::string_view def);

 private:
  tree_store& nodes_;
  std::unordered_map<std::string, std::string_view> kept_;
};

// True if `t` is the call of an operator that no type has given a meaning.
[[nodiscard]] bool is_unresolved(const term* t) noexcept;

// Gives the operators that `inside` consists of the meaning of `type`: down through
// operands, && || ++ and the results of blocks, and no further. Uses no recursion.
void resolve_operators(term* inside, std::string_view type, operator_names& names);

// True if `inside` gives a Bool whichever type its operators have: a comparison, or && or ||
// of values. Uses no recursion.
[[nodiscard]] bool gives_bool(const term* inside) noexcept;

// Of the calls, all of which were unresolved once, those that still are and are not
// operands of others; none of the calls is unresolved afterwards.
[[nodiscard]] std::vector<const call_term*> take_unresolved(const std::vector<call_term*>& calls,
                                                            operator_names& names);

// The name whose name space a type stands for; empty if it has none.
[[nodiscard]] std::string_view head_name(const term* type) noexcept;

}  // namespace cleave::lang
