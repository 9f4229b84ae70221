// own.cpp -- who frees what: the steps of the ownership pass, in order.
#include "lang/borrow.hpp"
#include "lang/front_end.hpp"
#include "lang/layout.hpp"
#include "lang/own_counts.hpp"
#include "lang/own_merge.hpp"
#include "lang/own_simplify.hpp"
#include "lang/own_take.hpp"
#include "lang/unroll.hpp"

namespace cleave::lang {

void own(core::program& all) {
  std::size_t number = 0;
  for (core::variable& one : all.variables) one.number = number++;
  number = 0;
  for (core::function& one : all.functions) one.number = number++;
  const layouts shapes(all);
  // What is boxed for its size alone is not plain.
  for (const core::data_type& one : all.data) one.plain = shapes.of(one).plain ? 1 : 0;

  simplify(all);
  if (merge_helpers(all)) simplify(all);
  const array_writes writes(all);
  demands wanted = infer_borrowing(all, shapes, writes);
  take_apart(all, shapes, writes, wanted);
  count_owners(all, shapes);
  unroll(all);
}

}  // namespace cleave::lang
