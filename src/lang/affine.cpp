// affine.cpp -- no path through a def uses a variable twice that was bound without +.
//
// Two uses are on one path unless they stand in different rows of one match. Rows and
// matches are nodes of a tree, which is walked in order of evaluation, so it is enough to
// ask of each use and of the one before it where their branches of the tree meet: in a
// match, or in a row. For that a node that the walk has left is merged with the one around
// it, and what the earlier use is merged with by now is the answer (sets with path
// compression: almost O(1)).
//
//   check_affine(all, found);      // "xs (consumed more than once)"
//
// A template argument (~) may be evaluated any number of times, so it has no variables
// from around it that may be used only once. A parameter that is marked + is of a type that
// may be copied; what has its type only when the program is elaborated is asked there.
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lang/front_end.hpp"
#include "lang/kinds.hpp"
#include "lang/marks.hpp"

namespace cleave::lang {
namespace {

// The rows and matches of a def, and the def itself as the outermost row.
class branch_tree {
 public:
  using node = std::size_t;

  node open(bool is_match) {
    const node made = merged_.size();
    merged_.push_back(made);
    is_match_.push_back(is_match);
    return made;
  }
  void close(node inner, node outer) { merged_[inner] = outer; }
  // Requires: a use in `earlier` came before this moment of the walk.
  [[nodiscard]] bool on_one_path_with(node earlier) {
    node open = earlier;
    while (merged_[open] != open) open = merged_[open];
    while (merged_[earlier] != open) earlier = std::exchange(merged_[earlier], open);
    return !is_match_[open];
  }

 private:
  std::vector<node> merged_;  // itself while it is open
  std::vector<bool> is_match_;
};

class affine_checker {
 public:
  explicit affine_checker(diagnostics& found) : found_(found) {}

  void check(const def_decl& def);

 private:
  using node = branch_tree::node;
  static constexpr node nowhere = std::numeric_limits<node>::max();

  // A variable that may be used once on each path.
  struct variable {
    span bound;
    std::size_t templates = 0;  // template arguments around its binder
    node last = nowhere;        // where its last use stood
    span last_use;
    bool reported = false;
  };

  void bind(const binder& one, mark how, span bound);
  void bind(const pattern& one, bool free);
  [[nodiscard]] bool is_free(const term* one) const;

  void walk(const term* one);
  void walk_call(const call_term& one);
  void walk_construct(const construct_term& one);
  void walk_do(const do_term& one);
  void walk_block(const block_term& one);
  void walk_match(const match_term& one);
  void use(const name_term& one);
  void report(const name_term& one, const variable& used);
  void report_template(const name_term& one, const variable& used);
  void report_kind(const binder& one, const term& type);

  diagnostics& found_;
  // Those without a mark. Binders are looked up by address and never reused.
  std::unordered_map<const binder*, variable> variables_;
  branch_tree branches_;
  node row_ = nowhere;  // the innermost
  std::size_t templates_ = 0;
  std::string_view def_;
};

void affine_checker::check(const def_decl& def) {
  if (def.proof || def.body == nullptr || makes_a_type(def)) return;
  def_ = def.name;
  row_ = branches_.open(false);
  for (std::size_t k = 0; k < def.parameters.size(); ++k) {
    const binder& name = *def.parameters[k].name;
    const binder& marked = def.law != nullptr ? *def.law->parameters[k].name : name;
    const term* const type = def.type_of(k);
    if (marked.how == mark::reusable && !def.unsafe && type != nullptr && is_never_data(*type)) {
      report_kind(marked, *type);
    }
    bind(name, def.how(k), def.law != nullptr ? def.law->parameters[k].name->where : name.where);
  }
  walk(def.body);
}

void affine_checker::bind(const binder& one, mark how, span bound) {
  if (how != mark::affine || one.ignored()) return;
  variable& made = variables_[&one];
  made.bound = bound;
  made.templates = templates_;
}

// `free`: the value may be used as often as one likes, and so may its parts.
void affine_checker::bind(const pattern& one, bool free) {
  if (const auto* const name = as<name_pattern>(&one)) {
    if (!free) bind(name->name, name->name.how, name->name.where);
  } else if (const auto* const successor = as<successor_pattern>(&one)) {
    bind(*successor->rest, free);
  } else if (const auto* const made = as<constructor_pattern>(&one)) {
    for (std::size_t k = 0; k < made->fields.size(); ++k) {
      const bool known = made->target != nullptr && k < made->target->fields.size();
      const bool marked = known && made->target->fields[k].how != mark::affine;
      bind(*made->fields[k], free || marked);
    }
  }
}

bool affine_checker::is_free(const term* one) const {
  while (const auto* const annotated = as<annotated_term>(one)) one = annotated->value;
  const auto* const name = as<name_term>(one);
  return name != nullptr && name->local != nullptr && !variables_.contains(name->local);
}

// Types are not looked at: uses in them count nothing.
void affine_checker::walk(const term* one) {
  switch (one->kind) {
    case term_kind::name: return use(*as<name_term>(one));
    case term_kind::successor: return walk(as<successor_term>(one)->rest);
    case term_kind::call: return walk_call(*as<call_term>(one));
    case term_kind::construct: return walk_construct(*as<construct_term>(one));
    case term_kind::list:
      for (const term* item : as<list_term>(one)->items) walk(item);
      return;
    case term_kind::annotated: return walk(as<annotated_term>(one)->value);
    case term_kind::lambda: {
      const binder& parameter = *as<lambda_term>(one)->parameter;
      bind(parameter, parameter.how, parameter.where);
      return walk(as<lambda_term>(one)->body);
    }
    case term_kind::array:
      walk(as<array_term>(one)->value);
      return walk(as<array_term>(one)->count);
    case term_kind::do_block: return walk_do(*as<do_term>(one));
    case term_kind::block: return walk_block(*as<block_term>(one));
    case term_kind::match: return walk_match(*as<match_term>(one));
    case term_kind::number:
    case term_kind::text:
    case term_kind::apply_type:
    case term_kind::arrow:
    case term_kind::sort:
    case term_kind::proof: return;
  }
}

void affine_checker::walk_call(const call_term& one) {
  if (calls_a_type(one)) return;
  walk(one.callee);
  argument_marks marks(called_def(one));
  for (const argument& each : one.arguments) {
    const mark how = marks.next();
    if (how == mark::erased) continue;
    const std::size_t inner = how == mark::templated ? 1 : 0;
    templates_ += inner;
    walk(each.value);
    templates_ -= inner;
  }
}

void affine_checker::walk_construct(const construct_term& one) {
  for (std::size_t k = 0; k < one.arguments.size(); ++k) {
    const bool known = one.target != nullptr && k < one.target->fields.size();
    if (!known || one.target->fields[k].how != mark::erased) walk(one.arguments[k]);
  }
}

// What follows `x : T <- m` is a function that runs once.
void affine_checker::walk_do(const do_term& one) {
  for (const do_statement& each : one.statements) {
    const bool erased = each.kind == do_kind::let && each.name->how == mark::erased;
    if (!erased) walk(each.value);
    if (each.name != nullptr) bind(*each.name, each.name->how, each.name->where);
  }
}

void affine_checker::walk_block(const block_term& one) {
  for (const statement& each : one.statements) {
    const bool erased = each.names.size() == 1 && each.names[0]->how == mark::erased;
    if (!erased) {
      for (const term* value : each.values) walk(value);
    }
    for (const binder* name : each.names) bind(*name, name->how, name->where);
    if (each.bound != nullptr) bind(*each.bound, is_free(each.values[0]));
  }
  walk(one.result);
}

void affine_checker::walk_match(const match_term& one) {
  for (const term* subject : one.subjects) walk(subject);
  const node around = row_;
  const node whole = branches_.open(true);
  for (const match_row& each : one.rows) {
    row_ = branches_.open(false);
    for (std::size_t k = 0; k < each.patterns.size(); ++k) {
      bind(*each.patterns[k], k < one.subjects.size() && is_free(one.subjects[k]));
    }
    walk(each.body);
    branches_.close(row_, whole);
  }
  branches_.close(whole, around);
  row_ = around;
}

void affine_checker::use(const name_term& one) {
  if (one.local == nullptr) return;
  const auto at = variables_.find(one.local);
  if (at == variables_.end()) return;
  variable& used = at->second;
  if (!used.reported && used.templates < templates_) {
    used.reported = true;
    report_template(one, used);
  }
  if (!used.reported && used.last != nowhere && branches_.on_one_path_with(used.last)) {
    used.reported = true;
    report(one, used);
  }
  used.last = row_;
  used.last_use = one.where;
}

void affine_checker::report(const name_term& one, const variable& used) {
  diagnostic wrong;
  wrong.where = one.where;
  wrong.def = def_;
  wrong.message = std::string(one.name) + " (consumed more than once)";
  wrong.remarks.push_back({used.last_use, "it was consumed here before"});
  wrong.remarks.push_back({used.bound, "bound without +"});
  found_.report(std::move(wrong));
}

void affine_checker::report_template(const name_term& one, const variable& used) {
  diagnostic wrong;
  wrong.where = one.where;
  wrong.def = def_;
  wrong.expected = "a template argument without variables that may be used only once";
  wrong.observed = "'" + std::string(one.name) + "'";
  wrong.remarks.push_back({used.bound, "bound without +"});
  found_.report(std::move(wrong));
}

void affine_checker::report_kind(const binder& one, const term& type) {
  diagnostic wrong;
  wrong.where = one.where;
  wrong.def = def_;
  wrong.expected = "Data (what is marked + may be copied)";
  wrong.observed =
      type.kind == term_kind::arrow ? "Type (a function has one owner)" : "Type (it has one owner)";
  if (type.kind == term_kind::arrow) {
    wrong.remarks.push_back(
        {{}, "a template may be used more than once: ~" + std::string(one.name)});
  }
  found_.report(std::move(wrong));
}

}  // namespace

void check_affine(const source_program& all, diagnostics& found) {
  affine_checker checker(found);
  for (const std::unique_ptr<module>& one : all.modules) {
    if (one->base) continue;
    for (const def_decl* def : one->tree.defs) checker.check(*def);
  }
}

}  // namespace cleave::lang
