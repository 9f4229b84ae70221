#include "lang/array_writes.hpp"

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

using core::operation_kind;
using core::type_kind;

using types = std::unordered_set<const core::type*>;

// Whether the type contains an array anywhere. `known` were looked at.
bool contains_array(const core::type& of, types& known) {
  switch (of.kind) {
    case type_kind::array:
    case type_kind::function:
    case type_kind::io: return true;
    case type_kind::data: break;
    default: return false;
  }
  if (!known.insert(&of).second) return false;
  for (const core::constructor& one : of.data->constructors) {
    for (const core::type* field : one.fields) {
      if (contains_array(*field, known)) return true;
    }
  }
  return false;
}

bool is_native(const core::operation& what, std::string_view prefix) {
  return what.kind == operation_kind::native &&
         what.native->name.substr(0, prefix.size()) == prefix;
}

// Arrays get a second handle by Array.fork, by a + in an @unsafe def, and in other arrays,
// whose elements are copied when they are read.
bool shares(const core::program& all) {
  for (const core::type& one : all.types) {
    types known;
    if (one.kind == type_kind::array && contains_array(*one.first, known)) return true;
  }
  return std::any_of(all.functions.begin(), all.functions.end(), [](const core::function& one) {
    bool found = one.source != nullptr && one.source->unsafe;
    walk(one.body, place::tail, [&](const core::block& code, place) {
      for (const core::step& step : code.steps) found = found || is_native(step.what, "Array.fork");
    });
    return found;
  });
}

bool may_write(const core::operation& what) {
  if (what.kind == operation_kind::apply || what.kind == operation_kind::run) return true;
  if (what.kind != operation_kind::native) return false;
  return is_native(what, "Array.set") || is_native(what, "Array.swap") ||
         is_native(what, "Array.atomic") || is_native(what, "Array.put") ||
         std::any_of(what.arguments.begin(), what.arguments.end(), [](const core::atom& one) {
           return one.of->kind == type_kind::function || one.of->kind == type_kind::io;
         });
}

// Whether the code writes, calls what `of_callee` says that writes, or goes on elsewhere.
template <class Callee>
bool writes_in(const core::block& first, const Callee& of_callee) {
  bool found = false;
  std::unordered_set<const core::label*> inside;
  walk(first, place::tail, [&](const core::block& code, place) {
    for (const core::step& one : code.steps) {
      if (one.target) inside.insert(one.target.get());
      found = found || may_write(one.what) ||
              (one.what.callee != nullptr && of_callee(*one.what.callee));
    }
    const core::ending& end = code.end;
    found = found || end.kind == core::ending_kind::tail_run ||
            (end.kind == core::ending_kind::tail_call && end.callee == nullptr) ||
            (end.callee != nullptr && of_callee(*end.callee)) ||
            (end.target != nullptr && !inside.contains(end.target));
  });
  return found;
}

}  // namespace

array_writes::array_writes(const core::program& all)
    : shares_(shares(all)), writes_(all.functions.size(), false) {
  for (bool changed = shares_; changed;) {
    changed = false;
    for (const core::function& one : all.functions) {
      if (writes_[one.number] || !in(one.body)) continue;
      writes_[one.number] = true;
      changed = true;
    }
  }
}

bool array_writes::in(const core::block& code) const {
  return shares_ && writes_in(code, [&](const core::function& one) { return writes_[one.number]; });
}

}  // namespace cleave::lang
