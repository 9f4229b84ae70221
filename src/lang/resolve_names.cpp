// resolve_names.cpp -- the declarations of each file, and which def fills which law.
#include "lang/resolve_names.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "lang/spelling.hpp"

namespace cleave::lang {
namespace {

constexpr std::array<std::string_view, 7> builtin_types = {"U32",    "Nat",   "F32", "Char",
                                                           "String", "Array", "IO"};

std::string quoted(std::string_view name) {
  return "'" + std::string(name) + "'";
}

std::string count_of(std::size_t count, std::string_view what) {
  return std::to_string(count) + " " + std::string(what) + (count == 1 ? "" : "s");
}

}  // namespace

bool is_builtin_type(std::string_view name) noexcept {
  return std::ranges::find(builtin_types, name) != builtin_types.end();
}

name_table::name_table(source_program& all, diagnostics& found)
    : found_(found), base_(*owned_.emplace_back(std::make_unique<space>())) {
  base_.sees_base = true;
  for (const std::unique_ptr<module>& one : all.modules) {
    if (one->base) {
      spaces_[one.get()] = &base_;
    } else {
      spaces_[one.get()] = owned_.emplace_back(std::make_unique<space>()).get();
    }
    space& own = space_of(*one);
    own.incomplete = own.incomplete || one->tree.incomplete;
    for (const import_decl& import : one->tree.imports) {
      own.sees_base = own.sees_base || import.path == "Base";
    }
  }
  for (const std::unique_ptr<module>& one : all.modules) declare_all(*one);
  for (const std::unique_ptr<module>& one : all.modules) {
    declare_aliases(*one);
    for (def_decl* def : one->tree.defs) {
      if (def->result == nullptr) fill_law(*one, *def);
    }
  }
}

// In the order of the text, so that it is the second of two that is reported. Defs that
// fill laws declare nothing.
void name_table::declare_all(module& from) {
  std::vector<std::pair<std::string_view, declared>> all;
  all.reserve(from.tree.types.size() + from.tree.laws.size() + from.tree.defs.size());
  for (type_decl* type : from.tree.types) {
    all.push_back({type->name, {type->where, nullptr, nullptr, type}});
  }
  for (law_decl* law : from.tree.laws) all.push_back({law->name, {law->where, law}});
  for (def_decl* def : from.tree.defs) {
    if (def->result != nullptr) all.push_back({def->name, {def->where, nullptr, def}});
  }
  std::ranges::sort(all, {}, [](const auto& one) { return one.second.where.begin; });
  for (const auto& [name, one] : all) {
    declare(from, name, one);
    if (one.type != nullptr) declare_constructors(from, *one.type);
  }
}

void name_table::declare_aliases(const module& from) {
  space& own = space_of(from);
  std::size_t next = 0;
  for (const import_decl& import : from.tree.imports) {
    if (import.path == "Base" || next == from.aliases.size()) continue;
    const auto& [alias, imported] = from.aliases[next++];
    const bool taken = is_builtin_type(alias) || base_type(alias) != nullptr;
    if (taken || !own.aliases.emplace(alias, imported).second) {
      report_duplicate(alias, import.where, {});
    }
  }
}

void name_table::declare(const module& from, std::string_view name, declared one) {
  space& own = space_of(from);
  const bool builtin = !from.base && is_builtin_type(name);
  const auto [at, fresh] = own.names.emplace(name, one);
  if (!fresh) {
    report_duplicate(name, one.where, at->second.where);
  } else if (const auto in_base = base_.names.find(name);
             !from.base && in_base != base_.names.end()) {
    report_duplicate(name, one.where, in_base->second.where);
  } else if (builtin) {
    report_duplicate(name, one.where, {});
  }
}

void name_table::declare_constructors(const module& from, type_decl& type) {
  space& own = space_of(from);
  for (constructor_decl* made : type.constructors) {
    const auto [at, fresh] = own.constructors.emplace(made->name, made);
    if (!fresh) {
      report_duplicate(made->name, made->where, at->second->where);
    } else if (const auto in_base = base_.constructors.find(made->name);
               !from.base && in_base != base_.constructors.end()) {
      report_duplicate(made->name, made->where, in_base->second->where);
    }
    std::unordered_map<std::string_view, span> fields;
    for (const field_decl& field : made->fields) {
      const auto [first, is_new] = fields.emplace(field.name, field.where);
      if (!is_new && field.name != "_") report_duplicate(field.name, field.where, first->second);
    }
  }
}

void name_table::report_duplicate(std::string_view name, span where, span first) {
  diagnostic wrong;
  wrong.where = where;
  wrong.expected = "a fresh name (duplicate declaration: " + std::string(name) + ")";
  wrong.observed = quoted(name);
  if (first.file != nullptr) wrong.remarks.push_back({first, "the first declaration"});
  found_.report(std::move(wrong));
}

// Links a def without `->` with its law, in this file or, for M.name, in another.
void name_table::fill_law(const module& from, def_decl& def) {
  const place at = look_up(from, def.name);
  declared* const entry = find_entry(at);
  if (entry != nullptr && entry->law != nullptr) {
    check_filling(*entry->law, def);
    if (entry->def == nullptr) entry->def = &def;
  } else if (entry != nullptr && !at.qualified) {
    report_duplicate(def.name, def.where, entry->where);
  } else if (entry != nullptr || !may_be_lost(from, def.name)) {
    diagnostic wrong;
    wrong.where = def.where;
    wrong.def = def.name;
    wrong.expected = "a law " + quoted(def.name) + " (a def without '->' fills one)";
    wrong.observed = "no such law";
    wrong.remarks.push_back(
        {{}, "a def that fills none says what it gives: '-> T' before its ':'"});
    found_.report(std::move(wrong));
  }
}

void name_table::check_filling(law_decl& law, def_decl& def) {
  diagnostic wrong;
  wrong.where = def.where;
  wrong.def = def.name;
  wrong.remarks.push_back({law.where, "the law"});
  if (law.filled_by != nullptr) {
    wrong.expected = "one def for the law " + quoted(law.name);
    wrong.observed = "a second one";
    wrong.remarks.push_back({law.filled_by->where, "the first def"});
    found_.report(std::move(wrong));
    return;
  }
  law.filled_by = &def;
  if (def.parameters.size() != law.parameters.size()) {
    wrong.expected = std::string(law.name) + " with " +
                     count_of(law.parameters.size(), "parameter") + " (one per clause of its law)";
    wrong.observed = count_of(def.parameters.size(), "parameter");
    found_.report(std::move(wrong));
    return;
  }
  def.law = &law;
  for (const parameter& one : def.parameters) {
    if (one.type == nullptr && one.name->how == mark::affine) continue;
    wrong.where = one.name->where;
    wrong.expected = "a bare name (the law has the types and marks)";
    wrong.observed =
        quoted(one.name->name) + (one.type != nullptr ? " with a type" : " with a mark");
    found_.report(std::move(wrong));
    return;
  }
}

// ---- Lookups ---------------------------------------------------------------------

// The space of the module that a qualifier names, else that of the file. It is null if the
// qualifier's file was not read.
name_table::place name_table::look_up(const module& from, std::string_view name) const {
  space& own = space_of(from);
  const std::size_t dot = name.find('.');
  if (dot != std::string_view::npos) {
    if (const auto at = own.aliases.find(name.substr(0, dot)); at != own.aliases.end()) {
      const module* const to = at->second;
      return {to != nullptr ? &space_of(*to) : nullptr, name.substr(dot + 1), true, false};
    }
  }
  return {&own, name, false, own.sees_base};
}

declared* name_table::find_entry(const place& at) const {
  if (at.in == nullptr) return nullptr;
  if (const auto own = at.in->names.find(at.name); own != at.in->names.end()) return &own->second;
  if (!at.or_base) return nullptr;
  const auto entry = base_.names.find(at.name);
  return entry != base_.names.end() ? &entry->second : nullptr;
}

const declared* name_table::find(const module& from, std::string_view name) const {
  return find_entry(look_up(from, name));
}

constructor_decl* name_table::find_constructor(const module& from, std::string_view name) const {
  const place at = look_up(from, name);
  if (at.in == nullptr) return nullptr;
  const auto own = at.in->constructors.find(at.name);
  if (own != at.in->constructors.end()) return own->second;
  if (!at.or_base) return nullptr;
  const auto entry = base_.constructors.find(at.name);
  return entry != base_.constructors.end() ? entry->second : nullptr;
}

const type_decl* name_table::base_type(std::string_view name) const {
  const auto entry = base_.names.find(name);
  return entry != base_.names.end() ? entry->second.type : nullptr;
}

bool name_table::may_be_lost(const module& from, std::string_view name) const {
  const place at = look_up(from, name);
  if (at.in == nullptr || base_.incomplete) return true;
  return at.qualified ? at.in->incomplete : space_of(from).incomplete;
}

std::vector<remark> name_table::help_with(const module& from, std::string_view name,
                                          const std::vector<std::string_view>& locals) const {
  const place at = look_up(from, name);
  if (at.in == nullptr) return {};
  if (!at.qualified && base_.names.contains(name)) {
    return {{{}, "Base has it: write 'import Base' at the top of the file"}};
  }
  if (find_constructor(from, name) != nullptr) {
    return {{{}, "a constructor is written with braces: " + std::string(name) + "{...}"}};
  }
  nearest_name near(at.name);
  for (const auto& [known, one] : at.in->names) near.consider(known, one.where);
  if (!at.qualified) {
    for (const std::string_view known : locals) near.consider(known, {});
  }
  if (at.or_base) {
    for (const auto& [known, one] : base_.names) near.consider(known, one.where);
  }
  std::vector<remark> help = near.as_remark(name.substr(0, name.size() - at.name.size()));
  if (help.empty() && at.or_base) help = families_with(name);
  return help;
}

// `print` may be meant as IO.print.
std::vector<remark> name_table::families_with(std::string_view name) const {
  std::vector<std::string_view> found;
  for (const auto& [known, one] : base_.names) {
    const std::size_t dot = known.find('.');
    if (dot != known.npos && known.substr(dot + 1) == name) found.push_back(known);
  }
  if (found.empty()) return {};
  std::ranges::sort(found);
  std::string text = "Base has";
  for (const std::string_view each : found) text += (each == found[0] ? " " : ", ") + quoted(each);
  return {{{}, std::move(text)}};
}

std::vector<remark> name_table::help_with_constructor(const module& from,
                                                      std::string_view name) const {
  const place at = look_up(from, name);
  if (at.in == nullptr) return {};
  if (!at.qualified && base_.constructors.contains(name)) {
    return {{{}, "Base has it: write 'import Base' at the top of the file"}};
  }
  nearest_name near(at.name);
  for (const auto& [known, one] : at.in->constructors) near.consider(known, one->where);
  if (at.or_base) {
    for (const auto& [known, one] : base_.constructors) near.consider(known, one->where);
  }
  return near.as_remark(name.substr(0, name.size() - at.name.size()));
}

}  // namespace cleave::lang
