// resolve_patterns.cpp -- names and constructors in patterns.
#include "lang/resolve_bodies.hpp"

namespace cleave::lang {

bool body_resolver::resolve_pattern(pattern* one, std::size_t mark) {
  switch (one->kind) {
    case pattern_kind::name: {
      const name_pattern& name = *as<name_pattern>(one);
      if (!is_fresh_name(name)) return false;
      bind_beside(mark, name.name);
      return true;
    }
    case pattern_kind::constructor:
      return resolve_constructor_pattern(*as<constructor_pattern>(one), mark);
    case pattern_kind::successor: return resolve_pattern(as<successor_pattern>(one)->rest, mark);
    case pattern_kind::nat:
    case pattern_kind::literal:
    case pattern_kind::text: return true;
  }
  return true;
}

// `case None:` would bind a variable, and match everything.
bool body_resolver::is_fresh_name(const name_pattern& one) {
  const constructor_decl* const target = names_.find_constructor(*from_, one.name.name);
  if (target == nullptr) return true;
  std::string example = std::string(one.name.name) + "{";
  for (const field_decl& field : target->fields) {
    if (&field != target->fields.data()) example += ", ";
    example += field.name;
  }
  report(one.where, "a braced constructor pattern (" + example + "})",
         "'" + std::string(one.name.name) + "'");
  return false;
}

bool body_resolver::resolve_constructor_pattern(constructor_pattern& one, std::size_t mark) {
  bool sound = true;
  one.target = names_.find_constructor(*from_, one.name);
  if (one.target == nullptr) {
    report_unknown_constructor(one.name, one.where);
    sound = false;
  } else if (one.target->fields.size() != one.fields.size()) {
    report_arity(*one.target, one.fields.size(), one.where);
    sound = false;
  }
  for (pattern* field : one.fields) sound = resolve_pattern(field, mark) && sound;
  return sound;
}

}  // namespace cleave::lang
