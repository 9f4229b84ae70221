// core_builder.hpp -- core programs written by hand, for tests of the passes behind the
// elaborator.
//
//   builder make;
//   const core::type* u32s = make.array(make.u32());
//   core::function& sum = make.function("sum", {{"a", u32s}}, make.u32());
//   writer body = make.body(sum);
//   auto arms = body.match(body.parameter(0));
//   writer leaf = arms.arm(0, {"x"});
//   leaf.give(leaf.field(0));
//   writer node = arms.arm(1, {"l", "r"});
//   core::atom p = node.call(sum, {node.field(0)});
//   ...
//   make.all                                       // the program
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lang/core.hpp"

namespace cleave::lang {

class writer;

// The arms of a match, while they are written.
class arms_writer;

class builder {
 public:
  core::program all;

  const core::type* u32() { return type(core::type_kind::u32); }
  const core::type* nat() { return type(core::type_kind::nat); }
  const core::type* f32() { return type(core::type_kind::f32); }
  const core::type* character() { return type(core::type_kind::character); }
  const core::type* string() { return type(core::type_kind::string); }
  const core::type* array(const core::type* of) { return type(core::type_kind::array, of); }
  const core::type* io(const core::type* of) { return type(core::type_kind::io, of); }
  const core::type* arrow(const core::type* from, const core::type* to) {
    return type(core::type_kind::function, from, to);
  }

  // A type whose constructors are given later, so that it may contain itself.
  const core::type* data(const std::string& name) {
    if (const auto found = data_.find(name); found != data_.end()) return found->second;
    core::data_type& made = all.data.emplace_back();
    made.name = name;
    made.number = all.data.size() - 1;
    auto& declared = *tree_.make<type_decl>();
    declared.name = tree_.keep(name.substr(0, name.find('<')));
    made.declaration = &declared;
    core::type& as = all.types.emplace_back();
    as.kind = core::type_kind::data;
    as.data = &made;
    return data_[name] = &as;
  }
  void constructor(const core::type* of, const std::string& name,
                   std::vector<const core::type*> fields) {
    core::constructor one;
    one.name = name;
    for (std::size_t k = 0; k < fields.size(); ++k) one.field_names.push_back("f");
    one.fields = std::move(fields);
    const_cast<core::data_type*>(of->data)->constructors.push_back(std::move(one));
  }
  const core::type* boolean() {
    const core::type* made = data("Bool");
    if (made->data->constructors.empty()) {
      constructor(made, "False", {});
      constructor(made, "True", {});
    }
    return made;
  }
  const core::type* unit() {
    const core::type* made = data("Unit");
    if (made->data->constructors.empty()) constructor(made, "Unit", {});
    return made;
  }
  const core::type* pair(const core::type* a, const core::type* b) {
    const core::type* made = data("Sigma<" + name(a) + ", " + name(b) + ">");
    if (made->data->constructors.empty()) {
      const_cast<core::data_type*>(made->data)->arguments = {a, b};
      constructor(made, "Tuple", {a, b});
    }
    return made;
  }
  const core::type* list(const core::type* of) {
    const core::type* made = data("List<" + name(of) + ">");
    if (made->data->constructors.empty()) {
      const_cast<core::data_type*>(made->data)->arguments = {of};
      constructor(made, "Nil", {});
      constructor(made, "Con", {of, made});
    }
    return made;
  }

  core::variable* variable(const core::type* of, const std::string& name = {}) {
    core::variable& made = all.variables.emplace_back();
    made.of = of;
    made.name = name;
    made.number = all.variables.size() - 1;
    return &made;
  }
  core::function& function(const std::string& name,
                           const std::vector<std::pair<std::string, const core::type*>>& parameters,
                           const core::type* result) {
    core::function& made = all.functions.emplace_back();
    made.name = name;
    made.number = all.functions.size() - 1;
    made.result = result;
    for (const auto& [as, of] : parameters) made.parameters.push_back(variable(of, as));
    return made;
  }
  writer body(core::function& of);

  // A native; the parameters whose numbers are in `reads` are marked &.
  const def_decl* native(const std::string& name, std::size_t parameters,
                         const std::vector<std::size_t>& reads = {}) {
    if (const auto found = natives_.find(name); found != natives_.end()) return found->second;
    auto& made = *tree_.make<def_decl>();
    made.name = tree_.keep(name);
    made.native = true;
    for (std::size_t k = 0; k < parameters; ++k) {
      binder as;
      for (const std::size_t one : reads) {
        if (one == k) as.how = mark::borrowed;
      }
      made.parameters.push_back({tree_.make<binder>(as), nullptr});
    }
    return natives_[name] = &made;
  }

  static std::string name(const core::type* of) {
    switch (of->kind) {
      case core::type_kind::u32: return "U32";
      case core::type_kind::nat: return "Nat";
      case core::type_kind::f32: return "F32";
      case core::type_kind::character: return "Char";
      case core::type_kind::string: return "String";
      case core::type_kind::array: return "Array<" + name(of->first) + ">";
      case core::type_kind::io: return "IO(" + name(of->first) + ")";
      case core::type_kind::function: return name(of->first) + " -> " + name(of->second);
      case core::type_kind::data: return of->data->name;
    }
    return {};
  }

 private:
  const core::type* type(core::type_kind kind, const core::type* first = nullptr,
                         const core::type* second = nullptr) {
    for (const core::type& one : all.types) {
      if (one.kind == kind && one.data == nullptr && one.first == first && one.second == second) {
        return &one;
      }
    }
    core::type& made = all.types.emplace_back();
    made.kind = kind;
    made.first = first;
    made.second = second;
    return &made;
  }

  std::map<std::string, const core::type*> data_;
  std::map<std::string, const def_decl*> natives_;
  tree_store tree_;
};

// Writes one block.
class writer {
 public:
  writer(builder& make, core::block& code, std::vector<core::atom> bound = {})
      : make_(&make), code_(&code), bound_(std::move(bound)) {}

  // The k-th parameter of the function, field of the arm, ...
  [[nodiscard]] core::atom parameter(std::size_t k) const { return bound_.at(k); }
  [[nodiscard]] core::atom field(std::size_t k) const { return bound_.at(k); }

  static core::atom of(core::variable* one) { return {one, one->of, 0}; }
  core::atom number(std::uint64_t n) { return {nullptr, make_->u32(), n}; }
  core::atom nat(std::uint64_t n) { return {nullptr, make_->nat(), n}; }

  core::atom let(core::operation what, const core::type* type, const std::string& name = "t") {
    core::step one;
    one.name = make_->variable(type, name);
    one.what = std::move(what);
    code_->steps.push_back(std::move(one));
    return of(code_->steps.back().name);
  }
  core::atom call(const core::function& callee, std::vector<core::atom> arguments) {
    core::operation what;
    what.kind = core::operation_kind::call;
    what.callee = &callee;
    what.arguments = std::move(arguments);
    return let(std::move(what), callee.result);
  }
  core::atom native(const def_decl* callee, std::vector<core::atom> arguments,
                    const core::type* result, std::vector<const core::type*> types = {}) {
    core::operation what;
    what.kind = core::operation_kind::native;
    what.native = callee;
    what.types = std::move(types);
    what.arguments = std::move(arguments);
    return let(std::move(what), result);
  }
  core::atom add(core::atom a, core::atom b) {
    return native(make_->native("U32.add", 2), {a, b}, make_->u32());
  }
  core::atom construct(const core::type* type, std::size_t constructor,
                       std::vector<core::atom> arguments) {
    core::operation what;
    what.kind = core::operation_kind::construct;
    what.constructor = constructor;
    what.arguments = std::move(arguments);
    return let(std::move(what), type);
  }
  core::atom leaf(core::atom x) {
    core::operation what;
    what.kind = core::operation_kind::leaf;
    what.arguments = {x};
    return let(std::move(what), make_->array(x.of));
  }
  core::atom node(core::atom l, core::atom r) {
    core::operation what;
    what.kind = core::operation_kind::node;
    what.arguments = {l, r};
    return let(std::move(what), l.of);
  }
  core::atom text(const std::string& bytes) {
    core::operation what;
    what.kind = core::operation_kind::text;
    what.text = bytes;
    return let(std::move(what), make_->string());
  }
  core::atom apply(core::atom f, core::atom x) {
    core::operation what;
    what.kind = core::operation_kind::apply;
    what.arguments = {f, x};
    return let(std::move(what), f.of->second);
  }
  core::atom run(core::atom action) {
    core::operation what;
    what.kind = core::operation_kind::run;
    what.arguments = {action};
    return let(std::move(what), action.of->first);
  }
  // A function x => ...; its body is written with fill(writer), whose bound values are
  // the captures and then the parameter.
  template <class Fill>
  core::atom lambda(const core::type* type, const std::vector<core::atom>& captures, Fill fill) {
    core::operation what;
    what.kind = core::operation_kind::make_closure;
    what.made = std::make_unique<core::closure>();
    core::closure& made = *what.made;
    std::vector<core::atom> bound;
    for (const core::atom& one : captures) {
      made.captures.push_back(one.name);
      made.inside.push_back(make_->variable(one.of, "inside"));
      bound.push_back(of(made.inside.back()));
    }
    made.action = type->kind == core::type_kind::io;
    if (!made.action) {
      made.parameter = make_->variable(type->first, "x");
      bound.push_back(of(made.parameter));
    }
    fill(writer(*make_, made.body, bound));
    return let(std::move(what), type);
  }
  template <class Fill>
  core::atom nested(const core::type* type, Fill fill) {
    core::operation what;
    what.kind = core::operation_kind::nested;
    what.inner = std::make_unique<core::block>();
    fill(writer(*make_, *what.inner, bound_));
    return let(std::move(what), type);
  }
  // Values of a parallel let, each written with its function.
  template <class... Fill>
  std::vector<core::atom> parallel(const core::type* type, Fill... fill) {
    core::step one;
    one.kind = core::step_kind::parallel;
    std::vector<core::atom> made;
    const auto add = [&](auto& write) {
      core::branch_value value;
      value.name = make_->variable(type, "p");
      value.value = std::make_unique<core::block>();
      write(writer(*make_, *value.value, bound_));
      made.push_back(of(value.name));
      one.values.push_back(std::move(value));
    };
    (add(fill), ...);
    code_->steps.push_back(std::move(one));
    return made;
  }
  // A label; the writer's bound values are its parameters.
  writer define(const std::vector<const core::type*>& parameters, const core::label*& made) {
    core::step one;
    one.kind = core::step_kind::define;
    one.target = std::make_unique<core::label>();
    one.target->number = make_->all.labels++;
    one.target->body = std::make_unique<core::block>();
    std::vector<core::atom> bound;
    for (const core::type* type : parameters) {
      one.target->parameters.push_back(make_->variable(type, "j"));
      bound.push_back(of(one.target->parameters.back()));
    }
    made = one.target.get();
    code_->steps.push_back(std::move(one));
    return {*make_, *code_->steps.back().target->body, bound};
  }

  void give(core::atom value) {
    code_->end.kind = core::ending_kind::give;
    code_->end.value = value;
  }
  void tail_call(const core::function& callee, std::vector<core::atom> arguments) {
    code_->end.kind = core::ending_kind::tail_call;
    code_->end.callee = &callee;
    code_->end.arguments = std::move(arguments);
  }
  void tail_run(core::atom action) {
    code_->end.kind = core::ending_kind::tail_run;
    code_->end.value = action;
  }
  void jump(const core::label* target, std::vector<core::atom> arguments) {
    code_->end.kind = core::ending_kind::jump;
    code_->end.target = target;
    code_->end.arguments = std::move(arguments);
  }
  void stop(const std::string& message) {
    code_->end.kind = core::ending_kind::stop;
    code_->end.message = message;
  }
  inline arms_writer match(core::atom subject,
                           core::test_kind test = core::test_kind::constructors);

 private:
  friend class arms_writer;
  builder* make_;
  core::block* code_;
  std::vector<core::atom> bound_;
};

class arms_writer {
 public:
  arms_writer(builder& make, core::branching& cases) : make_(&make), cases_(&cases) {}

  // The arm of a constructor; a field without a name is not bound.
  writer arm(std::size_t constructor, const std::vector<std::string>& names = {}) {
    core::arm& one = cases_->arms.emplace_back();
    one.constructor = constructor;
    one.body = std::make_unique<core::block>();
    std::vector<core::atom> bound;
    for (std::size_t k = 0; k < names.size(); ++k) {
      one.fields.push_back(names[k].empty() ? nullptr
                                            : make_->variable(field(constructor, k), names[k]));
      bound.push_back(names[k].empty() ? core::atom{} : writer::of(one.fields.back()));
    }
    return {*make_, *one.body, bound};
  }
  // The arm of a number, or of at least so much with the rest as its field.
  writer value(std::uint64_t number, bool rest = false) {
    core::arm& one = cases_->arms.emplace_back();
    one.value = number;
    one.body = std::make_unique<core::block>();
    std::vector<core::atom> bound;
    if (rest) {
      one.fields.push_back(make_->variable(make_->nat(), "p"));
      bound.push_back(writer::of(one.fields.back()));
    }
    return {*make_, *one.body, bound};
  }
  writer text(const std::string& bytes) {
    core::arm& one = cases_->arms.emplace_back();
    one.text = bytes;
    one.body = std::make_unique<core::block>();
    return {*make_, *one.body};
  }
  writer otherwise() {
    cases_->otherwise = std::make_unique<core::block>();
    return {*make_, *cases_->otherwise};
  }

 private:
  const core::type* field(std::size_t constructor, std::size_t k) {
    const core::type* of = cases_->subject.of;
    if (of->kind == core::type_kind::array) return constructor == 0 ? of->first : of;
    if (of->kind == core::type_kind::string) return k == 0 ? make_->character() : of;
    return of->data->constructors[constructor].fields[k];
  }
  builder* make_;
  core::branching* cases_;
};

inline arms_writer writer::match(core::atom subject, core::test_kind test) {
  code_->end.kind = core::ending_kind::branch;
  code_->end.cases = std::make_unique<core::branching>();
  code_->end.cases->test = test;
  code_->end.cases->subject = subject;
  return {*make_, *code_->end.cases};
}

inline writer builder::body(core::function& of) {
  std::vector<core::atom> bound;
  for (core::variable* one : of.parameters) bound.push_back(writer::of(one));
  return {*this, of.body, bound};
}

}  // namespace cleave::lang
