// function.hpp -- values that hold code: functions and actions of IO.
//
// Both are a pointer to an environment, a cell whose captures lie behind the code's
// address. The code is called with the environment and owns it: if it is the only owner it
// takes the captures and frees the memory, else it keeps each capture and counts down.
//
//   struct add_n { environment<u32, u32> head; u32 n; };                   // descriptor 5
//   u32 add_n_code(environment<u32, u32>* self, u32 x) noexcept {
//     const u32 n = reinterpret_cast<add_n*>(self)->n;
//     release(&self->head);                   // plain captures: nothing else to do
//     return n + x;
//   }
//   constinit environment<u32, u32> inc{immortal_header(), inc_code};      // no captures
//
// An action's code stores its result and returns true, or stores the action to go on with
// and returns false, so that a loop of actions uses no stack.
#pragma once

#include <cleave/runtime/cell.hpp>

namespace cleave::runtime {

template <class A, class B>
struct environment {
  header head;
  B (*code)(environment* self, A x) noexcept;
};

template <class A, class B>
struct function {
  environment<A, B>* self;
};

template <class A>
struct action_environment;

template <class A>
struct io {
  action_environment<A>* self;
};

template <class A>
struct action_environment {
  header head;
  bool (*code)(action_environment* self, A* result, io<A>* next) noexcept;
};

// Consumes f and x.
template <class A, class B>
inline B apply(function<A, B> f, A x) noexcept {
  return f.self->code(f.self, x);
}

// Does the action, and those that it goes on with. Consumes it.
template <class A>
inline A run(io<A> action) noexcept {
  A result{};
  while (!action.self->code(action.self, &result, &action)) {
  }
  return result;
}

namespace detail {

template <class Value>
struct environment_ops {
  static constexpr bool plain = false;
  static void keep(Value& v) noexcept {
    if (!is_immortal(&v.self->head)) add_owner(&v.self->head);
  }
  static void scan(Value v, pile& dead) noexcept {
    if (!is_immortal(&v.self->head)) scan_cell(&v.self->head, dead);
  }
};

}  // namespace detail

template <class A, class B>
struct ops<function<A, B>> : detail::environment_ops<function<A, B>> {};

template <class A>
struct ops<io<A>> : detail::environment_ops<io<A>> {};

}  // namespace cleave::runtime
