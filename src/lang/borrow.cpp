#include "lang/borrow.hpp"

#include <set>
#include <utility>

#include "lang/components.hpp"
#include "lang/reuse.hpp"
#include "lang/uses.hpp"
#include "lang/walk.hpp"

namespace cleave::lang {
namespace {

using core::ending_kind;
using core::operation_kind;
using core::step_kind;

// Who may call whom. Closures are called by whoever applies one: `unknown` stands for the
// code of all of them.
class call_graph {
 public:
  explicit call_graph(const core::program& all) : unknown_(all.functions.size()) {
    graph calls(unknown_ + 1);
    for (const core::function& one : all.functions) add(calls, one.number, one.body);
    reach_.emplace(calls);
  }

  [[nodiscard]] std::size_t unknown() const { return unknown_; }
  // A call from one to the other may lead back.
  [[nodiscard]] bool circle(std::size_t from, std::size_t to) const {
    return reach_->of(from) == reach_->of(to);
  }

 private:
  void add(graph& calls, std::size_t from, const core::block& code) {
    for (const core::step& one : code.steps) {
      if (one.what.callee != nullptr) calls[from].push_back(one.what.callee->number);
      if (one.what.kind == operation_kind::apply || one.what.kind == operation_kind::run) {
        calls[from].push_back(unknown_);
      }
      // Natives may apply what they are given.
      if (one.what.kind == operation_kind::native) {
        for (const core::atom& argument : one.what.arguments) {
          if (argument.name != nullptr && argument.name->of->kind == core::type_kind::function) {
            calls[from].push_back(unknown_);
          }
        }
      }
      if (one.what.inner) add(calls, from, *one.what.inner);
      if (one.what.made) add(calls, unknown_, one.what.made->body);
      for (const core::branch_value& value : one.values) add(calls, from, *value.value);
      if (one.target) add(calls, from, *one.target->body);
    }
    const core::ending& end = code.end;
    if (end.kind == ending_kind::tail_call) {
      calls[from].push_back(end.callee != nullptr ? end.callee->number : unknown_);
    }
    if (end.kind == ending_kind::tail_run) calls[from].push_back(unknown_);
    if (end.cases) {
      for (const core::arm& arm : end.cases->arms) add(calls, from, *arm.body);
      if (end.cases->otherwise) add(calls, from, *end.cases->otherwise);
    }
  }

  std::size_t unknown_;
  std::optional<components> reach_;
};

// Collects what follows from what: if one variable is wanted, so is the other.
class inference {
 public:
  inference(core::program& all, const layouts& shapes, const array_writes& writes)
      : all_(all),
        shapes_(shapes),
        writes_(writes),
        calls_(all),
        follows_(all.variables.size()),
        root_(all.variables.size(), nullptr),
        is_parameter_(all.variables.size(), false),
        wanted_(all.variables.size()) {}

  demands run() {
    for (core::function& one : all_.functions) {
      for (core::variable* parameter : one.parameters) is_parameter_[parameter->number] = true;
      if (!one.launches) continue;
      // What the device gets must have no other owner.
      for (core::variable* parameter : one.parameters) want(*parameter);
    }
    for (core::function& one : all_.functions) collect(one.body, one.number);
    spread();
    for (core::function& one : all_.functions) mark(one.parameters);
    for (core::label* one : labels_) mark(one->parameters);
    for (core::function& one : all_.functions) keep_or_call(one.body);
    return wanted_;
  }

 private:
  [[nodiscard]] static bool counted(const core::atom& one) {
    return one.name != nullptr && !core::is_plain(*one.name->of);
  }
  void want(const core::variable& one) { seeds_.push_back(one.number); }
  void imply(const core::variable& one, const core::variable& other) {
    follows_[one.number].push_back(other.number);
  }
  // What a variable was taken out of, step by step: a parameter, or a value of this code.
  [[nodiscard]] const core::variable& root(const core::variable& one) const {
    const core::variable* const found = root_[one.number];
    return found != nullptr ? *found : one;
  }
  // `to` can be borrowed only while nobody has to drop `from`.
  void borrow_through(const core::variable& from, const core::variable& to) {
    const core::variable& top = root(from);
    if (is_parameter_[top.number]) {
      imply(top, to);
    } else {
      want(to);
    }
  }

  // The sizes of memory that constructs in the block need, closures left out.
  using needs = std::set<memory_kind>;

  needs collect(core::block& code, std::size_t caller) {
    needs needed;
    for (core::step& one : code.steps) {
      collect(one.what, caller);
      if (const memory_kind kind = memory_needed(one, shapes_); kind.any()) needed.insert(kind);
      if (one.what.inner) needed.merge(collect(*one.what.inner, caller));
      if (one.what.made) collect(one.what.made->body, calls_.unknown());
      for (core::branch_value& value : one.values) needed.merge(collect(*value.value, caller));
      if (one.target) {
        labels_.push_back(one.target.get());
        for (core::variable* parameter : one.target->parameters) {
          is_parameter_[parameter->number] = true;
        }
        needed.merge(collect(*one.target->body, caller));
      }
    }
    collect(code.end, caller);
    if (code.end.cases) collect(*code.end.cases, caller, needed);
    return needed;
  }

  void collect(core::operation& what, std::size_t) {
    if (what.kind == operation_kind::call) {
      for (std::size_t k = 0; k < what.arguments.size(); ++k) {
        if (counted(what.arguments[k])) imply(*what.callee->parameters[k], *what.arguments[k].name);
      }
      return;
    }
    each_use(what, [&](const core::variable& one, use how) {
      if (how == use::consumes) want(one);
    });
  }

  void collect(core::ending& end, std::size_t caller) {
    if (counted(end.value)) want(*end.value.name);
    for (std::size_t k = 0; k < end.arguments.size(); ++k) {
      if (!counted(end.arguments[k])) continue;
      const core::variable& argument = *end.arguments[k].name;
      if (end.target != nullptr) {
        imply(*end.target->parameters[k], argument);
        borrow_through(argument, *end.target->parameters[k]);
      } else if (end.callee != nullptr) {
        imply(*end.callee->parameters[k], argument);
        if (calls_.circle(caller, end.callee->number)) {
          borrow_through(argument, *end.callee->parameters[k]);
        }
      } else {
        want(argument);
      }
    }
  }

  void collect(core::branching& cases, std::size_t caller, needs& needed) {
    core::variable* const subject = counted(cases.subject) ? cases.subject.name : nullptr;
    for (core::arm& arm : cases.arms) {
      for (core::variable* field : arm.fields) {
        if (subject == nullptr || field == nullptr || core::is_plain(*field->of)) continue;
        root_[field->number] = &root(*subject);
        imply(*field, *subject);
      }
      needs inside = collect(*arm.body, caller);
      const memory_kind freed = memory_freed(cases, arm, shapes_);
      if (subject != nullptr && freed.any() && inside.contains(freed)) want(*subject);
      if (subject != nullptr && takes_halves(cases, arm) && writes_.in(*arm.body)) want(*subject);
      needed.merge(inside);
    }
    if (cases.otherwise) needed.merge(collect(*cases.otherwise, caller));
  }

  void spread() {
    while (!seeds_.empty()) {
      const std::size_t number = seeds_.back();
      seeds_.pop_back();
      const core::variable& one = all_.variables[number];
      if (wanted_.of(one)) continue;
      wanted_.add(one);
      seeds_.insert(seeds_.end(), follows_[number].begin(), follows_[number].end());
    }
  }

  void mark(const std::vector<core::variable*>& parameters) const {
    for (core::variable* one : parameters) {
      one->borrowed = !core::is_plain(*one->of) && !wanted_.of(*one);
    }
  }

  // A tail call that borrows what the caller must drop afterwards is a call and a give.
  void keep_or_call(core::block& first) {
    std::vector<core::block*> calls;
    walk(first, place::tail, [&](core::block& code, place) {
      if (code.end.kind != ending_kind::tail_call || code.end.callee == nullptr) return;
      for (std::size_t k = 0; k < code.end.arguments.size(); ++k) {
        const core::atom& argument = code.end.arguments[k];
        if (!counted(argument) || !code.end.callee->parameters[k]->borrowed) continue;
        if (root(*argument.name).borrowed) continue;
        calls.push_back(&code);
        break;
      }
    });
    for (core::block* code : calls) {
      core::step call;
      call.name = &all_.variables.emplace_back();
      call.name->of = code->end.callee->result;
      call.name->number = all_.variables.size() - 1;
      call.what.kind = operation_kind::call;
      call.what.callee = code->end.callee;
      call.what.arguments = std::move(code->end.arguments);
      call.what.device = code->end.device;
      call.what.where = code->end.where;
      code->end = {};
      code->end.value = {call.name, call.name->of, 0};
      code->steps.push_back(std::move(call));
    }
  }

  core::program& all_;
  const layouts& shapes_;
  const array_writes& writes_;
  call_graph calls_;
  graph follows_;
  std::vector<const core::variable*> root_;
  std::vector<bool> is_parameter_;
  std::vector<std::size_t> seeds_;
  std::vector<core::label*> labels_;
  demands wanted_;
};

}  // namespace

demands infer_borrowing(core::program& all, const layouts& shapes, const array_writes& writes) {
  return inference(all, shapes, writes).run();
}

}  // namespace cleave::lang
