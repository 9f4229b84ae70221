#include "tree_facts.hpp"

#include <algorithm>
#include <vector>

namespace cleave::lang::test {
namespace {

class walker {
 public:
  explicit walker(const file_tree& file) : file_(file) {}

  tree_facts walk() {
    for (const import_decl& each : file_.imports) place(each.where);
    for (const type_decl* each : file_.types) enter(*each);
    for (const law_decl* each : file_.laws) {
      place(each->where);
      enter(each->parameters);
      add(each->result, 2);
      work();
    }
    for (const def_decl* each : file_.defs) {
      place(each->where);
      enter(each->parameters);
      if (each->result != nullptr) add(each->result, 2);
      if (!each->native) add(each->body, 2);
      if (each->native && each->body != nullptr) fail("a native def has a body");
      work();
    }
    return facts_;
  }

 private:
  struct visit {
    const term* t;
    const pattern* p;
    std::size_t depth;
  };

  void fail(const char* what) {
    if (facts_.broken.empty()) facts_.broken = what;
  }
  // N3
  void place(const span& where) {
    if (where.file != file_.source || where.begin > where.end ||
        where.end > file_.source->text().size()) {
      fail("N3: a span is not in the file");
    }
  }
  // N2
  void add(const term* t, std::size_t depth) {
    if (t == nullptr) return fail("N2: no term");
    left_.push_back({t, nullptr, depth});
  }
  void add(const pattern* p, std::size_t depth) {
    if (p == nullptr) return fail("N2: no pattern");
    left_.push_back({nullptr, p, depth});
  }
  void bind(const binder* one) {
    if (one == nullptr) return fail("N2: no binder");
    place(one->where);
    const auto covered =
        file_.source->text().substr(one->where.begin, one->where.end - one->where.begin);
    if (one->name != covered) fail("a binder is not where its name is");
  }

  void enter(const type_decl& type) {
    place(type.where);
    enter(type.parameters);
    add(type.kind, 2);
    for (std::size_t k = 0; k < type.constructors.size(); ++k) {
      const constructor_decl& one = *type.constructors[k];
      place(one.where);
      if (one.type != &type || one.number != k) fail("a constructor does not know its type");
      for (const field_decl& field : one.fields) {
        place(field.where);
        add(field.type, 3);
      }
    }
    work();
  }
  void enter(const std::vector<parameter>& all) {
    for (const parameter& each : all) {
      bind(each.name);
      if (each.type != nullptr) add(each.type, 2);
    }
  }

  void work() {
    while (!left_.empty()) {
      const visit one = left_.back();
      left_.pop_back();
      ++facts_.nodes;
      facts_.depth = std::max(facts_.depth, one.depth);
      if (one.t != nullptr) {
        place(one.t->where);
        enter(one.t, one.depth + 1);
      } else {
        place(one.p->where);
        enter(one.p, one.depth + 1);
      }
    }
  }

  void enter(const pattern* p, std::size_t depth) {
    if (const auto* name = as<name_pattern>(p)) bind(&name->name);
    if (const auto* successor = as<successor_pattern>(p)) {
      if (successor->amount == 0) fail("a successor of 0");
      add(successor->rest, depth);
    }
    if (const auto* constructor = as<constructor_pattern>(p)) {
      for (const pattern* each : constructor->fields) add(each, depth);
    }
  }

  void enter(const term* t, std::size_t depth) {
    if (const auto* name = as<name_term>(t)) {
      if (name->name.empty() || name->name[0] == '.') fail("a name of an operator without type");
    } else if (const auto* successor = as<successor_term>(t)) {
      if (successor->amount == 0) fail("a successor of 0");
      add(successor->rest, depth);
    } else if (const auto* call = as<call_term>(t)) {
      add(call->callee, depth);
      for (const argument& each : call->arguments) add(each.value, depth);
    } else if (const auto* construct = as<construct_term>(t)) {
      for (const term* each : construct->arguments) add(each, depth);
    } else if (const auto* list = as<list_term>(t)) {
      for (const term* each : list->items) add(each, depth);
    } else if (const auto* annotated = as<annotated_term>(t)) {
      add(annotated->value, depth);
      add(annotated->type, depth);
    } else if (const auto* lambda = as<lambda_term>(t)) {
      bind(lambda->parameter);
      add(lambda->body, depth);
    } else if (const auto* array = as<array_term>(t)) {
      add(array->value, depth);
      add(array->element, depth);
      add(array->count, depth);
    } else if (const auto* applied = as<apply_type_term>(t)) {
      for (const term* each : applied->arguments) add(each, depth);
    } else if (const auto* arrow = as<arrow_term>(t)) {
      if (arrow->parameter != nullptr) bind(arrow->parameter);
      add(arrow->from, depth);
      add(arrow->to, depth);
    } else if (const auto* block = as<block_term>(t)) {
      enter(*block, depth);
    } else if (const auto* match = as<match_term>(t)) {
      enter(*match, depth);
    } else if (const auto* lines = as<do_term>(t)) {
      enter(*lines, depth);
    }
  }

  void enter(const block_term& block, std::size_t depth) {
    if (block.statements.empty()) fail("a block without statements");
    for (const statement& each : block.statements) {
      place(each.where);
      if ((each.bound != nullptr) == !each.names.empty()) fail("a let of no kind or of two");
      if (each.values.size() != std::max<std::size_t>(each.names.size(), 1)) {
        fail("a let with other values than names");
      }
      for (const binder* name : each.names) bind(name);
      if (each.bound != nullptr) add(each.bound, depth);
      if (each.type != nullptr) add(each.type, depth);
      for (const term* value : each.values) add(value, depth);
    }
    add(block.result, depth);
  }

  void enter(const match_term& match, std::size_t depth) {
    for (const term* each : match.subjects) add(each, depth);
    for (const match_row& row : match.rows) {
      place(row.where);
      if (row.patterns.size() != match.subjects.size()) fail("a row of another width");
      for (const pattern* each : row.patterns) add(each, depth);
      add(row.body, depth);
    }
  }

  void enter(const do_term& lines, std::size_t depth) {
    if (lines.arguments.empty()) fail("a do block without a result type");
    for (const term* each : lines.arguments) add(each, depth);
    for (const do_statement& each : lines.statements) {
      place(each.where);
      const bool last = &each == &lines.statements.back();
      if (last != (each.kind == do_kind::give || each.kind == do_kind::last)) {
        fail("a do block that ends elsewhere");
      }
      const bool typed = each.kind == do_kind::bind || each.kind == do_kind::let;
      if (typed != (each.type != nullptr)) fail("a type where there is none, or none");
      if (each.name != nullptr) bind(each.name);
      if (each.type != nullptr) add(each.type, depth);
      add(each.value, depth);
    }
  }

  const file_tree& file_;
  tree_facts facts_;
  std::vector<visit> left_;
};

}  // namespace

tree_facts facts_of(const file_tree& file) {
  return walker(file).walk();
}

}  // namespace cleave::lang::test
