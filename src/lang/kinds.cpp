#include "lang/kinds.hpp"

#include <algorithm>
#include <string_view>

namespace cleave::lang {
namespace {

using core::type_kind;

bool begins(const term* kind, std::string_view word) {
  if (kind == nullptr || kind->kind != term_kind::sort) return false;
  const span where = kind->where;
  return where.file != nullptr &&
         where.file->text().substr(where.begin, where.end - where.begin).starts_with(word);
}

bool says_type(const type_decl& of) {
  return begins(of.kind, "Type");
}

}  // namespace

bool is_data(const core::type& of) {
  switch (of.kind) {
    case type_kind::function:
    case type_kind::io:
    case type_kind::array: return false;
    case type_kind::data: break;
    default: return true;
  }
  if (says_data(*of.data->declaration)) return true;
  if (says_type(*of.data->declaration)) return false;
  return std::ranges::all_of(of.data->arguments,
                             [](const core::type* one) { return is_data(*one); });
}

bool says_data(const type_decl& of) {
  return begins(of.kind, "Data");
}

bool says_data(const term* kind) {
  return begins(kind, "Data");
}

bool is_never_data(const term& type) {
  const term* head = &type;
  if (const auto* const call = as<call_term>(head)) head = call->callee;
  if (head->kind == term_kind::arrow) return true;
  const auto* const applied = as<apply_type_term>(head);
  const auto* const name = as<name_term>(head);
  const type_decl* const known = applied != nullptr ? applied->type
                                 : name != nullptr  ? name->type
                                                    : nullptr;
  return known != nullptr && says_type(*known);
}

}  // namespace cleave::lang
