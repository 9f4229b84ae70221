// do blocks.
#include <algorithm>
#include <string>

#include "lang/parser.hpp"

namespace cleave::lang {
namespace {

constexpr const char* one_name =
    "a name (a line of a do block binds one; a def takes a value apart)";

}  // namespace

// do M<a, .., R>: and lines at the column of the first.
parsing<sized_term> parser::do_block(around outside) {
  const token word = take();
  const token monad = co_await want_name();
  std::vector<term*> arguments;
  std::size_t inner = 0;
  const bool angles = at(token_kind::less);
  if (!angles && !at(token_kind::left_paren)) co_await refuse("'<' and the result type");
  take();
  while (!at(token_kind::right_paren) && !at(token_kind::close_angle) && !at(token_kind::greater)) {
    const sized_term one = co_await term_at(level_arrow, angles ? around::angles : around::nothing);
    arguments.push_back(one.node);
    inner = std::max(inner, one.height);
    take_if(token_kind::comma);
  }
  if (arguments.empty()) co_await refuse("a type");
  if (angles == at(token_kind::right_paren)) co_await refuse(angles ? "'>'" : "')'");
  take();
  co_await want(token_kind::colon, "':'");

  std::vector<do_statement> lines;
  const std::uint32_t column = now_.column;
  for (bool last = false; !last;) {
    if (!lines.empty() && !starts_term() && !at(token_kind::return_word)) {
      co_await refuse("a term (a do block ends with its result)");
    }
    do_statement one;
    const std::size_t height = co_await do_line(&one, column, outside);
    inner = std::max(inner, height);
    last = one.kind == do_kind::give || one.kind == do_kind::last;
    lines.push_back(one);
  }
  co_return above(
      make<do_term>(since(word.begin), text_of(monad), std::move(arguments), std::move(lines)),
      inner);
}

parsing<std::size_t> parser::do_line(do_statement* made, std::uint32_t column, around outside) {
  const token first = now_;
  sized_term read;
  std::size_t height = 0;
  if (take_if(token_kind::return_word)) {
    read = co_await term_at(level_arrow);
    made->kind = do_kind::give;
    made->value = read.node;
    take_if(token_kind::semicolon);
  } else {
    read = co_await term_at(level_arrow, around::colon);
    if (at(token_kind::colon) && read.node->kind == term_kind::name) {
      height = co_await named_do_line(made, read);
    } else if (at(token_kind::colon) && outside == around::nothing) {
      co_await refuse(read.node->where, one_name);
    } else if (take_if(token_kind::left_arrow)) {
      const sized_term value = co_await term_at(level_arrow);
      made->kind = do_kind::bind;
      made->type = read.node;
      made->value = value.node;
      height = value.height;
    } else {
      made->kind = do_kind::last;
      made->value = read.node;
    }
    if (at(token_kind::equals)) {
      if (read.node->kind != term_kind::name) co_await refuse(read.node->where, one_name);
      co_await refuse("'x : T = e' (a let of a do block has a type)");
    }
    const bool ended = take_if(token_kind::semicolon);
    const bool more = (starts_term() || at(token_kind::return_word)) &&
                      (ended || (now_.first_on_line && now_.column == column));
    if (made->kind == do_kind::last && more) made->kind = do_kind::step;
  }
  made->where = since(first.begin);
  co_return std::max(height, read.height);
}

// x : T <- m, x : T = v
parsing<std::size_t> parser::named_do_line(do_statement* made, sized_term name) {
  made->name = to_binder(name.node);
  take();
  const sized_term type = co_await term_at(level_pair);
  made->type = type.node;
  const bool bind = take_if(token_kind::left_arrow);
  if (!bind && !at(token_kind::equals)) co_await refuse("'<-' or '='");
  if (!bind) take();
  made->kind = bind ? do_kind::bind : do_kind::let;
  const sized_term value = co_await term_at(level_arrow);
  made->value = value.node;
  co_return std::max(type.height, value.height);
}

}  // namespace cleave::lang
