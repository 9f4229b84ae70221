#include "lang/uses.hpp"

namespace cleave::lang {

bool reads_argument(const def_decl& native, std::size_t k) {
  for (std::size_t p = 0; p < native.parameters.size(); ++p) {
    if (native.how(p) == mark::erased) continue;
    if (k-- == 0) return native.how(p) == mark::borrowed;
  }
  return false;
}

bool reads_argument(const core::operation& what, std::size_t k) {
  // own() copies what it cannot keep.
  if (what.kind == core::operation_kind::copy) return true;
  if (what.kind == core::operation_kind::look) return k == 0;
  if (what.kind == core::operation_kind::call) return what.callee->parameters[k]->borrowed;
  return what.kind == core::operation_kind::native && reads_argument(*what.native, k);
}

}  // namespace cleave::lang
