// compiler.hpp -- the C++ compiler of this machine, and how it is called for a program.
//
// $CXX names it, with options if one likes; without that it is the first of c++, g++ and
// clang++ that $PATH leads to. Programs for CUDA devices are compiled by nvcc, which is in $PATH,
// or in the folder bin of $CUDA_PATH or of /usr/local/cuda, and calls that compiler for the host's
// part.
//
//   const std::optional<compiler> with = find_compiler();
//   if (!with) throw command_error(no_compiler());
//   run_child(with->compile(kit, mode, "program.cpp", "", "program"), ...);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "program_kit.hpp"

namespace cleave::tool {

// Where the calls f!(x) of a program run.
enum class device_choice : std::uint8_t { off, host, cuda };

// What a program is compiled for.
struct compile_mode {
  // Code that counts what --stats prints.
  bool statistics = false;
  // Code that tells a recording of cuts and joins.
  bool pieces = false;
  // For any processor of this kind instead of the one that is here.
  bool portable = false;
  device_choice device = device_choice::off;
};

struct compiler {
  std::vector<std::string> command;  // the first word is a path
  std::vector<std::string> host;     // of nvcc: what it compiles the host's part with
  // Another compiler, or another version of it, has another one.
  std::string identity;

  // The command that makes the program `output` from `source`. `headers` is a file that
  // stands beside its compiled form, or empty.
  [[nodiscard]] std::vector<std::string> compile(const program_kit& kit, compile_mode mode,
                                                 const std::string& source,
                                                 const std::string& headers,
                                                 const std::string& output) const;

  // The command that makes the compiled form `output` of the header `source`.
  [[nodiscard]] std::vector<std::string> compile_headers(const program_kit& kit, compile_mode mode,
                                                         const std::string& source,
                                                         const std::string& output) const;
};

// Nothing if there is none. Costs a few calls of stat().
std::optional<compiler> find_compiler();

// What to say then.
std::string no_compiler();

// The one for programs of this kind: with nvcc in front of it where that is needed. Nothing if
// one of them is not there.
std::optional<compiler> find_compiler(device_choice device);
std::string no_compiler(device_choice device);

// The options that decide what the code of a program becomes; they include the processor.
std::string identity_of(compile_mode mode);

// The same for compiled headers.
std::string header_identity(const program_kit& kit, const compiler& with, compile_mode mode);

}  // namespace cleave::tool
