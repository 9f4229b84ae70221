// elaborate_statements.cpp -- what a body does before its result.
//
// A name that is bound to what already has a name is another word for it: no code. What
// stands behind `(a, b) = e` lies within the branch that takes e apart; so that a long
// list of these does not become as deep as it is long, it is continued in a function of
// its own from time to time, which has what it uses as parameters.
#include <algorithm>
#include <deque>

#include "lang/elaborate_blocks.hpp"

namespace cleave::lang {
namespace {

using core::operation_kind;

// Statements that take something apart, in one function.
constexpr std::size_t most_in_a_piece = 200;

}  // namespace

// A rest of a body as a function of its own.
struct body_maker::piece {
  core::block* outside = nullptr;
  std::size_t depth = 0;
  core::function* made = nullptr;
  std::vector<core::variable*> captures;
  frame* own = nullptr;
};

// As a value, a statement that takes something apart begins a block of its own.
core::atom body_maker::place_block(const block_term& of, std::size_t from, shape* expected,
                                   goal to) {
  std::deque<piece> pieces;
  std::size_t taken_apart = 0;
  bool failed = false;
  const std::size_t depth = depth_;
  for (std::size_t k = from; k < of.statements.size(); ++k) {
    const statement& one = of.statements[k];
    if (one.bound == nullptr) {
      one.names.size() == 1 ? let_one(one) : let_parallel(one);
      continue;
    }
    if (to.how == use::value) {
      return nested(expected, [&] { place_block(of, k, expected, {use::give, to.run}); });
    }
    shape* const type = one.type != nullptr ? facts_.type_of(*one.type, env_) : types_.unknown();
    const core::atom subject = value(*one.values[0], type);
    if (!take_apart(*one.bound, subject, type)) {
      failed = true;
      refuse(expected, to);
      break;
    }
    const bool full = ++taken_apart % most_in_a_piece == 0;
    if (full) begin_piece(pieces.emplace_back(), expected);
  }
  const core::atom made = failed ? core::atom{} : place(*of.result, expected, to);
  for (auto rest = pieces.rbegin(); rest != pieces.rend(); ++rest) end_piece(*rest, expected, to);
  depth_ = depth;
  return made;
}

void body_maker::begin_piece(piece& rest, shape* expected) {
  core::function& made = all_.made.functions.emplace_back();
  made.name = made_.name;
  made.source = made_.source;
  made.kernel = made_.kernel;
  made.number = all_.made.functions.size() - 1;
  results_.emplace_back(&made, expected);
  rest.made = &made;
  rest.outside = here_;
  rest.depth = depth_;
  rest.own = &frames_.emplace_back();
  rest.own->outer = frame_;
  rest.own->captures = &rest.captures;
  rest.own->inside = &made.parameters;
  frame_ = rest.own;
  here_ = &made.body;
  depth_ = 0;
}

void body_maker::end_piece(piece& rest, shape* expected, goal to) {
  frame_ = rest.own->outer;
  here_ = rest.outside;
  depth_ = rest.depth;
  core::operation call;
  call.kind = operation_kind::call;
  call.callee = rest.made;
  for (core::variable* one : rest.captures) call.arguments.push_back({one, nullptr, 0});
  deliver(std::move(call), expected, to);
}

void body_maker::let_one(const statement& of) {
  const binder* const name = of.names[0];
  const term& what = *of.values[0];
  if (name->how == mark::erased || is_type(what)) {
    bind_erased(name, facts_.evaluate(what, env_));
    return;
  }
  shape* const type = of.type != nullptr ? facts_.type_of(*of.type, env_) : types_.unknown();
  bind(name, value(what, type), type);
}

// Values that only compute a little are not worth a fork.
void body_maker::let_parallel(const statement& of) {
  const auto work =
      std::ranges::count_if(of.values, [&](const term* one) { return is_work(*one); });
  std::vector<local> made;
  if (work < 2) {
    for (const term* one : of.values) {
      shape* const type = types_.unknown();
      const core::atom atom = value(*one, type);
      made.push_back({atom, type});
    }
  } else {
    core::step fork;
    fork.kind = core::step_kind::parallel;
    for (std::size_t k = 0; k < of.values.size(); ++k) {
      shape* const type = types_.unknown();
      core::branch_value one;
      one.value = std::make_unique<core::block>();
      in(*one.value, [&] { place(*of.values[k], type, {use::give, false}); });
      one.name = variable(type, of.names[k]->name);
      made.push_back({{one.name, nullptr, 0}, type});
      fork.values.push_back(std::move(one));
    }
    here_->steps.push_back(std::move(fork));
  }
  for (std::size_t k = 0; k < made.size(); ++k) bind(of.names[k], made[k].atom, made[k].type);
}

// True for what can only be a type, which a name may stand for.
bool body_maker::is_type(const term& of) const {
  switch (of.kind) {
    case term_kind::sort:
    case term_kind::apply_type:
    case term_kind::arrow: return true;
    case term_kind::call: {
      const auto& call = *as<call_term>(&of);
      const auto* const name = as<name_term>(call.callee);
      if (name == nullptr || name->local != nullptr) return false;
      return name->def == nullptr || is_sort(*name->def->result_type());
    }
    case term_kind::name: {
      const auto& name = *as<name_term>(&of);
      if (name.local != nullptr) {
        const fact* const known = env_.find(name.local);
        return known != nullptr &&
               (known->kind == fact_kind::type || known->kind == fact_kind::sort);
      }
      return name.def == nullptr || is_sort(*name.def->result_type());
    }
    default: return false;
  }
}

// True if it calls what is not native.
bool body_maker::is_work(const term& of) const {
  switch (of.kind) {
    case term_kind::call: {
      const auto& call = *as<call_term>(&of);
      const auto* const name = as<name_term>(call.callee);
      if (name == nullptr || name->def == nullptr || !name->def->native) return true;
      return std::ranges::any_of(call.arguments,
                                 [&](const argument& one) { return is_work(*one.value); });
    }
    case term_kind::construct: {
      const auto& made = *as<construct_term>(&of);
      return std::ranges::any_of(made.arguments, [&](const term* one) { return is_work(*one); });
    }
    case term_kind::list: {
      const auto& list = *as<list_term>(&of);
      return std::ranges::any_of(list.items, [&](const term* one) { return is_work(*one); });
    }
    case term_kind::annotated: return is_work(*as<annotated_term>(&of)->value);
    case term_kind::successor: return is_work(*as<successor_term>(&of)->rest);
    case term_kind::block:
    case term_kind::match: return true;
    default: return false;
  }
}

}  // namespace cleave::lang
