// walk.hpp -- all blocks of a core function, each with what becomes of its value.
//
//   walk(function.body, place::tail, [&](const core::block& one, place where) {
//     if (where == place::tail && one.end.kind == core::ending_kind::tail_call) ...
//   });
#pragma once

#include <cstdint>

#include "lang/core.hpp"

namespace cleave::lang {

// Where a block's value goes: it is the result of the function, of a closure, or of a
// nested operation or a value of a parallel let.
enum class place : std::uint8_t { tail, closure, inner };

// Calls visit(block, place) for `first` and every block in it, outer ones first, in the
// order of the text.
template <class Block, class Visit>
void walk(Block& first, place where, Visit&& visit) {
  visit(first, where);
  for (auto& step : first.steps) {
    if (step.what.inner) walk(*step.what.inner, place::inner, visit);
    if (step.what.made) walk(step.what.made->body, place::closure, visit);
    for (auto& one : step.values) walk(*one.value, place::inner, visit);
    if (step.target) walk(*step.target->body, where, visit);
  }
  if (first.end.cases) {
    for (auto& arm : first.end.cases->arms) walk(*arm.body, where, visit);
    if (first.end.cases->otherwise) walk(*first.end.cases->otherwise, where, visit);
  }
}

// The same without the bodies of closures, for visit(block).
template <class Block, class Visit>
void walk_here(Block& first, Visit&& visit) {
  visit(first);
  for (auto& step : first.steps) {
    if (step.what.inner) walk_here(*step.what.inner, visit);
    for (auto& one : step.values) walk_here(*one.value, visit);
    if (step.target) walk_here(*step.target->body, visit);
  }
  if (first.end.cases) {
    for (auto& arm : first.end.cases->arms) walk_here(*arm.body, visit);
    if (first.end.cases->otherwise) walk_here(*first.end.cases->otherwise, visit);
  }
}

}  // namespace cleave::lang
