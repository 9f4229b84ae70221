// marks.cpp -- marks of arguments, read from declarations.
#include "lang/marks.hpp"

namespace cleave::lang {

const def_decl* called_def(const call_term& call) noexcept {
  const auto* const name = as<name_term>(call.callee);
  return name != nullptr ? name->def : nullptr;
}

bool calls_a_type(const call_term& call) noexcept {
  const auto* const name = as<name_term>(call.callee);
  return name != nullptr && name->local == nullptr && name->def == nullptr &&
         (name->type != nullptr || name->name == "IO");
}

mark argument_marks::next() noexcept {
  if (def_ == nullptr) return mark::affine;
  if (next_ < def_->parameters.size()) return def_->how(next_++);
  if (rest_ == nullptr) rest_ = def_->result_type();
  const auto* const arrow = rest_ != nullptr ? as<arrow_term>(rest_) : nullptr;
  if (arrow == nullptr) return mark::affine;
  rest_ = arrow->to;
  return arrow->parameter != nullptr ? arrow->parameter->how : mark::affine;
}

const term& final_result(const term& type) noexcept {
  const term* result = &type;
  while (const auto* const arrow = as<arrow_term>(result)) result = arrow->to;
  return *result;
}

bool makes_a_type(const def_decl& def) noexcept {
  const term* const result = def.result_type();
  return result != nullptr && final_result(*result).kind == term_kind::sort;
}

}  // namespace cleave::lang
