// random_core.hpp -- core programs that type-check and end, made from a seed.
//
//   builder make;
//   random_core(make, seed).write();        // make.all.main
//
// Functions call those before them, and themselves while their first parameter, a Nat,
// counts down. Values of every type are matched, built, captured, handed to labels, to
// natives that read or consume, and to several threads.
#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <vector>

#include "lang/core_builder.hpp"

namespace cleave::lang {

class random_core {
 public:
  random_core(builder& make, std::uint64_t seed) : make_(make), random_(seed) { types(); }

  void write() {
    const std::size_t count = 2 + below(4);
    for (std::size_t k = 0; k < count; ++k) function(k);
    core::function& main = make_.function("main", {}, random_type());
    writer body = make_.body(main);
    fuel_ = body.nat(3);
    own_ = nullptr;
    values known;
    for (const core::function* callee : functions_) {
      known.push_back(body.call(*callee, arguments(body, known, *callee, true)));
    }
    room_ = 10;
    block(body, known, main.result, 3);
    make_.all.main = &main;
  }

 private:
  using values = std::vector<core::atom>;
  struct target {
    const core::label* to;
    std::vector<const core::type*> parameters;
    const core::type* result;
  };

  std::size_t below(std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_);
  }
  bool one_in(std::size_t n) { return below(n) == 0; }

  void types() {
    const core::type* u32 = make_.u32();
    const core::type* list = make_.list(u32);
    const core::type* lists = make_.list(list);
    const core::type* tree = make_.data("Tree");
    make_.constructor(tree, "Tip", {});
    make_.constructor(tree, "Bud", {u32, list});
    make_.constructor(tree, "Fork", {tree, u32, tree});
    const core::type* choice = make_.data("Choice");
    make_.constructor(choice, "No", {});
    make_.constructor(choice, "One", {list});
    make_.constructor(choice, "Num", {u32});
    const core::type* record = make_.data("Record");
    make_.constructor(record, "Record", {list, u32, tree});
    types_ = {u32,
              list,
              lists,
              tree,
              choice,
              record,
              make_.pair(list, u32),
              make_.pair(tree, make_.pair(u32, list)),
              make_.array(u32),
              make_.array(list),
              make_.pair(make_.array(u32), u32),
              make_.string(),
              make_.boolean(),
              make_.arrow(u32, list),
              make_.arrow(list, list)};
  }
  // The types of functions are the last ones, and rare.
  const core::type* random_type() { return types_[below(types_.size() - (one_in(4) ? 0 : 2))]; }

  void function(std::size_t number) {
    std::vector<std::pair<std::string, const core::type*>> parameters{{"fuel", make_.nat()}};
    const std::size_t count = 1 + below(3);
    room_ = 12;
    for (std::size_t k = 0; k < count; ++k) parameters.emplace_back("p", random_type());
    core::function& made = make_.function("f" + std::to_string(number), parameters, random_type());
    writer body = make_.body(made);
    values known;
    for (std::size_t k = 1; k <= count; ++k) known.push_back(body.parameter(k));
    arms_writer arms = body.match(body.parameter(0), core::test_kind::at_least);
    writer more = arms.value(1, true);
    fuel_ = more.field(0);
    own_ = &made;
    calls_left_ = 2;
    block(more, known, made.result, 3);
    own_ = nullptr;
    writer end = arms.otherwise();
    fuel_ = end.nat(0);
    block(end, known, made.result, 2);
    functions_.push_back(&made);
  }

  // Some value of the type: known, or built.
  core::atom value(writer& to, const values& known, const core::type* type, std::size_t depth = 3) {
    values fitting;
    for (const core::atom& one : known) {
      if (one.of == type) fitting.push_back(one);
    }
    if (!fitting.empty() && !one_in(4)) return fitting[below(fitting.size())];
    switch (type->kind) {
      case core::type_kind::u32: return to.number(below(100));
      case core::type_kind::string: {
        const core::atom text = to.text(one_in(2) ? "ab" : "");
        return one_in(2) ? text : to.construct(type, 1, {{nullptr, make_.character(), 'x'}, text});
      }
      case core::type_kind::array: {
        // Halves are of one size, or the program would stop too often.
        const std::size_t less = depth == 0 ? 0 : depth - 1;
        const core::atom leaf = to.leaf(value(to, known, type->first, less));
        return one_in(2) ? leaf : to.node(leaf, to.leaf(value(to, known, type->first, less)));
      }
      case core::type_kind::function: {
        values captures;
        for (const core::atom& one : known) {
          if (one.name != nullptr && one_in(3)) captures.push_back(one);
        }
        return to.lambda(type, captures, [&](writer inner) {
          values inside;
          for (std::size_t k = 0; k <= captures.size(); ++k) inside.push_back(inner.parameter(k));
          const core::function* const outside = std::exchange(own_, nullptr);
          const core::atom fuel = std::exchange(fuel_, inner.nat(0));
          const std::vector<target> labels = std::exchange(targets_, {});
          block(inner, inside, type->second, room_ == 0 ? 0 : 1);
          own_ = outside;
          fuel_ = fuel;
          targets_ = labels;
        });
      }
      default: break;
    }
    const std::vector<core::constructor>& all = type->data->constructors;
    std::size_t which = below(all.size());
    // The last constructors contain the type itself.
    if (depth == 0) which = 0;
    values fields;
    for (const core::type* field : all[which].fields) {
      fields.push_back(value(to, known, field, depth == 0 ? 0 : depth - 1));
    }
    return to.construct(type, which, fields);
  }

  values arguments(writer& to, const values& known, const core::function& callee, bool same) {
    values all{same || one_in(2) ? fuel_ : to.nat(1)};
    for (std::size_t k = 1; k < callee.parameters.size(); ++k) {
      all.push_back(value(to, known, callee.parameters[k]->of, 1));
    }
    return all;
  }

  void step(writer& to, values& known, std::size_t depth) {
    if (room_ == 0) return;
    --room_;
    switch (below(9)) {
      case 0:
        if (own_ != nullptr && calls_left_ > 0) {
          --calls_left_;
          known.push_back(to.call(*own_, arguments(to, known, *own_, true)));
        }
        break;
      case 1:
        if (!functions_.empty()) {
          const core::function& callee = *functions_[below(functions_.size())];
          known.push_back(to.call(callee, arguments(to, known, callee, false)));
        }
        break;
      case 2: {
        const core::type* type = random_type();
        known.push_back(
            to.native(make_.native("Test.look", 1, {0}), {value(to, known, type)}, make_.u32()));
        break;
      }
      case 3: {
        const core::type* type = random_type();
        known.push_back(to.native(make_.native("Test.pass", 2, {1}),
                                  {value(to, known, type), value(to, known, random_type())}, type));
        break;
      }
      case 4: {
        if (depth == 0) break;
        const core::type* type = random_type();
        const values outer = known;
        known.push_back(
            to.nested(type, [&](writer inner) { block(inner, outer, type, depth - 1); }));
        break;
      }
      case 5: {
        if (depth == 0) break;
        const core::type* type = random_type();
        const values outer = known;
        const auto fill = [&](writer inner) { block(inner, outer, type, depth - 1); };
        for (const core::atom& one : to.parallel(type, fill, fill)) known.push_back(one);
        break;
      }
      case 6: {
        const core::type* type = types_[types_.size() - 1 - below(2)];
        known.push_back(to.apply(value(to, known, type), value(to, known, type->first)));
        break;
      }
      default: known.push_back(value(to, known, random_type())); break;
    }
  }

  void block(writer& to, values known, const core::type* result, std::size_t depth) {
    const std::vector<target> outside = targets_;
    if (depth > 0 && one_in(4)) {
      target one{nullptr, {random_type(), random_type()}, result};
      writer body = to.define(one.parameters, one.to);
      values inside = known;
      inside.push_back(body.parameter(0));
      inside.push_back(body.parameter(1));
      block(body, inside, result, depth - 1);
      targets_.push_back(one);
    }
    for (std::size_t k = below(4); k > 0; --k) {
      // Labels are for the block's end: a nested block ends elsewhere.
      const std::vector<target> mine = std::exchange(targets_, {});
      const bool outer = std::exchange(may_stop_, false);
      step(to, known, depth);
      targets_ = mine;
      may_stop_ = outer;
    }
    end(to, known, result, depth);
    targets_ = outside;
  }

  void end(writer& to, values& known, const core::type* result, std::size_t depth) {
    if (depth > 0 && one_in(6)) return look(to, known, result, depth);
    if (depth > 0 && !one_in(3) && match(to, known, result, depth)) return;
    if (!targets_.empty() && one_in(2)) {
      const target one = targets_[below(targets_.size())];
      if (one.result == result) {
        values arguments;
        for (const core::type* type : one.parameters)
          arguments.push_back(value(to, known, type, 1));
        return to.jump(one.to, arguments);
      }
    }
    if (own_ != nullptr && own_->result == result && calls_left_ > 0 && one_in(2)) {
      --calls_left_;
      return to.tail_call(*own_, arguments(to, known, *own_, true));
    }
    for (const core::function* callee : functions_) {
      if (callee->result == result && one_in(3)) {
        return to.tail_call(*callee, arguments(to, known, *callee, false));
      }
    }
    if (may_stop_ && one_in(100)) return to.stop("stopped");
    to.give(value(to, known, result));
  }

  // (a, x) = Array.get(array, i), with or without a use of each part.
  void look(writer& to, const values& known, const core::type* result, std::size_t depth) {
    const core::type* array = types_[one_in(2) ? 8 : 9];
    const core::atom pair =
        to.native(make_.native("Array.get", 2), {value(to, known, array), to.number(below(5))},
                  make_.pair(array, array->first));
    arms_writer arms = to.match(pair);
    writer arm = arms.arm(0, {one_in(4) ? "" : "a", one_in(4) ? "" : "x"});
    values inside = known;
    for (std::size_t f = 0; f < 2; ++f) {
      if (arm.field(f).name != nullptr) inside.insert(inside.end(), 3, arm.field(f));
    }
    block(arm, inside, result, depth - 1);
  }

  bool match(writer& to, const values& known, const core::type* result, std::size_t depth) {
    values subjects;
    for (const core::atom& one : known) {
      if (one.name == nullptr) continue;
      const core::type_kind kind = one.of->kind;
      if (kind == core::type_kind::data || kind == core::type_kind::array ||
          kind == core::type_kind::string) {
        subjects.push_back(one);
      }
    }
    if (subjects.empty()) return false;
    const core::atom subject = subjects[below(subjects.size())];
    std::vector<std::size_t> fields{1, 2};
    if (subject.of->kind == core::type_kind::string) fields = {0, 2};
    if (subject.of->kind == core::type_kind::data) {
      fields.clear();
      for (const core::constructor& one : subject.of->data->constructors) {
        fields.push_back(one.fields.size());
      }
    }
    arms_writer arms = to.match(subject);
    for (std::size_t k = 0; k < fields.size(); ++k) {
      if (k > 0 && k + 1 == fields.size() && one_in(3)) {
        writer rest = arms.otherwise();
        block(rest, known, result, depth - 1);
        break;
      }
      std::vector<std::string> names;
      for (std::size_t f = 0; f < fields[k]; ++f) names.emplace_back(one_in(5) ? "" : "m");
      writer arm = arms.arm(k, names);
      values inside = known;
      for (std::size_t f = 0; f < fields[k]; ++f) {
        // Fields come first more often than not.
        if (!names[f].empty()) inside.insert(inside.end(), 2, arm.field(f));
      }
      block(arm, inside, result, depth - 1);
    }
    return true;
  }

  builder& make_;
  std::mt19937_64 random_;
  std::vector<const core::type*> types_;
  std::vector<const core::function*> functions_;
  const core::function* own_ = nullptr;
  std::size_t calls_left_ = 0;
  // Steps that may still come, so that every program ends.
  std::size_t room_ = 0;
  // Code behind a nested block that always stops is never reached, and no program has it.
  bool may_stop_ = true;
  core::atom fuel_;
  std::vector<target> targets_;
};

}  // namespace cleave::lang
