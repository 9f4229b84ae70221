// front_end.hpp -- the passes, from a file's name to C++.
//
//   tree_store nodes; diagnostics found;
//   const auto all = load("life.bend", read_from_disk, nodes, found);   // lex, parse, imports
//   resolve(all, found);                                                // names, shapes, laws
//   check_affine(all, found);                                           // each array once
//   if (found.empty()) {
//     core::program made;
//     elaborate(all, made, found);                                      // types, instances
//     own(made);                                                        // who frees what
//     std::string cpp = emit(made, {});
//   }
//
// Each pass requires that the ones before it reported nothing; load() and resolve() go on
// after an error and report what else they see.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lang/core.hpp"
#include "lang/device_calls.hpp"
#include "lang/diagnostic.hpp"
#include "lang/tree.hpp"

namespace cleave::lang {

// One file with what its aliases stand for.
struct module {
  std::unique_ptr<source_file> source;
  file_tree tree;
  // Null for a module that could not be read.
  std::vector<std::pair<std::string_view, const module*>> aliases;
  bool base = false;  // a part of Base; all of these share one name space
};

struct source_program {
  std::vector<std::unique_ptr<module>> modules;  // Base first, then imports, the main file last
  const def_decl* main = nullptr;                // null if the main file has none
};

// The text of a file; empty with the reason in `error` if it cannot be read.
using file_reader =
    std::function<std::optional<std::string>(const std::string& path, std::string& error)>;

// Reads a file of at most source_file::largest bytes.
[[nodiscard]] std::optional<std::string> read_from_disk(const std::string& path,
                                                        std::string& error);

// The tokens of `source` as a tree. Reports all errors that it can tell apart.
// `base`: `@native` defs and the mark & are allowed.
[[nodiscard]] file_tree parse(const source_file& source, bool base, tree_store& nodes,
                              diagnostics& found);

// Parses the file, Base, and all that they import.
[[nodiscard]] source_program load(const std::string& path, const file_reader& read,
                                  tree_store& nodes, diagnostics& found);

// Fills what tree.hpp calls resolved, and checks all of section 9's light check.
void resolve(source_program& all, tree_store& nodes, diagnostics& found);

// Section 9.1: what is bound without + is used at most once on each path.
void check_affine(const source_program& all, diagnostics& found);

// Makes an instance of all that main needs. With `device`, what the calls f!(x) need is made
// for the device, but those that it refuses. Requires: all.main.
void elaborate(const source_program& all, core::program& made, diagnostics& found,
               device_calls* device = nullptr);

// Makes ownership explicit: borrowed parameters, keep and drop, tokens.
void own(core::program& all);

// What a program becomes, all passes from elaborate() to own(). With `device`, a call f!(x) that
// the device cannot run is one like any other, and a warning says so.
void make_core(const source_program& all, bool device, core::program& made, diagnostics& found);

struct emit_options {
  std::string source_name;  // for a comment
  bool device = false;      // with the kernels of the program
};

// One C++20 translation unit over include/cleave/runtime/.
[[nodiscard]] std::string emit(const core::program& all, const emit_options& options);

// The text of Base, the file src/lang/base/*.bend in one, made part of the tool.
struct base_file {
  std::string_view name;
  std::string_view text;
};
[[nodiscard]] const std::vector<base_file>& base_files();

}  // namespace cleave::lang
