// elaborate.cpp -- from the resolved trees to core: all instances that main needs.
#include "lang/elaborate_blocks.hpp"
#include "lang/elaborate_tidy.hpp"
#include "lang/kinds.hpp"

namespace cleave::lang {
namespace {

// The constructors of the types that the program turned out to have, and of those that
// these are made of.
void fill_data(type_table& types, fact_table& facts, reporter& report) {
  while (core::data_type* const data = types.next_unfilled()) {
    std::vector<shape*> arguments;
    arguments.reserve(data->arguments.size());
    for (const core::type* one : data->arguments) arguments.push_back(types.of(one));
    shape* const whole = types.data(*data->declaration, std::move(arguments));
    for (const constructor_decl* one : data->declaration->constructors) {
      core::constructor& made = data->constructors.emplace_back();
      made.name = one->name;
      const std::vector<shape*> fields = facts.fields_of(*one, whole);
      for (std::size_t k = 0; k < fields.size(); ++k) {
        if (fields[k] == nullptr) continue;
        made.field_names.emplace_back(one->fields[k].name);
        made.fields.push_back(types.close(fields[k]));
        const bool copied = says_data(*data->declaration) || one->fields[k].how == mark::reusable;
        if (copied && !is_data(*made.fields.back())) {
          report.mismatch(one->fields[k].where,
                          "Data (for a field of " + std::string(data->declaration->name) + ")",
                          "Type (" + to_text(*made.fields.back()) + " has one owner)");
        }
      }
    }
  }
}

}  // namespace

void elaborate(const source_program& all, core::program& made, diagnostics& found,
               device_calls* device) {
  reporter report(found);
  type_table types(made);
  fact_table facts(all, types, report);
  const constructor_decl* const unit = facts.base_constructor("Unit");
  if (unit == nullptr) {
    report.message(all.main->where, "Base lacks Unit");
    return;
  }
  types.set_rest(types.data(*unit->type, {}));
  instance_table instances(made, types, report);
  made.main = instances.get({.def = all.main, .facts = {}}, all.main->where);
  elaboration shared{made, types, facts, instances, report, device};
  while (const instance* const next = instances.next()) {
    body_maker(shared, *next).make();
    if (found.count() > diagnostics::most) return;
  }
  report.in_def({});
  fill_data(types, facts, report);
  if (types.take_too_large()) {
    report.message(all.main->where, "a type of the program has more than " +
                                        std::to_string(type_table::largest) + " parts");
  }
  if (found.empty()) tidy(made);
}

}  // namespace cleave::lang
