// Terms that turn out to be patterns.
#include <algorithm>
#include <string>

#include "lang/parser.hpp"

namespace cleave::lang {

binder* parser::to_binder(const term* t) {
  const auto* name = as<name_term>(t);
  if (name == nullptr) return nullptr;
  const bool reusable = source_.text()[t->where.begin] == '+';
  span where = t->where;
  where.begin = where.end - static_cast<std::uint32_t>(name->name.size());
  return make<binder>(binder{name->name, reusable ? mark::reusable : mark::affine, where});
}

parsing<sized_pattern> parser::to_pattern(const term* t) {
  switch (t->kind) {
    case term_kind::name: co_return sized_pattern{make<name_pattern>(*to_binder(t)), 1};
    case term_kind::text:
      co_return sized_pattern{make<text_pattern>(t->where, as<text_term>(t)->text), 1};
    case term_kind::number: {
      const auto* number = as<number_term>(t);
      if (number->number == number_kind::f32) {
        co_await refuse(t->where, "a pattern (no F32 is one: F32.is_eq compares)");
      }
      if (number->number == number_kind::nat) {
        co_return sized_pattern{make<nat_pattern>(t->where, number->value), 1};
      }
      co_return sized_pattern{
          make<literal_pattern>(t->where, static_cast<std::uint32_t>(number->value),
                                number->number == number_kind::character),
          1};
    }
    case term_kind::successor: {
      const auto* successor = as<successor_term>(t);
      const sized_pattern rest = co_await to_pattern(successor->rest);
      co_return sized_pattern{make<successor_pattern>(t->where, successor->amount, rest.node),
                              rest.height + 1};
    }
    case term_kind::construct: {
      const auto* construct = as<construct_term>(t);
      std::vector<pattern*> fields;
      std::size_t inner = 0;
      for (const term* each : construct->arguments) {
        const sized_pattern one = co_await to_pattern(each);
        fields.push_back(one.node);
        inner = std::max(inner, one.height);
      }
      co_return sized_pattern{
          make<constructor_pattern>(t->where, construct->name, std::move(fields)), inner + 1};
    }
    case term_kind::list: {
      const auto& items = as<list_term>(t)->items;
      const span end{&source_, t->where.end - 1, t->where.end};
      sized_pattern whole{
          make<constructor_pattern>(items.empty() ? t->where : end, "Nil", std::vector<pattern*>{}),
          1};
      for (auto each = items.rbegin(); each != items.rend(); ++each) {
        const sized_pattern one = co_await to_pattern(*each);
        span where = t->where;
        if (each + 1 != items.rend()) where.begin = one.node->where.begin;
        whole = {
            make<constructor_pattern>(where, "Con", std::vector<pattern*>{one.node, whole.node}),
            std::max(one.height, whole.height) + 1};
        co_await want_height(whole.height, where);
      }
      co_return whole;
    }
    case term_kind::call: {
      const term* const callee = as<call_term>(t)->callee;
      if (is_unresolved(t)) break;
      if (callee->kind == term_kind::name) {
        co_await refuse(t->where, "a braced constructor pattern (C{x, y})");
      }
      co_await refuse(t->where, "a pattern (behind another one, a tuple is Tuple{x, y})");
      break;
    }
    default: break;
  }
  co_await refuse(t->where, "a pattern");
  co_return sized_pattern{};
}

}  // namespace cleave::lang
