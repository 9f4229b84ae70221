#include "lang/reuse.hpp"

namespace cleave::lang {
namespace {

memory_kind cell_of(const core::type& type, std::size_t constructor, const layouts& shapes) {
  const layout& found = shapes.of(type);
  if (found.form != form::boxed || type.data->constructors[constructor].fields.empty()) return {};
  return {found.cells[constructor].size, cell_header, false};
}

memory_kind slot_of(const core::type& element, const layouts& shapes) {
  const layout& found = shapes.of(element);
  return {found.size, found.alignment, true};
}

}  // namespace

bool takes_halves(const core::branching& cases, const core::arm& one) {
  return cases.subject.of->kind == core::type_kind::array && one.constructor == 1 &&
         (one.fields[0] != nullptr || one.fields[1] != nullptr);
}

memory_kind memory_freed(const core::branching& cases, const core::arm& one,
                         const layouts& shapes) {
  if (cases.test != core::test_kind::constructors || cases.subject.name == nullptr) return {};
  const core::type& type = *cases.subject.of;
  if (type.kind == core::type_kind::array && one.constructor == 0) {
    return slot_of(*type.first, shapes);
  }
  if (type.kind != core::type_kind::data) return {};
  return cell_of(type, one.constructor, shapes);
}

memory_kind memory_needed(const core::step& one, const layouts& shapes) {
  if (one.kind != core::step_kind::let || one.name == nullptr) return {};
  if (one.what.kind == core::operation_kind::leaf) {
    return slot_of(*one.what.arguments[0].of, shapes);
  }
  if (one.what.kind == core::operation_kind::construct &&
      one.name->of->kind == core::type_kind::data) {
    return cell_of(*one.name->of, one.what.constructor, shapes);
  }
  return {};
}

}  // namespace cleave::lang
