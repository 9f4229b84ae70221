#include "lang/emit_types.hpp"

#include "lang/emit_names.hpp"

namespace cleave::lang {
namespace {

using core::type_kind;

// Longer names of arrays and functions get an alias, so that text does not grow with depth.
constexpr std::size_t longest_name = 60;

std::string enumeration_name(const core::data_type& data, std::size_t size) {
  if (data.name == "Bool") return "bool";
  if (data.name == "Unit") return "unit";
  if (data.name == "Cmp") return "cmp";
  return size == 1 ? "std::uint8_t" : "std::uint16_t";
}

}  // namespace

type_writer::type_writer(const core::program& all, const layouts& shapes, bool device)
    : all_(all), shapes_(shapes), device_(device) {
  std::size_t number = 0;
  // Boxed types first: others may mention them before their place.
  for (const core::type& type : all.types) {
    if (type.kind == type_kind::data && shapes.of(type).form == form::boxed) {
      names_[&type] = identifier(type.data->name, number++) + "t";
    }
  }
  for (const core::type* type : shapes.in_order()) {
    std::string& name = names_[type];
    const auto part = [&](const core::type* of) { return names_.at(of); };
    switch (type->kind) {
      case type_kind::u32: name = "u32"; break;
      case type_kind::nat: name = "nat"; break;
      case type_kind::f32: name = "f32"; break;
      case type_kind::character: name = "character"; break;
      case type_kind::string: name = "string"; break;
      case type_kind::array: name = "array<" + part(type->first) + ">"; break;
      case type_kind::io: name = "io<" + part(type->first) + ">"; break;
      case type_kind::function:
        name = "function<" + part(type->first) + ", " + part(type->second) + ">";
        break;
      case type_kind::data: {
        const layout& found = shapes.of(*type);
        if (found.form == form::enumeration) {
          name = enumeration_name(*type->data, found.size);
        } else if (found.form != form::boxed) {
          name = identifier(type->data->name, number++) + "t";
        }
        break;
      }
    }
    if (name.size() > longest_name && type->kind != type_kind::data) {
      name = identifier("type", number++) + "t";
    }
  }

  for (const core::data_type& data : all.data) {
    std::vector<std::string>& structs = cells_[&data];
    std::vector<std::size_t>& lines = descriptors_[&data];
    const bool boxed = shapes.of(data).form == form::boxed;
    for (const core::constructor& one : data.constructors) {
      structs.push_back(identifier(one.name, number++) + "t");
      lines.push_back(descriptor_count_);
      if (boxed && !one.fields.empty()) ++descriptor_count_;
    }
  }
}

std::string type_writer::field(const core::type& type, std::size_t constructor,
                               std::size_t field) const {
  if (shapes_.of(type).form == form::pair) return field == 0 ? "fst" : "snd";
  const core::constructor& one = type.data->constructors[constructor];
  return identifier(field < one.field_names.size() ? one.field_names[field] : "", field);
}

void type_writer::struct_fields(const core::type& type, std::size_t constructor,
                                std::string& out) const {
  const layout& found = shapes_.of(type);
  const core::constructor& one = type.data->constructors[constructor];
  for (const std::size_t k : found.cells[constructor].order) {
    out += " " + name(*one.fields[k]) + " " + field(type, constructor, k) + ";";
  }
}

void type_writer::declare(const core::type& type, std::string& out) const {
  const layout& found = shapes_.of(type);
  const std::string& as = name(type);
  const auto part = [&](const core::type* of) { return names_.at(of); };
  switch (type.kind) {
    case type_kind::array:
      if (!as.starts_with("array<")) out += "using " + as + " = array<" + part(type.first) + ">;\n";
      return;
    case type_kind::io:
      if (!as.starts_with("io<")) out += "using " + as + " = io<" + part(type.first) + ">;\n";
      return;
    case type_kind::function:
      if (!as.starts_with("function<")) {
        out +=
            "using " + as + " = function<" + part(type.first) + ", " + part(type.second) + ">;\n";
      }
      return;
    case type_kind::data: break;
    default: return;
  }
  const core::data_type& data = *type.data;
  switch (found.form) {
    case form::pair:
      out += "using " + as + " = pair<" + part(data.constructors[0].fields[0]) + ", " +
             part(data.constructors[0].fields[1]) + ">;  // " + comment(data.name) + "\n";
      return;
    case form::record:
      out += "struct " + as + " {";
      struct_fields(type, 0, out);
      out += " };  // " + comment(data.name) + "\n";
      break;
    case form::choice: {
      out += "struct " + as + " {  // " + comment(data.name) + "\n";
      std::string members;
      for (std::size_t k = 0; k < data.constructors.size(); ++k) {
        if (data.constructors[k].fields.empty()) continue;
        out += "  struct " + cell(data, k) + "_fields {";
        struct_fields(type, k, out);
        out += " };\n";
        members += " " + cell(data, k) + "_fields " + cell(data, k) + ";";
      }
      out += "  union {" + members + " };\n  ";
      out += data.constructors.size() > 256 ? "std::uint16_t" : "std::uint8_t";
      out += " constructor;\n};\n";
      break;
    }
    default: return;
  }
  out += "static_assert(sizeof(" + as + ") == " + std::to_string(found.size) + ");\n";
  if (!found.plain) write_ops(type, out);
}

void type_writer::write_ops(const core::type& type, std::string& out) const {
  const layout& found = shapes_.of(type);
  const core::data_type& data = *type.data;
  std::string keeps;
  std::string scans;
  std::string copies;
  std::string moves;
  for (std::size_t k = 0; k < data.constructors.size(); ++k) {
    std::string keep;
    std::string scan;
    std::string copy;
    std::string move;
    for (std::size_t f = 0; f < data.constructors[k].fields.size(); ++f) {
      if (shapes_.of(*data.constructors[k].fields[f]).plain) continue;
      const std::string place =
          (found.form == form::choice ? "v." + cell(data, k) + "." : "v.") + field(type, k, f);
      keep += " runtime::keep(" + place + ");";
      scan += " runtime::scan(" + place + ", dead);";
      copy += " " + place + " = copy_of_view(" + place + ");";
      move += " " + place + " = runtime::to_device(" + place + ");";
    }
    if (keep.empty()) continue;
    if (found.form == form::choice) {
      const std::string when = " if (v.constructor == " + std::to_string(k) + ") {";
      keep = when + keep + " }";
      scan = when + scan + " }";
      copy = when + copy + " }";
      move = when + move + " }";
    }
    keeps += keep;
    scans += scan;
    copies += copy;
    moves += move;
  }
  const std::string as = "program::" + name(type);
  out += "}  // namespace program\ntemplate <>\nstruct ops<" + as + "> {\n";
  out += "  static constexpr bool plain = false;\n";
  const std::string begin = device_ ? "  CLEAVE_ON_DEVICE static " : "  static ";
  out += begin + "void keep(" + as + "& v) noexcept {" + keeps + " }\n";
  out += begin + "void scan(" + as + " v, pile& dead) noexcept {" + scans + " }\n";
  if (found.holds_array) {
    out += begin + as + " copy(" + as + " v) noexcept {" + copies + " return v; }\n";
    if (device_) {
      // A template: what no kernel gets may hold what no device has.
      out += "  template <class Value>\n  static Value to_device(Value v) noexcept {" + moves +
             " return v; }\n";
    }
  }
  out += "};\nnamespace program {\n";
}

std::string type_writer::declarations() const {
  std::string out;
  for (const core::type& type : all_.types) {
    if (type.kind == type_kind::data && shapes_.of(type).form == form::boxed) {
      out += "using " + name(type) + " = box<struct " + name(type) + "_name>;  // " +
             comment(type.data->name) + "\n";
    }
  }
  for (const core::type* type : shapes_.in_order()) declare(*type, out);
  return out;
}

std::string type_writer::cells() const {
  std::string out;
  for (const core::data_type& data : all_.data) {
    const core::type& type = shapes_.type_of(data);
    const layout& found = shapes_.of(type);
    if (found.form != form::boxed) continue;
    for (std::size_t k = 0; k < data.constructors.size(); ++k) {
      const core::constructor& one = data.constructors[k];
      if (one.fields.empty()) continue;
      const std::string& as = cell(data, k);
      out += "struct alignas(8) " + as + " { header head;";
      struct_fields(type, k, out);
      out += " };\n";
      out += "static_assert(sizeof(" + as + ") == " + std::to_string(found.cells[k].size) + ");\n";
      std::string takes;
      std::string gives;
      std::string scans;
      for (const std::size_t f : found.cells[k].order) gives += ", a" + std::to_string(f);
      for (std::size_t f = 0; f < one.fields.size(); ++f) {
        takes += ", " + name(*one.fields[f]) + " a" + std::to_string(f);
        if (shapes_.of(*one.fields[f]).plain) continue;
        scans += " scan(static_cast<" + as + "*>(cell)->" + field(type, k, f) + ", dead);";
      }
      out += "static inline " + name(type) + " make_" + as + "(void* memory" + takes + ") {\n";
      out += "  auto* const made = static_cast<" + as + "*>(memory);\n";
      out += "  *made = " + as + "{new_header(" + std::to_string(descriptor(data, k)) + ", " +
             std::to_string(k) + ")" + gives + "};\n";
      out += "  return " + name(type) + "::of(&made->head);\n}\n";
      if (scans.empty()) continue;
      out += "static void scan_" + as + "(void* cell, pile& dead) noexcept {" + scans + " }\n";
    }
  }
  return out;
}

std::string type_writer::descriptor_lines() const {
  std::string out;
  for (const core::data_type& data : all_.data) {
    if (shapes_.of(data).form != form::boxed) continue;
    for (std::size_t k = 0; k < data.constructors.size(); ++k) {
      const core::constructor& one = data.constructors[k];
      if (one.fields.empty()) continue;
      bool plain = true;
      for (const core::type* part : one.fields) plain = plain && shapes_.of(*part).plain;
      const std::string as = "program::" + cell(data, k);
      out += "    {sizeof(" + as + "), " + (plain ? "nullptr" : "program::scan_" + cell(data, k)) +
             "},\n";
    }
  }
  return out;
}

}  // namespace cleave::lang
