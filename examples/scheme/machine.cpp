#include "machine.hpp"

#include <cstdio>

#include "compiler.hpp"
#include "printer.hpp"
#include "reader.hpp"

namespace scheme {
namespace {

const node values_frame(kind::values_frame);
const node handlers_frame(kind::handlers_frame);
const node raised_frame(kind::raised_frame);

// A frame is a vector: the node, the next frame, the environment, where in the node the
// value is wanted, and the values that are there already.
constexpr std::size_t frame_code = 0, frame_next = 1, frame_environment = 2, frame_index = 3,
                      frame_values = 4;

immediate as_immediate(const node* code) noexcept {
  return immediate::from_bits(reinterpret_cast<std::uintptr_t>(code) | 2);
}
const node* as_node(value v) noexcept {
  return reinterpret_cast<const node*>(v.bits() - 2);
}

}  // namespace

void fail(std::string message) {
  throw scheme_error{std::move(message), std::nullopt};
}

void fail(machine& m, std::string message, value irritant) {
  throw scheme_error{std::move(message), m.held(irritant)};
}

machine::machine(gc::collector& owner)
    : heap_(owner), roots_(owner, [this](gc::visitor& to) {
        to.visit(result_, environment_, frame_, handlers_);
        for (value& v : stack_) to.visit(v);
        for (value& v : symbols_) to.visit(v);
        for (value& v : globals_) to.visit(v);
        for (value& v : constants_) to.visit(v);
      }) {
  add_numbers(*this);
  add_lists(*this);
  add_texts(*this);
  add_control(*this);
  run_text(prelude, "prelude");
}

void machine::run_text(std::string_view text, const std::string& name) {
  reader source(*this, text, name);
  compiler to_nodes(*this, name == "prelude");
  for (std::optional<any> form; (form = source.next()).has_value();) {
    try {
      const node* const code = to_nodes.compile(*form);
      form.reset();
      run(code);
    } catch (const scheme_error& error) {
      // From the compiler: no program has the control that could handle it.
      std::string line = name + ":" + std::to_string(source.line()) + ": " + error.message;
      if (error.irritant) line += " " + written(error.irritant->get());
      flush();
      throw uncaught{line};
    } catch (const uncaught& error) {
      flush();
      throw uncaught{name + ":" + std::to_string(source.line()) + ": " + error.text};
    }
  }
  flush();
}

void machine::flush() {
  std::fwrite(output_.data(), 1, output_.size(), stdout);
  std::fflush(stdout);
  output_.clear();
}

// --- Symbols, constants, primitives ---

any machine::symbol_named(std::string_view name) {
  const auto [at, is_new] = names_.try_emplace(std::string(name), symbols_.size());
  if (is_new) {
    const any text = make_string(name);
    const any made = heap_.make<symbol>(symbols_.size(), text);
    symbols_.push_back(made.get());
    globals_.emplace_back();
  }
  return held(symbols_[at->second]);
}

any machine::fresh_symbol() {
  // No program can write the blank.
  return symbol_named("fresh " + std::to_string(++fresh_));
}

std::size_t machine::keep_constant(value v) {
  constants_.push_back(v);
  return constants_.size() - 1;
}

void machine::define(const primitive_entry& entry) {
  primitives_.push_back(entry);
  const std::size_t number = symbol_named(entry.name).get().as<symbol>()->number;
  globals_[number] = heap_.make<primitive>(&primitives_.back()).get();
}

any machine::make_string(std::u32string_view text) {
  const auto characters = heap_.make_bytes_for_overwrite(text.size() * sizeof(char32_t));
  std::copy(text.begin(), text.end(), characters->as<char32_t>().begin());
  return heap_.make<string>(characters);
}

any machine::make_string(std::string_view text) {
  return make_string(decoded(text));
}

// --- The loop ---

void machine::run(const node* code) {
  node_ = code;
  environment_ = frame_ = handlers_ = nullptr;
  stack_.clear();
  loop();
}

void machine::loop() {
  step next = step::node;
  for (;;) {
    try {
      for (;;) {
        switch (next) {
          case step::node: next = evaluate(); break;
          case step::call: next = call(); break;
          case step::result:
            if (frame_.is_null()) return;
            next = go_on();
            break;
        }
      }
    } catch (const scheme_error& error) {
      handle(error);
      next = raise(false);
    } catch (const std::bad_alloc&) {
      handle({"out of memory", std::nullopt});
      next = raise(false);
    }
  }
}

// Makes the object that the program's handler sees.
void machine::handle(const scheme_error& error) {
  stack_.clear();
  any irritants = held(nil);
  if (error.irritant) irritants = cons(*error.irritant, irritants);
  const any message = make_string(error.message);
  result_ = heap_.make<condition>(message, irritants).get();
}

machine::step machine::evaluate() {
  for (;;) {
    const node& code = *node_;
    if (code.is_simple) return give(simple(code));
    switch (code.what) {
      case kind::branch: {
        const auto& choice = static_cast<const branch_node&>(code);
        if (!choice.test->is_simple) {
          push_frame(&code, 0, 0);
          node_ = choice.test;
          continue;
        }
        node_ = is_true(simple(*choice.test)) ? choice.then : choice.otherwise;
        continue;
      }
      case kind::sequence: {
        const step next = evaluate_sequence(static_cast<const sequence_node&>(code), 0);
        if (next == step::node) continue;
        return next;
      }
      case kind::call:
      case kind::let: {
        const step next = evaluate_call(static_cast<const call_node&>(code), 0);
        if (next == step::node) continue;
        return next;
      }
      case kind::set_local:
      case kind::set_global:
      case kind::define_global: {
        const auto& change = static_cast<const assign_node&>(code);
        if (!change.value->is_simple) {
          push_frame(&code, 0, 0);
          node_ = change.value;
          continue;
        }
        assign(code, simple(*change.value));
        return give(unspecified);
      }
      default: fail("a node that cannot be evaluated");
    }
  }
}

machine::step machine::evaluate_sequence(const sequence_node& code, std::size_t from) {
  for (std::size_t i = from; i + 1 < code.parts.size(); ++i) {
    const node* const part = code.parts[i];
    if (!part->is_simple) {
      push_frame(&code, i, 0);
      node_ = part;
      return step::node;
    }
    simple(*part);
  }
  node_ = code.parts.back();
  return step::node;
}

machine::step machine::evaluate_call(const call_node& code, std::size_t from) {
  const bool is_let = code.what == kind::let;
  for (std::size_t i = from; i < code.parts.size(); ++i) {
    const node* const part = code.parts[i];
    if (is_let && i == 0) {
      stack_.emplace_back(unspecified);
      continue;
    }
    if (!part->is_simple) {
      push_frame(&code, i, i);
      node_ = part;
      return step::node;
    }
    const value v = simple(*part);
    stack_.push_back(v);
  }
  arguments_ = stack_.size() - (code.parts.size() - 1);
  if (!is_let) return step::call;
  return enter_body(static_cast<const lambda_node&>(*code.parts[0]), code.parts.size() - 1);
}

// The newest frame has its value.
machine::step machine::go_on() {
  vector* const frame = frame_.as<vector>();
  const node& code = *as_node((*frame)[frame_code]);
  const auto index = static_cast<std::size_t>((*frame)[frame_index].integer());
  environment_ = (*frame)[frame_environment];
  frame_ = (*frame)[frame_next];
  for (std::size_t i = frame_values; i < frame->size(); ++i) stack_.push_back((*frame)[i]);
  switch (code.what) {
    case kind::branch: {
      const auto& choice = static_cast<const branch_node&>(code);
      node_ = is_true(result_) ? choice.then : choice.otherwise;
      return step::node;
    }
    case kind::sequence:
      return evaluate_sequence(static_cast<const sequence_node&>(code), index + 1);
    case kind::call:
    case kind::let:
      stack_.push_back(result_);
      return evaluate_call(static_cast<const call_node&>(code), index + 1);
    case kind::set_local:
    case kind::set_global:
    case kind::define_global: assign(code, result_); return give(unspecified);
    case kind::values_frame: {
      arguments_ = stack_.size();
      if (several* const all = result_.try_as<several>()) {
        for (value rest = all->list.get(); rest.is<pair>(); rest = rest.as<pair>()->tail.get()) {
          stack_.push_back(rest.as<pair>()->head.get());
        }
      } else {
        stack_.push_back(result_);
      }
      return step::call;
    }
    case kind::handlers_frame:
      handlers_ = stack_.back();
      stack_.pop_back();
      return step::result;
    case kind::raised_frame: fail("a handler returned from raise");
    default: fail("a frame that nobody made");
  }
}

void machine::push_frame(const node* code, std::size_t index, std::size_t values) {
  const auto made = heap_.make_refs<value>(frame_values + values);
  made->set(frame_code, as_immediate(code));
  made->set(frame_next, frame_);
  made->set(frame_environment, environment_);
  made->set(frame_index, fixnum(static_cast<std::int64_t>(index)));
  const std::size_t first = stack_.size() - values;
  for (std::size_t i = 0; i < values; ++i) made->set(frame_values + i, stack_[first + i]);
  stack_.resize(first);
  frame_ = made.get();
}

// --- Calls: the procedure and its arguments are the end of the stack ---

machine::step machine::call() {
  const std::size_t count = stack_.size() - arguments_;
  const value called = stack_[arguments_ - 1];
  if (closure* const made = called.try_as<closure>()) {
    return enter_body(*made->code, count);
  }
  if (primitive* const made = called.try_as<primitive>()) {
    return call_primitive(*made->entry, count);
  }
  if (continuation* const made = called.try_as<continuation>()) {
    frame_ = made->frame.get();
    handlers_ = made->handlers.get();
    if (count == 1) {
      result_ = stack_.back();
    } else {
      any list = held(nil);
      for (std::size_t i = count; i-- > 0;) list = cons(held(argument(i)), list);
      result_ = heap_.make<several>(list).get();
    }
    stack_.resize(arguments_ - 1);
    return step::result;
  }
  fail(*this, "this cannot be called:", called);
}

// Of the closure in front of the arguments, or of a `let` here.
machine::step machine::enter_body(const lambda_node& code, std::size_t count) {
  if (count < code.parameters || (count > code.parameters && !code.takes_rest)) {
    const std::string name = code.name == SIZE_MAX
                                 ? "a procedure"
                                 : displayed(symbols_[code.name].as<symbol>()->name.get());
    fail(name + " takes " + (code.takes_rest ? "at least " : "") + std::to_string(code.parameters) +
         " arguments, and got " + std::to_string(count));
  }
  if (code.takes_rest) {
    any rest = held(nil);
    for (std::size_t i = count; i-- > code.parameters;) rest = cons(held(argument(i)), rest);
    stack_.resize(arguments_ + code.parameters);
    stack_.push_back(rest.get());
  }
  const auto made = heap_.make_refs<value>(1 + code.variables);
  closure* const called = stack_[arguments_ - 1].try_as<closure>();
  made->set(0, called != nullptr ? value(called->environment.get()) : environment_);
  const std::size_t taken = stack_.size() - arguments_;
  for (std::size_t i = 0; i < taken; ++i) made->set(1 + i, argument(i));
  stack_.resize(arguments_ - 1);
  environment_ = made.get();
  node_ = code.body;
  return step::node;
}

machine::step machine::call_primitive(const primitive_entry& entry, std::size_t count) {
  if (count < entry.least || count > entry.most) {
    fail(std::string(entry.name) + " got " + std::to_string(count) + " arguments");
  }
  if (entry.act != primitive_entry::control::none) return call_control(entry.act, count);
  result_ = entry.function(*this, count);
  stack_.resize(arguments_ - 1);
  return step::result;
}

machine::step machine::call_control(primitive_entry::control act, std::size_t count) {
  using control = primitive_entry::control;
  const std::size_t base = arguments_ - 1;
  switch (act) {
    case control::apply: {
      value list = stack_.back();
      if (!length_of(list)) fail("apply: the last argument is no list");
      stack_.pop_back();
      stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(base));
      for (; list.is<pair>(); list = list.as<pair>()->tail.get()) {
        stack_.push_back(list.as<pair>()->head.get());
      }
      arguments_ = base + 1;
      return step::call;
    }
    case control::call_cc: {
      const any frame = held(frame_), handlers = held(handlers_);
      const any made = heap_.make<continuation>(frame, handlers);
      stack_[base] = argument(0);
      stack_[base + 1] = made.get();
      return step::call;
    }
    case control::call_with_values:
      // The consumer waits in a frame.
      stack_[base] = argument(0);
      stack_.erase(stack_.begin() + static_cast<std::ptrdiff_t>(base) + 1);
      push_frame(&values_frame, 0, 1);
      arguments_ = stack_.size();
      return step::call;
    case control::with_handler: {
      const value thunk = argument(1);
      stack_[base] = thunk;
      const any more = cons(held(argument(0)), held(handlers_));
      stack_.resize(base + 1);
      stack_.push_back(handlers_);
      push_frame(&handlers_frame, 0, 1);
      handlers_ = more.get();
      arguments_ = stack_.size();
      return step::call;
    }
    case control::raise:
    case control::raise_on:
      result_ = argument(0);
      stack_.resize(base);
      return raise(act == control::raise_on);
    case control::none: break;
  }
  fail("an operation without a meaning, of " + std::to_string(count) + " arguments");
}

// Calls the newest handler with the result, in the place of the ones before it.
machine::step machine::raise(bool may_return) {
  pair* const newest = handlers_.try_as<pair>();
  if (newest == nullptr) throw uncaught{described(result_)};
  stack_.push_back(newest->head.get());
  stack_.push_back(handlers_);
  push_frame(may_return ? &handlers_frame : &raised_frame, 0, 1);
  handlers_ = handlers_.as<pair>()->tail.get();
  stack_.push_back(result_);
  arguments_ = stack_.size() - 1;
  return step::call;
}

// --- Nodes that need no frame ---

value machine::simple(const node& code) {
  switch (code.what) {
    case kind::constant: return constants_[static_cast<const constant_node&>(code).number];
    case kind::local: return local(static_cast<const local_node&>(code));
    case kind::global: {
      const auto& variable = static_cast<const global_node&>(code);
      const value v = globals_[variable.number];
      if (v.is_null()) fail(*this, "unbound variable:", symbols_[variable.number]);
      return v;
    }
    case kind::lambda: return make_closure(static_cast<const lambda_node&>(code));
    case kind::branch: {
      const auto& choice = static_cast<const branch_node&>(code);
      return simple(is_true(simple(*choice.test)) ? *choice.then : *choice.otherwise);
    }
    case kind::call: return simple_call(static_cast<const call_node&>(code));
    default: fail("a node that is not simple");
  }
}

value machine::local(const local_node& code) const {
  vector* scope = environment_.as<vector>();
  for (std::uint32_t i = 0; i < code.up; ++i) scope = (*scope)[0].as<vector>();
  const value v = (*scope)[code.place];
  if (v.is_null()) {
    fail(displayed(symbols_[code.name].as<symbol>()->name.get()) +
         " is used before its definition");
  }
  return v;
}

value machine::simple_call(const call_node& code) {
  const std::size_t base = stack_.size();
  const std::size_t count = code.parts.size() - 1;
  const value called = simple(*code.parts[0]);
  const primitive_entry& entry = *called.as<primitive>()->entry;
  for (std::size_t i = 1; i <= count; ++i) {
    const value v = simple(*code.parts[i]);
    stack_.push_back(v);
  }
  if (count < entry.least || count > entry.most) {
    fail(std::string(entry.name) + " got " + std::to_string(count) + " arguments");
  }
  arguments_ = base;
  const value made = entry.function(*this, count);
  stack_.resize(base);
  return made;
}

value machine::make_closure(const lambda_node& code) {
  const gc::local<vector> environment(heap_, environment_.as<vector>());
  return heap_.make<closure>(&code, environment).get();
}

void machine::assign(const node& change, value v) {
  const node& target = *static_cast<const assign_node&>(change).target;
  if (change.what == kind::set_local) {
    const auto& variable = static_cast<const local_node&>(target);
    vector* scope = environment_.as<vector>();
    for (std::uint32_t i = 0; i < variable.up; ++i) scope = (*scope)[0].as<vector>();
    scope->set(variable.place, v);
    return;
  }
  value& variable = globals_[static_cast<const global_node&>(target).number];
  if (change.what == kind::set_global && variable.is_null()) {
    fail(*this,
         "set! of an unbound variable:", symbols_[static_cast<const global_node&>(target).number]);
  }
  variable = v;
}

}  // namespace scheme
