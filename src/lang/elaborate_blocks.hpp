// elaborate_blocks.hpp -- the templates of body_maker: blocks within blocks, closures, actions.
#pragma once

#include <memory>
#include <utility>

#include "lang/core.hpp"
#include "lang/elaborate_body.hpp"

namespace cleave::lang {

// Fills a block within the current one.
template <class Fill>
void body_maker::in(core::block& block, Fill fill) {
  core::block* const outer = std::exchange(here_, &block);
  if (++depth_ > deepest) {
    report_.message(made_.source->where,
                    "this def has blocks within blocks deeper than " + std::to_string(deepest));
    stop("too deep");
  } else {
    fill();
  }
  --depth_;
  here_ = outer;
}

template <class Fill>
core::atom body_maker::nested(shape* type, Fill fill) {
  core::operation made;
  made.kind = core::operation_kind::nested;
  made.inner = std::make_unique<core::block>();
  in(*made.inner, fill);
  return let(std::move(made), type);
}

template <class Fill>
core::operation body_maker::closure(bool action, core::variable** parameter, shape* from,
                                    std::string_view name, Fill fill) {
  core::operation made;
  made.kind = core::operation_kind::make_closure;
  made.made = std::make_unique<core::closure>();
  core::closure& inner = *made.made;
  inner.action = action;
  frame& own = frames_.emplace_back();
  own.outer = frame_;
  own.captures = &inner.captures;
  own.inside = &inner.inside;
  frame_ = &own;
  if (!action) {
    inner.parameter = variable(from, name);
    *parameter = inner.parameter;
  }
  in(inner.body, fill);
  frame_ = own.outer;
  return made;
}

template <class Fill>
core::atom body_maker::action(Fill fill, shape* result) {
  core::variable* no_parameter = nullptr;
  core::operation made = closure(true, &no_parameter, nullptr, {}, fill);
  return let(std::move(made), types_.io(result));
}

}  // namespace cleave::lang
