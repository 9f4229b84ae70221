// resolve.cpp -- all names of a program: first declarations and the laws that defs fill,
// then proofs, which are dropped, then types, laws and bodies in the order of the text.
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "lang/front_end.hpp"
#include "lang/resolve_bodies.hpp"
#include "lang/resolve_live.hpp"
#include "lang/resolve_names.hpp"

namespace cleave::lang {
namespace {

// How many proofs a note names.
constexpr std::size_t most_named = 5;

// Notes the laws and defs that state equalities, which are skipped.
void note_proofs(const module& from, diagnostics& found) {
  std::vector<std::string_view> dropped;
  for (const law_decl* law : from.tree.laws) {
    if (law->proof) dropped.push_back(law->name);
  }
  for (const def_decl* def : from.tree.defs) {
    if (def->proof) dropped.push_back(def->name);
  }
  if (dropped.empty()) return;
  std::string text = from.source->name() + ": skipped ";
  text += dropped.size() == 1 ? "the proof " : std::to_string(dropped.size()) + " proofs: ";
  for (std::size_t k = 0; k < dropped.size() && k < most_named; ++k) {
    if (k > 0) text += ", ";
    text += dropped[k];
  }
  if (dropped.size() > most_named) text += ", ...";
  found.note(std::move(text));
}

// One of the three.
struct item {
  std::size_t begin = 0;
  type_decl* type = nullptr;
  law_decl* law = nullptr;
  def_decl* def = nullptr;
};

// In the order of the text, in which errors are reported.
std::vector<item> items_of(const file_tree& tree) {
  std::vector<item> all;
  all.reserve(tree.types.size() + tree.laws.size() + tree.defs.size());
  for (type_decl* type : tree.types) all.push_back({type->where.begin, type});
  for (law_decl* law : tree.laws) all.push_back({law->where.begin, nullptr, law});
  for (def_decl* def : tree.defs) all.push_back({def->where.begin, nullptr, nullptr, def});
  std::ranges::sort(all, {}, &item::begin);
  return all;
}

void check_main(const def_decl& main, diagnostics& found) {
  diagnostic wrong;
  wrong.where = main.where;
  wrong.def = main.name;
  if (main.proof) {
    wrong.message = "proof terms are not supported: main";
    found.report(std::move(wrong));
  } else if (!main.parameters.empty()) {
    wrong.expected = "main without parameters";
    wrong.observed = std::to_string(main.parameters.size());
    found.report(std::move(wrong));
  }
}

}  // namespace

void resolve(source_program& all, tree_store& nodes, diagnostics& found) {
  const name_table names(all, found);
  for (const std::unique_ptr<module>& one : all.modules) note_proofs(*one, found);
  // A def may fill a law of another file.
  for (const std::unique_ptr<module>& one : all.modules) {
    for (def_decl* def : one->tree.defs) {
      if (def->law != nullptr && def->law->proof) def->proof = true;
    }
  }
  live_code live;
  body_resolver bodies(names, nodes, live, found);
  for (const std::unique_ptr<module>& one : all.modules) {
    for (const item& each : items_of(one->tree)) {
      if (each.type != nullptr) bodies.resolve_type(*one, *each.type);
      if (each.law != nullptr && !each.law->proof) bodies.resolve_law(*one, *each.law);
      if (each.def != nullptr && !each.def->proof) bodies.resolve_def(*one, *each.def);
    }
  }
  if (all.main != nullptr) check_main(*all.main, found);
  live.report(all, found);
}

}  // namespace cleave::lang
