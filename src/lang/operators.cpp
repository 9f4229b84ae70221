#include "lang/operators.hpp"

#include <algorithm>
#include <array>

namespace cleave::lang {
namespace {

constexpr std::array operators = {
    operator_info{token_kind::arrow, level_arrow, true, {}},
    operator_info{token_kind::amp, level_pair, true, {}},
    operator_info{token_kind::bar, level_pair, true, {}},
    operator_info{token_kind::or_or, level_or, false, "Bool.or"},
    operator_info{token_kind::and_and, 3, false, "Bool.and"},
    operator_info{token_kind::less, level_compare, false, ".is_lt"},
    operator_info{token_kind::less_equal, level_compare, false, ".is_le"},
    operator_info{token_kind::greater, level_compare, false, ".is_gt"},
    operator_info{token_kind::greater_equal, level_compare, false, ".is_ge"},
    operator_info{token_kind::cons, level_cons, true, {}},
    operator_info{token_kind::append, level_cons, true, "String.append"},
    operator_info{token_kind::quantity_min, level_cons, true, {}},
    operator_info{token_kind::bit_or, 6, false, ".or"},
    operator_info{token_kind::bit_xor, 7, false, ".xor"},
    operator_info{token_kind::bit_and, 8, false, ".and"},
    operator_info{token_kind::shift_left, 9, false, ".shln"},
    operator_info{token_kind::shift_right, 9, false, ".shrn"},
    operator_info{token_kind::plus, 10, false, ".add"},
    operator_info{token_kind::minus, 10, false, ".sub"},
    operator_info{token_kind::star, 11, false, ".mul"},
    operator_info{token_kind::slash, 11, false, ".div"},
    operator_info{token_kind::percent, 11, false, ".mod"},
};

// Operators of one name for all types, through which a type reaches their operands.
bool is_transparent(std::string_view def) noexcept {
  return def == "Bool.and" || def == "Bool.or" || def == "String.append";
}

}  // namespace

const operator_info* operator_of(token_kind kind) noexcept {
  const auto found = std::find_if(operators.begin(), operators.end(),
                                  [kind](const operator_info& each) { return each.kind == kind; });
  return found == operators.end() ? nullptr : &*found;
}

std::string_view operator_names::name(std::string_view type, std::string_view def) {
  std::string whole(type);
  whole += def;
  auto found = kept_.find(whole);
  if (found == kept_.end()) found = kept_.emplace(whole, nodes_.keep(whole)).first;
  return found->second;
}

bool is_unresolved(const term* t) noexcept {
  const auto* call = as<call_term>(t);
  if (call == nullptr) return false;
  const auto* callee = as<name_term>(call->callee);
  return callee != nullptr && callee->name.starts_with('.');
}

void resolve_operators(term* inside, std::string_view type, operator_names& names) {
  std::vector<term*> left = {inside};
  while (!left.empty()) {
    term* const t = left.back();
    left.pop_back();
    if (const auto* block = as<block_term>(t)) {
      left.push_back(block->result);
      continue;
    }
    const auto* call = as<call_term>(t);
    auto* const callee = call == nullptr ? nullptr : as<name_term>(call->callee);
    if (callee == nullptr) continue;
    if (callee->name.starts_with('.')) {
      callee->name = names.name(type, callee->name);
    } else if (!is_transparent(callee->name)) {
      continue;
    }
    for (const argument& each : call->arguments) left.push_back(each.value);
  }
}

bool gives_bool(const term* inside) noexcept {
  while (const auto* block = as<block_term>(inside)) inside = block->result;
  const auto* call = as<call_term>(inside);
  const auto* callee = call == nullptr ? nullptr : as<name_term>(call->callee);
  if (callee == nullptr) return false;
  return callee->name == "Bool.and" || callee->name == "Bool.or" ||
         std::any_of(operators.begin(), operators.end(), [callee](const operator_info& each) {
           return each.level == level_compare && callee->name.ends_with(each.def);
         });
}

std::vector<const call_term*> take_unresolved(const std::vector<call_term*>& calls,
                                              operator_names& names) {
  std::vector<const call_term*> outermost;
  // An operand is made before the operator that it belongs to.
  for (auto each = calls.rbegin(); each != calls.rend(); ++each) {
    if (!is_unresolved(*each)) continue;
    outermost.push_back(*each);
    resolve_operators(*each, "?", names);
  }
  std::reverse(outermost.begin(), outermost.end());
  return outermost;
}

std::string_view head_name(const term* type) noexcept {
  if (const auto* call = as<call_term>(type)) type = call->callee;
  if (const auto* applied = as<apply_type_term>(type)) return applied->name;
  if (const auto* name = as<name_term>(type)) return name->name;
  return {};
}

}  // namespace cleave::lang
