// emit.cpp -- a core program as one translation unit of C++.
//
//   types and ops<>, cells, constants, environments, declarations, definitions,
//   run_program(), the table of descriptors, main().
#include "lang/emit_functions.hpp"
#include "lang/emit_kernels.hpp"
#include "lang/emit_show.hpp"
#include "lang/front_end.hpp"

namespace cleave::lang {
namespace {

// Descriptors and constructors are numbered in 16 bits.
constexpr std::size_t most_descriptors = 65536;

// What main() of the program does: the action, or the value on a line.
std::string run_program(const core::function& main, const type_writer& types, bool device) {
  const std::string value = unit_writer::name(main) + "()";
  const std::string begin =
      std::string("static void run_program() {\n") + (device ? "  open_device();\n" : "");
  const std::string end = device ? "  close_device();\n}\n" : "}\n";
  if (main.result->kind == core::type_kind::io) {
    return begin + "  drop(run(" + value + "));\n" + end;
  }
  show_writer shows(types);
  std::string out = shows.define(*main.result);
  out += begin + "  " + types.name(*main.result) + " v = " + value + ";\n";
  out += "  text_writer to;\n " + shows.call(*main.result, "v") +
         "\n  print_line(to);\n  drop(v);\n" + end;
  return out;
}

}  // namespace

std::string emit(const core::program& all, const emit_options& options) {
  const layouts shapes(all);
  const type_writer types(all, shapes, options.device);
  const function_groups groups(all);
  const kernel_members members(all);
  unit_writer unit{.types = types, .groups = groups, .members = members};
  unit.descriptor_count = types.descriptor_count();

  const machine_text machines = define_machines(unit, all, members);
  const std::string definitions = define_functions(unit);
  std::string out = "// " + comment(options.source_name) + "\n";
  out += "#include <cleave/runtime/program.hpp>\n";
  if (options.device) out += "#include <cleave/runtime/kernel.hpp>\n";
  out += "\n";
  if (unit.descriptor_count > most_descriptors) out += "#error \"too many constructors\"\n";
  out += "namespace cleave::runtime {\nnamespace program {\n\n";
  out += types.declarations() + "\n" + types.cells() + "\n";
  out += unit.constants + "\n" + unit.closure_structs + "\n";
  out += declare_functions(unit) + "\n" + machines.types;
  out += machines.code + definitions + unit.closure_code + "\n";
  if (all.main != nullptr) out += run_program(*all.main, types, !machines.code.empty());
  out += "\n}  // namespace program\n\nconst descriptor descriptors[] = {\n";
  out += types.descriptor_lines() + unit.descriptor_lines + "    {0, nullptr}};\n\n";
  out += "}  // namespace cleave::runtime\n";
  if (all.main != nullptr) {
    out += "\nint main(int argc, char** argv) {\n";
    out +=
        "  return cleave::runtime::start(argc, argv, cleave::runtime::program::run_program);\n}\n";
  }
  return out;
}

}  // namespace cleave::lang
