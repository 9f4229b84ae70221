#include "lang/layout.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "lang/components.hpp"

namespace cleave::lang {
namespace {

using core::type_kind;

std::size_t round_up(std::size_t size, std::size_t alignment) {
  return (size + alignment - 1) / alignment * alignment;
}

bool is_sigma(const core::type& type) {
  return type.kind == type_kind::data && type.data->declaration != nullptr &&
         type.data->declaration->name == "Sigma" && type.data->constructors.size() == 1 &&
         type.data->constructors[0].fields.size() == 2;
}

bool has_fields(const core::data_type& data) {
  return std::any_of(data.constructors.begin(), data.constructors.end(),
                     [](const core::constructor& one) { return !one.fields.empty(); });
}

// The types that a type speaks of, each once per mention.
std::vector<const core::type*> parts(const core::type& type) {
  std::vector<const core::type*> all;
  if (type.kind == type_kind::data) {
    for (const core::constructor& one : type.data->constructors) {
      all.insert(all.end(), one.fields.begin(), one.fields.end());
    }
  } else {
    if (type.first != nullptr) all.push_back(type.first);
    if (type.second != nullptr) all.push_back(type.second);
  }
  return all;
}

}  // namespace

layouts::layouts(const core::program& all) {
  std::unordered_map<const core::type*, std::size_t> number;
  std::vector<const core::type*> types;
  for (const core::type& type : all.types) {
    number.emplace(&type, types.size());
    types.push_back(&type);
    if (type.kind == type_kind::data) type_of_.emplace(type.data, &type);
  }

  graph mentions(types.size());
  for (std::size_t k = 0; k < types.size(); ++k) {
    for (const core::type* part : parts(*types[k])) mentions[k].push_back(number.at(part));
  }
  const components reach(mentions);
  // A type that reaches itself is boxed. Pairs are not: on each circle some other type is.
  const auto is_boxed = [&](std::size_t k) { return reach.circular(k) && !is_sigma(*types[k]); };

  // What a box holds does not matter for its own form, and so the rest has no circles.
  graph inner(types.size());
  for (std::size_t k = 0; k < types.size(); ++k) {
    if (!is_boxed(k)) inner[k] = mentions[k];
  }
  const components inside(inner);
  for (const std::vector<std::size_t>& members : inside.all()) {
    for (const std::size_t k : members) {
      place(*types[k], is_boxed(k) || inside.circular(k));
      in_order_.push_back(types[k]);
    }
  }
  // Cells hold types that may come later in the order.
  for (const core::type* type : types) {
    layout& made = found_.at(type);
    if (made.form != form::boxed) continue;
    for (const core::constructor& one : type->data->constructors) {
      made.cells.push_back(fields_of(one, cell_header));
      made.cells.back().size = round_up(made.cells.back().size, cell_header);
    }
  }
}

field_order layouts::fields_of(const core::constructor& one, std::size_t size) const {
  field_order made;
  made.order.resize(one.fields.size());
  std::iota(made.order.begin(), made.order.end(), std::size_t{0});
  const auto alignment = [&](std::size_t field) { return found_.at(one.fields[field]).alignment; };
  // Equal ones stay in their order.
  std::sort(made.order.begin(), made.order.end(), [&](std::size_t a, std::size_t b) {
    return alignment(a) != alignment(b) ? alignment(a) > alignment(b) : a < b;
  });
  for (const std::size_t field : made.order) {
    size = round_up(size, alignment(field)) + found_.at(one.fields[field]).size;
    made.alignment = std::max(made.alignment, alignment(field));
  }
  made.size = size;
  return made;
}

void layouts::place(const core::type& type, bool circular) {
  layout& made = found_[&type];
  const auto is = [&](lang::form form, std::size_t size, std::size_t alignment, bool plain) {
    made.form = form;
    made.size = size;
    made.alignment = alignment;
    made.plain = plain;
  };
  switch (type.kind) {
    case type_kind::u32:
    case type_kind::f32:
    case type_kind::character: is(form::number, 4, 4, true); break;
    case type_kind::nat: is(form::number, 8, 8, true); break;
    case type_kind::string: is(form::text, 16, 8, false); break;
    case type_kind::array:
      is(form::array, 16, 8, false);
      made.holds_array = true;
      break;
    case type_kind::function:
    case type_kind::io: is(form::closure, 8, 8, false); break;
    case type_kind::data: {
      const core::data_type& data = *type.data;
      const std::size_t number = data.constructors.size() > 256 ? 2 : 1;
      if (circular) {
        is(form::boxed, 8, 8, false);
      } else if (!has_fields(data)) {
        is(form::enumeration, number, number, true);
      } else {
        place_struct(type, number, made);
      }
      break;
    }
  }
}

// A struct, or a union of structs with the number of the constructor behind it.
void layouts::place_struct(const core::type& type, std::size_t number_size, layout& made) {
  const core::data_type& data = *type.data;
  made.plain = true;
  for (const core::constructor& one : data.constructors) {
    for (const core::type* field : one.fields) {
      made.plain = made.plain && found_.at(field).plain;
      made.holds_array = made.holds_array || found_.at(field).holds_array;
    }
    made.cells.push_back(fields_of(one, 0));
    field_order& last = made.cells.back();
    last.size = round_up(last.size, last.alignment);
    made.size = std::max(made.size, last.size);
    made.alignment = std::max(made.alignment, last.alignment);
  }
  made.form = is_sigma(type) ? form::pair : form::record;
  if (made.form == form::pair) {
    // Its fields keep their order: the runtime's natives make pairs too.
    const layout& first = found_.at(data.constructors[0].fields[0]);
    const layout& second = found_.at(data.constructors[0].fields[1]);
    made.cells[0].order = {0, 1};
    made.size = round_up(round_up(first.size, second.alignment) + second.size, made.alignment);
  } else if (data.constructors.size() > 1) {
    made.form = form::choice;
    made.alignment = std::max(made.alignment, number_size);
    made.size = round_up(round_up(made.size, number_size) + number_size, made.alignment);
  }
  std::size_t largest = largest_plain;
  if (made.form == form::pair) {
    largest = largest_pair;
  } else if (!made.plain) {
    largest = made.form == form::record ? largest_record : largest_choice;
  }
  if (made.size > largest)
    made = layout{.form = form::boxed, .size = 8, .alignment = 8, .cells = {}};
}

}  // namespace cleave::lang
