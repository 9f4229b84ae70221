// core_check.cpp -- that variables are bound before they are used, and that types agree.
#include "lang/core_check.hpp"

#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "lang/types.hpp"

namespace cleave::lang::core {
namespace {

class checker {
 public:
  explicit checker(const program& all) : all_(all) {}

  std::string run() {
    for (const function& one : all_.functions) {
      now_ = &one;
      visible_.clear();
      for (const variable* parameter : one.parameters) bind(parameter);
      check(one.body, one.result);
      if (!wrong_.empty()) return wrong_;
    }
    return {};
  }

 private:
  void fail(const std::string& what) {
    if (wrong_.empty()) wrong_ = now_->name + ": " + what;
  }
  static std::string name(const variable* of) {
    return "'" + of->name + "' (" + std::to_string(of->number) + ")";
  }

  void bind(const variable* one) {
    if (one == nullptr) return;
    if (!bound_.insert(one).second) fail("C1: " + name(one) + " is bound twice");
    if (one->of == nullptr && !one->token) fail("C5: " + name(one) + " has no type");
    visible_.insert(one);
    order_.push_back(one);
  }

  // What was bound since is not visible any more.
  void leave(std::size_t mark) {
    for (; order_.size() > mark; order_.pop_back()) visible_.erase(order_.back());
  }

  void use(const variable* one) {
    if (one != nullptr && !visible_.contains(one)) {
      fail("C1: " + name(one) + " is used where it is not bound");
    }
  }

  const type* type_of(const atom& one) {
    use(one.name);
    const type* const of = one.name != nullptr ? one.name->of : one.of;
    if (of == nullptr || one.of != of) fail("C5: an atom without its type");
    return of;
  }

  // A null type agrees with all.
  void agree(const type* a, const type* b, const char* where) {
    if (a == nullptr || b == nullptr || a == b) return;
    fail(std::string("C5: ") + where + ": " + lang::to_text(*a) + " and " + lang::to_text(*b));
  }

  void check(const block& of, const type* result) {
    const std::size_t mark = order_.size();
    std::vector<const label*> defined;
    for (const step& one : of.steps) {
      switch (one.kind) {
        case step_kind::let:
          check(one.what, one.name != nullptr ? one.name->of : nullptr);
          bind(one.name);
          break;
        case step_kind::parallel: {
          for (const branch_value& value : one.values) check_apart(*value.value, value.name->of);
          for (const branch_value& value : one.values) bind(value.name);
          break;
        }
        case step_kind::define: {
          const std::size_t inner = order_.size();
          for (const variable* parameter : one.target->parameters) bind(parameter);
          check(*one.target->body, result);
          leave(inner);
          labels_.emplace(one.target.get(), one.target->parameters.size());
          defined.push_back(one.target.get());
          break;
        }
        case step_kind::keep:
        case step_kind::drop:
        case step_kind::free_token: use(one.name); break;
      }
    }
    check(of.end, result);
    for (const label* one : defined) labels_.erase(one);
    leave(mark);
  }

  // A block whose jumps stay within it.
  void check_apart(const block& of, const type* result) {
    auto outer = std::exchange(labels_, {});
    check(of, result);
    labels_ = std::move(outer);
  }

  void check(const ending& of, const type* result) {
    switch (of.kind) {
      case ending_kind::give: agree(type_of(of.value), result, "what a block gives"); break;
      case ending_kind::tail_call:
        if (of.callee != nullptr) {
          check_call(*of.callee, of.arguments);
          agree(of.callee->result, result, "a tail call's result");
        } else {
          agree(check_apply(of.arguments), result, "an applied function's result");
        }
        break;
      case ending_kind::tail_run: {
        const type* const action = type_of(of.value);
        if (action != nullptr) agree(action->first, result, "an action's result");
        break;
      }
      case ending_kind::branch: check(*of.cases, result); break;
      case ending_kind::jump: {
        const auto at = labels_.find(of.target);
        if (at == labels_.end()) return fail("C2: a jump to a label that is not visible");
        if (at->second != of.arguments.size()) fail("C2: a jump with other values than its label");
        for (std::size_t k = 0; k < of.arguments.size() && k < at->second; ++k) {
          agree(type_of(of.arguments[k]), of.target->parameters[k]->of, "a label's parameter");
        }
        break;
      }
      case ending_kind::stop: break;
    }
  }

  void check(const branching& of, const type* result) {
    const type* const subject = type_of(of.subject);
    if (subject == nullptr) return;
    for (const arm& one : of.arms) {
      const std::size_t mark = order_.size();
      check_fields(of, one, *subject);
      for (const variable* field : one.fields) bind(field);
      bind(one.token);
      check(*one.body, result);
      leave(mark);
    }
    if (of.otherwise != nullptr) check(*of.otherwise, result);
  }

  void check_fields(const branching& of, const arm& one, const type& subject) {
    std::vector<const type*> fields;
    if (of.test == test_kind::at_least) fields = {&subject};
    if (of.test == test_kind::constructors) fields = fields_of(subject, one.constructor);
    if (one.fields.size() != fields.size())
      return fail("C5: an arm with other fields than its type");
    for (std::size_t k = 0; k < fields.size(); ++k) {
      if (one.fields[k] != nullptr) agree(one.fields[k]->of, fields[k], "a field");
    }
  }

  // Null for what the type does not say itself.
  std::vector<const type*> fields_of(const type& of, std::size_t number) {
    if (of.kind == type_kind::array) {
      return number == 0 ? std::vector{of.first} : std::vector{&of, &of};
    }
    if (of.kind == type_kind::string) {
      return number == 0 ? std::vector<const type*>{} : std::vector<const type*>{nullptr, &of};
    }
    if (of.data == nullptr || number >= of.data->constructors.size()) {
      fail("C5: a constructor that its type does not have");
      return {};
    }
    return of.data->constructors[number].fields;
  }

  void check_all(const std::vector<atom>& values, const std::vector<const type*>& types,
                 const char* where) {
    if (values.size() != types.size()) return fail(std::string("C5: ") + where + ": other count");
    for (std::size_t k = 0; k < values.size(); ++k) agree(type_of(values[k]), types[k], where);
  }

  void check_call(const function& callee, const std::vector<atom>& arguments) {
    std::vector<const type*> types;
    types.reserve(callee.parameters.size());
    for (const variable* one : callee.parameters) types.push_back(one->of);
    check_all(arguments, types, "a call's arguments");
  }

  const type* check_apply(const std::vector<atom>& of) {
    const type* const called = of.size() == 2 ? type_of(of[0]) : nullptr;
    if (called == nullptr || called->kind != type_kind::function) {
      fail("C5: an apply of no function");
      return nullptr;
    }
    agree(type_of(of[1]), called->first, "an applied function's argument");
    return called->second;
  }

  // `made` is the type of the result, null if nobody uses it.
  void check(const operation& of, const type* made) {
    if (of.reuse != nullptr) use(of.reuse);
    switch (of.kind) {
      case operation_kind::copy: {
        const type* const from = type_of(of.arguments.at(0));
        const auto is_word = [](const type* t) {
          return t != nullptr && (t->kind == type_kind::u32 || t->kind == type_kind::character);
        };
        if (!is_word(from) || !is_word(made)) agree(from, made, "a copy");
        break;
      }
      case operation_kind::text:
        if (made != nullptr && made->kind != type_kind::string)
          fail("C5: a text that is no String");
        break;
      case operation_kind::call:
        check_call(*of.callee, of.arguments);
        agree(of.callee->result, made, "a call's result");
        break;
      case operation_kind::native:
      case operation_kind::look:
        for (const atom& one : of.arguments) type_of(one);
        break;
      case operation_kind::construct:
        if (made != nullptr) {
          check_all(of.arguments, fields_of(*made, of.constructor), "a constructor's fields");
        }
        break;
      case operation_kind::leaf:
      case operation_kind::node:
        if (made != nullptr) {
          const std::size_t number = of.kind == operation_kind::leaf ? 0 : 1;
          check_all(of.arguments, fields_of(*made, number), "an array's parts");
        }
        break;
      case operation_kind::make_closure: check(*of.made, made); break;
      case operation_kind::apply:
        agree(check_apply(of.arguments), made, "an apply's result");
        break;
      case operation_kind::run: {
        const type* const action = type_of(of.arguments.at(0));
        if (action == nullptr || action->kind != type_kind::io)
          return fail("C5: a run of no action");
        agree(action->first, made, "an action's result");
        break;
      }
      case operation_kind::nested: check_apart(*of.inner, made); break;
    }
  }

  void check(const closure& of, const type* made) {
    for (const variable* one : of.captures) use(one);
    if (of.captures.size() != of.inside.size()) fail("C1: captures without a name inside");
    auto outer = std::exchange(visible_, {});
    auto outer_order = std::exchange(order_, {});
    for (std::size_t k = 0; k < of.inside.size(); ++k) {
      agree(of.captures[k]->of, of.inside[k]->of, "a captured variable");
      bind(of.inside[k]);
    }
    bind(of.parameter);
    const type* result = nullptr;
    if (made != nullptr) {
      const type_kind kind = of.action ? type_kind::io : type_kind::function;
      if (made->kind != kind) fail("C5: a closure of another type");
      if (!of.action) agree(of.parameter->of, made->first, "a closure's parameter");
      result = of.action ? made->first : made->second;
    }
    check_apart(of.body, result);
    visible_ = std::move(outer);
    order_ = std::move(outer_order);
  }

  const program& all_;
  const function* now_ = nullptr;
  std::string wrong_;
  std::unordered_set<const variable*> bound_;
  std::unordered_set<const variable*> visible_;
  std::vector<const variable*> order_;
  std::unordered_map<const label*, std::size_t> labels_;
};

}  // namespace

std::string check_scopes(const program& all) {
  return checker(all).run();
}

std::string check(const program& all, bool owned) {
  std::string wrong = check_scopes(all);
  if (wrong.empty() && owned) wrong = check_owners(all);
  return wrong;
}

}  // namespace cleave::lang::core
