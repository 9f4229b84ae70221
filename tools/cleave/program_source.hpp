// program_source.hpp -- a program as text: its files, what is wrong with it, and its C++.
//
//   program_source source("life.bend");            // throws command_error if it cannot be read
//   const translation made = source.translate(translation::goal::code);
//   if (!made.found.empty()) throw wrong_program(...)
//
// Invariants:
//   S1  Each file is read once: what is compiled is what files() tells about, also when
//       the file changes meanwhile or is a pipe.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "lang/front_end.hpp"

namespace cleave::tool {

// What the front end makes of a program.
struct translation {
  // What is wrong alone; the C++; the C++ with the name of the file in it, for people.
  enum class goal { check, code, listing };

  // Keep what the diagnostics point to.
  lang::tree_store nodes;
  lang::source_program all;
  lang::diagnostics found;
  // Empty if something is wrong, if there is no main, or for goal::check.
  std::string code;
};

class program_source {
 public:
  explicit program_source(std::string path);
  program_source(const program_source&) = delete;
  program_source& operator=(const program_source&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

  // The text of a file, read at most once.
  std::optional<std::string> read(const std::string& path, std::string& error);

  // What was read so far, by path.
  [[nodiscard]] const std::map<std::string, std::string>& files() const noexcept { return files_; }

  // Runs the passes that the goal needs, as far as nothing is wrong.
  // `device`: the calls f!(x) are for one.
  void translate(translation::goal wanted, bool device, translation& into);

 private:
  std::string path_;
  std::map<std::string, std::string> files_;
};

}  // namespace cleave::tool
