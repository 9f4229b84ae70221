// program_build.hpp -- from a program's file to one that the system can run.
//
// An unchanged program costs reading its files: the cache knows from which texts it was
// made. One that changed without a change of meaning, such as a comment, costs the front
// end. Only new C++ costs the compiler.
//
//   program_source source("life.bend");
//   program_build build(source, {.statistics = false});
//   translation said;
//   if (build.make(said) == program_build::result::made) execv(build.path().c_str(), ...);
#pragma once

#include <optional>
#include <string>

#include "child_process.hpp"
#include "compiler.hpp"
#include "program_cache.hpp"
#include "program_kit.hpp"
#include "program_source.hpp"

namespace cleave::tool {

class program_build {
 public:
  enum class result {
    made,     // path() is the program
    wrong,    // the diagnostics say why
    no_main,  // all is well, but there is nothing to run
  };

  program_build(program_source& source, compile_mode mode);

  // `into` receives what the front end says; an unchanged program says nothing again.
  // Throws command_error: no compiler, no space, or the compiler refuses the C++, which is
  // a fault of ours.
  result make(translation& into);

  // Requires: make() returned result::made.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  // False if the program goes away with this object.
  [[nodiscard]] bool lasting() const noexcept { return cache_.lasting(); }

 private:
  [[nodiscard]] std::string record_key() const;
  bool find_unchanged();
  void remember(const std::string& program);
  void compile(const std::string& key, const std::string& code);
  [[noreturn]] void fail(const std::string& key, const work_folder& work, std::string command,
                         const finished_child& done);
  std::optional<std::string> headers();

  program_source& source_;
  compile_mode mode_;
  program_kit kit_;
  std::optional<compiler> compiler_;
  program_cache cache_;
  std::string path_;
};

// Makes the compiled headers that most programs want in the folder `into`, for the build
// of Cleave itself.
void compile_headers_into(const std::string& into);

}  // namespace cleave::tool
