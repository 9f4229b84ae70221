// closed_term.cpp -- a walk over all names of a term, with a stack of its own.
#include "lang/closed_term.hpp"

#include <vector>

namespace cleave::lang {
namespace {

// The terms directly within one.
void push_parts(const term& of, std::vector<const term*>& to) {
  const auto push = [&](const term* one) {
    if (one != nullptr) to.push_back(one);
  };
  const auto push_all = [&](const std::vector<term*>& all) {
    to.insert(to.end(), all.begin(), all.end());
  };
  switch (of.kind) {
    case term_kind::name:
    case term_kind::number:
    case term_kind::text:
    case term_kind::sort:
    case term_kind::proof: return;
    case term_kind::successor: return push(as<successor_term>(&of)->rest);
    case term_kind::call: {
      const auto& call = *as<call_term>(&of);
      push(call.callee);
      for (const argument& one : call.arguments) push(one.value);
      return;
    }
    case term_kind::construct: return push_all(as<construct_term>(&of)->arguments);
    case term_kind::list: return push_all(as<list_term>(&of)->items);
    case term_kind::annotated:
      push(as<annotated_term>(&of)->value);
      return push(as<annotated_term>(&of)->type);
    case term_kind::lambda: return push(as<lambda_term>(&of)->body);
    case term_kind::array: {
      const auto& array = *as<array_term>(&of);
      push(array.value);
      push(array.element);
      return push(array.count);
    }
    case term_kind::do_block: {
      const auto& block = *as<do_term>(&of);
      push_all(block.arguments);
      for (const do_statement& one : block.statements) {
        push(one.type);
        push(one.value);
      }
      return;
    }
    case term_kind::block: {
      const auto& block = *as<block_term>(&of);
      for (const statement& one : block.statements) {
        push(one.type);
        push_all(one.values);
      }
      return push(block.result);
    }
    case term_kind::match: {
      const auto& match = *as<match_term>(&of);
      push_all(match.subjects);
      for (const match_row& row : match.rows) push(row.body);
      return;
    }
    case term_kind::apply_type: return push_all(as<apply_type_term>(&of)->arguments);
    case term_kind::arrow: push(as<arrow_term>(&of)->from); return push(as<arrow_term>(&of)->to);
  }
}

}  // namespace

bool is_closed(const term& of, const std::function<bool(const binder*)>& is_local) {
  std::vector<const term*> open{&of};
  while (!open.empty()) {
    const term* const now = open.back();
    open.pop_back();
    const auto* const name = as<name_term>(now);
    if (name != nullptr && name->local != nullptr && is_local(name->local)) return false;
    push_parts(*now, open);
  }
  return true;
}

}  // namespace cleave::lang
