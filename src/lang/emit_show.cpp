#include "lang/emit_show.hpp"

#include "lang/emit_names.hpp"

namespace cleave::lang {
namespace {

using core::type_kind;

bool is_number_or_text(const core::type& type) {
  return type.kind == type_kind::u32 || type.kind == type_kind::nat ||
         type.kind == type_kind::f32 || type.kind == type_kind::character ||
         type.kind == type_kind::string;
}

bool is_list(const core::type& type) {
  return type.kind == type_kind::data && type.data->declaration != nullptr &&
         type.data->declaration->name == "List" && type.data->constructors.size() == 2 &&
         type.data->constructors[1].fields.size() == 2;
}

std::string put(const std::string& text) {
  return " to.put(" + string_literal(text) + ");";
}

}  // namespace

void show_writer::find(const core::type& first) {
  std::vector<const core::type*> open{&first};
  while (!open.empty()) {
    const core::type* const type = open.back();
    open.pop_back();
    if (is_number_or_text(*type) || !numbers_.try_emplace(type, found_.size()).second) continue;
    found_.push_back(type);
    if (type->kind == type_kind::array) open.push_back(type->first);
    if (type->kind != type_kind::data) continue;
    for (const core::constructor& one : type->data->constructors) {
      open.insert(open.end(), one.fields.begin(), one.fields.end());
    }
  }
}

std::string show_writer::call(const core::type& type, const std::string& value) const {
  const auto found = numbers_.find(&type);
  const std::string name =
      found == numbers_.end() ? "show" : "show" + std::to_string(found->second);
  return " " + name + "(to, " + value + ");";
}

std::string show_writer::define(const core::type& type) {
  find(type);
  std::string out;
  for (const core::type* one : found_) {
    out += "static void show" + std::to_string(numbers_.at(one)) + "(text_writer& to, " +
           types_.name(*one) + " v) noexcept;\n";
  }
  for (const core::type* one : found_) {
    out += "static void show" + std::to_string(numbers_.at(one)) + "(text_writer& to, " +
           types_.name(*one) + " v) noexcept {" + body(*one) + " }\n";
  }
  return out;
}

std::string show_writer::body(const core::type& type) const {
  if (type.kind == type_kind::array) {
    return " show_array(to, v, [](text_writer& to, " + types_.name(*type.first) + " v) {" +
           call(*type.first, "v") + " });";
  }
  if (type.kind != type_kind::data) return put("<function>");
  const layout& found = types_.layout_of(type);
  if (found.form == form::pair) {
    // (a, b, c) is (a, (b, c)).
    std::string out = put("(");
    std::string place = "v";
    const core::type* rest = &type;
    while (types_.layout_of(*rest).form == form::pair) {
      const core::constructor& pair = rest->data->constructors[0];
      out += call(*pair.fields[0], place + ".fst") + put(", ");
      place += ".snd";
      rest = pair.fields[1];
    }
    return out + call(*rest, place) + put(")");
  }
  if (is_list(type) && found.form == form::boxed) return list_body(type);
  if (type.data->constructors.size() == 1) return constructor(type, 0);
  std::string subject = "v";
  if (found.form == form::boxed) subject += ".constructor()";
  if (found.form == form::choice) subject += ".constructor";
  std::string out = " switch (" + subject + ") {\n";
  for (std::size_t k = 0; k < type.data->constructors.size(); ++k) {
    out += "    case " + std::to_string(k) + ":" + constructor(type, k) + " break;\n";
  }
  return out + "  }";
}

std::string show_writer::constructor(const core::type& type, std::size_t number) const {
  const core::constructor& one = type.data->constructors[number];
  const layout& found = types_.layout_of(type);
  std::string from = "v.";
  if (found.form == form::choice) from += types_.cell(*type.data, number) + ".";
  if (found.form == form::boxed) {
    from = "reinterpret_cast<" + types_.cell(*type.data, number) + "*>(v.cell())->";
  }
  std::string out = put(one.name + "{");
  for (std::size_t k = 0; k < one.fields.size(); ++k) {
    if (k > 0) out += put(", ");
    out += call(*one.fields[k], from + types_.field(type, number, k));
  }
  return out + put("}");
}

// [a, b], without recursion along the list.
std::string show_writer::list_body(const core::type& type) const {
  const std::string cell = "reinterpret_cast<" + types_.cell(*type.data, 1) + "*>(v.cell())->";
  return put("[") + "\n  for (bool first = true; !v.is_small(); v = " + cell +
         types_.field(type, 1, 1) + ") {\n    if (!first)" + put(", ") +
         "\n    first = false;\n   " +
         call(*type.data->constructors[1].fields[0], cell + types_.field(type, 1, 0)) + "\n  }\n " +
         put("]");
}

}  // namespace cleave::lang
