#include "lang/core_machine.hpp"

#include <utility>

#include "lang/reuse.hpp"
#include "lang/uses.hpp"

namespace cleave::lang {
namespace {

using core::ending_kind;
using core::operation_kind;
using core::step_kind;
using core::test_kind;
using core::type_kind;

constexpr std::size_t most_ticks = 200'000;

bool holds_array(const core::type& of) {
  if (of.kind == type_kind::array) return true;
  if (of.kind != type_kind::data || of.data->declaration->name != "Sigma") return false;
  return holds_array(*of.data->constructors[0].fields[0]) ||
         holds_array(*of.data->constructors[0].fields[1]);
}

}  // namespace

core_machine::core_machine(const core::program& all, counting how)
    : all_(all), counting_(how == counting::on), shapes_(all) {
  for (const core::data_type& one : all.data) one.plain = shapes_.of(one).plain ? 1 : 0;
}

void core_machine::tick() const {
  if (++ticks_ > most_ticks) throw broken("does not end");
}

std::string core_machine::run() {
  value result = call(*all_.main, {});
  if (result.of->kind == type_kind::io) result = act(result);
  const std::string text = show(result);
  drop(result);
  return text;
}

void core_machine::check_alive(value one) const {
  if (counting_ && one.at != nullptr && one.at->owners == 0) throw broken("a dead value is used");
}

void core_machine::keep(value one) {
  check_alive(one);
  if (counting_ && one.at != nullptr) ++one.at->owners;
}

void core_machine::drop(value first) {
  if (!counting_) return;
  std::vector<value> dead{first};
  while (!dead.empty()) {
    const value one = dead.back();
    dead.pop_back();
    if (one.at == nullptr) continue;
    check_alive(one);
    if (--one.at->owners > 0) continue;
    --live_;
    dead.insert(dead.end(), one.at->fields.begin(), one.at->fields.end());
  }
}

// An array of its own, with the elements' owners counted.
core_machine::value core_machine::copy(value one) {
  if (one.at == nullptr) return one;
  if (!holds_array(*one.of)) {
    keep(one);
    return one;
  }
  std::vector<value> fields;
  for (const value field : one.at->fields) fields.push_back(copy(field));
  return construct(one.of, one.at->constructor, std::move(fields));
}

core_machine::value core_machine::construct(const core::type* type, std::uint64_t constructor,
                                            std::vector<value> fields) {
  if (!counted(*type) && fields.empty()) return {type, constructor, nullptr};
  for (const value one : fields) check_alive(one);
  cell& made = cells_.emplace_back();
  made.constructor = constructor;
  made.fields = std::move(fields);
  // Plain data with fields is not counted, but has to lie somewhere.
  if (counted(*type)) {
    ++live_;
    ++made_;
  } else {
    made.owners = SIZE_MAX / 2;
  }
  return {type, constructor, &made};
}

core_machine::value core_machine::get(const core::atom& one, environment& here) const {
  if (one.name == nullptr) return {one.of, one.number, nullptr};
  const auto found = here.find(one.name);
  if (found == here.end()) throw broken("a variable is used before it is bound: " + one.name->name);
  check_alive(found->second);
  return found->second;
}

std::vector<core_machine::value> core_machine::get(const std::vector<core::atom>& all,
                                                   environment& here) const {
  std::vector<value> values;
  for (const core::atom& one : all) values.push_back(get(one, here));
  return values;
}

core_machine::value core_machine::call(const core::function& callee, std::vector<value> arguments) {
  tick();
  environment here;
  for (std::size_t k = 0; k < arguments.size(); ++k) here[callee.parameters[k]] = arguments[k];
  return run(callee.body, here).result;
}

core_machine::outcome core_machine::enter(value closure, const value* argument) {
  tick();
  check_alive(closure);
  const core::closure& code = *closure.at->code;
  environment here;
  const bool last = closure.at->owners == 1;
  for (std::size_t k = 0; k < code.inside.size(); ++k) {
    here[code.inside[k]] = closure.at->fields[k];
    if (counting_ && !last) keep(closure.at->fields[k]);
  }
  if (argument != nullptr) here[code.parameter] = *argument;
  if (counting_ && --closure.at->owners == 0) --live_;
  return run(code.body, here);
}

core_machine::value core_machine::apply(value closure, value argument) {
  return enter(closure, &argument).result;
}

core_machine::value core_machine::act(value action) {
  outcome end = enter(action, nullptr);
  while (end.how == outcome::goes_on) end = enter(end.result, nullptr);
  return end.result;
}

core_machine::outcome core_machine::run(const core::block& code, environment& here) {
  for (const core::step& one : code.steps) step(one, here);
  outcome made = end(code.end, here);
  while (made.how == outcome::jumped) {
    const auto defines = [&](const core::step& one) { return one.target.get() == made.target; };
    const core::label* mine = nullptr;
    for (const core::step& one : code.steps) {
      if (one.kind == step_kind::define && defines(one)) mine = one.target.get();
    }
    if (mine == nullptr) return made;
    for (std::size_t k = 0; k < made.arguments.size(); ++k) {
      here[mine->parameters[k]] = made.arguments[k];
    }
    made = run(*mine->body, here);
  }
  return made;
}

core_machine::outcome core_machine::end(const core::ending& one, environment& here) {
  tick();
  switch (one.kind) {
    case ending_kind::give: return {outcome::gave, get(one.value, here), nullptr, {}};
    case ending_kind::tail_call: {
      std::vector<value> arguments = get(one.arguments, here);
      if (one.callee == nullptr) return {outcome::gave, apply(arguments[0], arguments[1]), {}, {}};
      return {outcome::gave, call(*one.callee, std::move(arguments)), nullptr, {}};
    }
    case ending_kind::tail_run: return {outcome::goes_on, get(one.value, here), nullptr, {}};
    case ending_kind::branch: return branch(*one.cases, here);
    case ending_kind::jump: return {outcome::jumped, {}, one.target, get(one.arguments, here)};
    case ending_kind::stop: break;
  }
  throw stopped(one.message);
}

core_machine::outcome core_machine::branch(const core::branching& cases, environment& here) {
  const value subject = get(cases.subject, here);
  for (const core::arm& one : cases.arms) {
    bool taken = false;
    switch (cases.test) {
      case test_kind::constructors: {
        const std::uint64_t number = subject.of->kind == type_kind::string
                                         ? (subject.at->text.empty() ? 0U : 1U)
                                     : subject.at != nullptr ? subject.at->constructor
                                                             : subject.number;
        taken = number == one.constructor;
        break;
      }
      case test_kind::numbers: taken = subject.number == one.value; break;
      case test_kind::at_least: taken = subject.number >= one.value; break;
      case test_kind::texts: taken = subject.at->text == one.text; break;
      case test_kind::small_array: {
        std::uint64_t depth = 0;
        for (const cell* at = subject.at; at->constructor == 1; at = at->fields[0].at) ++depth;
        taken = depth == one.value;
        break;
      }
    }
    if (!taken) continue;
    bind_fields(cases, one, subject, here);
    return run(*one.body, here);
  }
  if (!cases.otherwise) throw broken("no arm is taken");
  if (cases.consumes) drop(subject);
  return run(*cases.otherwise, here);
}

void core_machine::bind_fields(const core::branching& cases, const core::arm& one, value subject,
                               environment& here) {
  if (cases.test == test_kind::at_least && !one.fields.empty() && one.fields[0] != nullptr) {
    here[one.fields[0]] = {one.fields[0]->of, subject.number - one.value, nullptr};
  }
  if (one.token != nullptr) here[one.token] = {};
  if (cases.test != test_kind::constructors) {
    if (cases.consumes) drop(subject);
    return;
  }
  if (subject.of->kind == type_kind::string) {
    if (one.constructor == 1 && one.fields[0] != nullptr) {
      here[one.fields[0]] = {
          one.fields[0]->of, static_cast<unsigned char>(subject.at->text[0]), {}};
    }
    if (one.constructor == 1 && one.fields[1] != nullptr) {
      value tail = construct(subject.of, 0, {});
      tail.at->text = subject.at->text.substr(1);
      here[one.fields[1]] = tail;
      // A borrowed view has no owner.
      if (!cases.consumes) --live_;
    }
    if (cases.consumes) drop(subject);
    return;
  }
  if (subject.at == nullptr) return;
  const bool takes = counting_ && cases.consumes && counted(*subject.of);
  const bool last = subject.at->owners == 1;
  for (std::size_t k = 0; k < one.fields.size(); ++k) {
    const value field = subject.at->fields[k];
    if (one.fields[k] != nullptr) {
      here[one.fields[k]] = field;
      if (takes && !last) keep(field);
    } else if (takes && last) {
      drop(field);
    }
  }
  if (!takes) return;
  for (std::size_t k = one.fields.size(); last && k < subject.at->fields.size(); ++k) {
    drop(subject.at->fields[k]);
  }
  if (--subject.at->owners > 0) return;
  --live_;
  if (one.token != nullptr) {
    here[one.token] = {nullptr, next_token_, nullptr};
    tokens_[next_token_++] = memory_freed(cases, one, shapes_).size;
  }
}

void core_machine::step(const core::step& one, environment& here) {
  tick();
  switch (one.kind) {
    case step_kind::let: {
      const value made = operate(one.what, one.name, here);
      if (one.name != nullptr) {
        here[one.name] = made;
      } else {
        drop(made);
      }
      break;
    }
    case step_kind::parallel:
      for (const core::branch_value& each : one.values) {
        const outcome made = run(*each.value, here);
        if (each.name != nullptr) {
          here[each.name] = made.result;
        } else {
          drop(made.result);
        }
      }
      break;
    case step_kind::define: break;
    case step_kind::keep:
      ++kept_;
      if (one.name->borrowed && holds_array(*one.name->of)) throw broken("a view is kept");
      keep(get({one.name, one.name->of, 0}, here));
      break;
    case step_kind::drop: drop(get({one.name, one.name->of, 0}, here)); break;
    case step_kind::free_token: {
      const std::uint64_t token = here.at(one.name).number;
      if (token != 0 && tokens_.erase(token) == 0) throw broken("a token is freed twice");
      break;
    }
  }
}

void core_machine::take_token(const core::operation& what, const core::variable* name,
                              environment& here) {
  if (what.reuse == nullptr) return;
  const std::uint64_t token = here.at(what.reuse).number;
  if (token == 0) return;
  const auto found = tokens_.find(token);
  if (found == tokens_.end()) throw broken("a token is used twice");
  const layout& found_layout = shapes_.of(*name->of);
  const std::size_t size = what.kind == operation_kind::leaf
                               ? shapes_.of(*what.arguments[0].of).size
                               : found_layout.cells[what.constructor].size;
  if (found->second != size) throw broken("a token of the wrong size is used");
  tokens_.erase(found);
  ++rebuilt_;
}

// Array.get, with an owner of its own.
core_machine::value core_machine::slot(value array, std::uint64_t index) {
  check_alive(array);
  std::size_t depth = 0;
  for (const cell* at = array.at; at->constructor == 1; at = at->fields[0].at) ++depth;
  value found = array;
  while (depth > 0) found = found.at->fields[(index >> --depth) & 1];
  keep(found.at->fields[0]);
  return found.at->fields[0];
}

core_machine::value core_machine::operate(const core::operation& what, const core::variable* name,
                                          environment& here) {
  if (what.kind == operation_kind::nested) return run(*what.inner, here).result;
  std::vector<value> arguments = get(what.arguments, here);
  take_token(what, name, here);
  switch (what.kind) {
    case operation_kind::copy:
      if (counting_ && counted(*arguments[0].of)) return copy(arguments[0]);
      return {name != nullptr ? name->of : arguments[0].of, arguments[0].number, arguments[0].at};
    case operation_kind::text: {
      value made = construct(name->of, 0, {});
      made.at->text = what.text;
      return made;
    }
    case operation_kind::call: return call(*what.callee, std::move(arguments));
    case operation_kind::look: return slot(arguments[0], arguments[1].number);
    case operation_kind::native: {
      if (what.native->name == "Array.get") {
        const value found = slot(arguments[0], arguments[1].number);
        return construct(name->of, 0, {arguments[0], found});
      }
      if (what.native->name == "U32.add") {
        return {name->of, (arguments[0].number + arguments[1].number) & 0xffffffff, nullptr};
      }
      // Looks at all arguments, and passes on the first one of the type, or 7.
      for (const value one : arguments) static_cast<void>(show(one));
      const core::type* const result = name != nullptr ? name->of : arguments[0].of;
      value made{result, 7, nullptr};
      bool passed = false;
      for (std::size_t k = 0; k < arguments.size(); ++k) {
        if (reads_argument(what, k)) continue;
        if (!passed && arguments[k].of == result) {
          made = arguments[k];
          passed = true;
        } else {
          drop(arguments[k]);
        }
      }
      return made;
    }
    case operation_kind::construct:
      if (name->of->kind == type_kind::string) {
        value made = construct(name->of, 0, {});
        if (what.constructor == 1) {
          made.at->text = static_cast<char>(arguments[0].number) + arguments[1].at->text;
          drop(arguments[1]);
        }
        return made;
      }
      return construct(name->of, what.constructor, std::move(arguments));
    case operation_kind::leaf: return construct(name->of, 0, std::move(arguments));
    case operation_kind::node: return construct(name->of, 1, std::move(arguments));
    case operation_kind::make_closure: {
      for (core::variable* one : what.made->captures)
        arguments.push_back(get({one, one->of, 0}, here));
      value made = construct(name->of, 0, std::move(arguments));
      made.at->code = what.made.get();
      return made;
    }
    case operation_kind::apply: return apply(arguments[0], arguments[1]);
    case operation_kind::run: return act(arguments[0]);
    case operation_kind::nested: break;
  }
  return {};
}

// As section 8.2 of the language prints it.
std::string core_machine::show(value one) const {
  tick();
  check_alive(one);
  switch (one.of->kind) {
    case type_kind::u32: return std::to_string(one.number);
    case type_kind::nat: return std::to_string(one.number) + "n";
    case type_kind::character: return std::string("'") + static_cast<char>(one.number) + "'";
    case type_kind::string: return "\"" + one.at->text + "\"";
    case type_kind::array: return "[" + show_slots(one) + "]";
    case type_kind::data: break;
    default: return "<function>";
  }
  const std::uint64_t number = one.at != nullptr ? one.at->constructor : one.number;
  const std::vector<value>& fields = one.at != nullptr ? one.at->fields : std::vector<value>();
  if (one.of->data->declaration->name == "Sigma") {
    std::string rest = show(fields[1]);
    const core::type& second = *fields[1].of;
    if (second.kind == type_kind::data && second.data->declaration->name == "Sigma") {
      rest = rest.substr(1, rest.size() - 2);
    }
    return "(" + show(fields[0]) + ", " + rest + ")";
  }
  if (one.of->data->declaration->name == "List") {
    std::string text;
    for (value at = one; at.at->constructor == 1; at = at.at->fields[1]) {
      check_alive(at);
      text += (text.empty() ? "" : ", ") + show(at.at->fields[0]);
    }
    return "[" + text + "]";
  }
  std::string text = one.of->data->constructors[number].name + "{";
  for (std::size_t k = 0; k < fields.size(); ++k) text += (k > 0 ? ", " : "") + show(fields[k]);
  return text + "}";
}

std::string core_machine::show_slots(value one) const {
  check_alive(one);
  if (one.at->constructor == 0) return show(one.at->fields[0]);
  return show_slots(one.at->fields[0]) + ", " + show_slots(one.at->fields[1]);
}

}  // namespace cleave::lang
