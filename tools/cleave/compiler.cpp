#include "compiler.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <cstdlib>
#include <sstream>
#include <string_view>
#include <utility>

#if defined(__x86_64__)
#  include <cpuid.h>
#endif

#include "commands.hpp"
#include "fingerprint.hpp"

namespace cleave::tool {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream source(text);
  std::vector<std::string> words;
  for (std::string word; source >> word;) words.push_back(std::move(word));
  return words;
}

bool is_program(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 && S_ISREG(about.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

// Where a command of this name is, as a shell finds it; empty if nowhere.
std::string in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_program(name) ? name : "";
  const std::string path = variable("PATH");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string folder = path.substr(begin, end - begin);
    const std::string place = (folder.empty() ? "." : folder) + "/" + name;
    if (is_program(place)) return place;
    begin = end + 1;
  }
  return "";
}

// The words, and for each that is a program which file that is: `ccache g++` changes when
// either does.
std::string identity_of(const std::vector<std::string>& words) {
  fingerprint all;
  for (const std::string& word : words) {
    all.add(word);
    const std::string place = word.starts_with('-') ? "" : in_path(word);
    std::array<char, PATH_MAX> real{};
    struct stat about{};
    if (place.empty() || ::realpath(place.c_str(), real.data()) == nullptr) continue;
    if (::stat(real.data(), &about) != 0) continue;
    all.add(real.data());
    all.add(static_cast<std::uint64_t>(about.st_size));
    all.add(static_cast<std::uint64_t>(about.st_mtim.tv_sec));
    all.add(static_cast<std::uint64_t>(about.st_mtim.tv_nsec));
  }
  return all.text();
}

// What -march=native looks at. A cache may be on a disk that several machines share.
std::string processor() {
  fingerprint all;
#if defined(__x86_64__)
  for (const unsigned leaf : {1U, 7U}) {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    if (__get_cpuid_count(leaf, 0, &a, &b, &c, &d) == 0) continue;
    // Leaf 1 has the number of the core that this runs on in b.
    all.add(a).add(leaf == 1 ? 0 : b).add(c).add(d);
  }
#else
  all.add(::getauxval(AT_HWCAP)).add(::getauxval(AT_HWCAP2));
#endif
  return all.text();
}

std::vector<std::string> options_of(compile_mode mode) {
  std::vector<std::string> options = {
      "-std=c++20",
      "-pipe",
      "-w",
      // For the compiled headers as well: clang compares.
      "-pthread",
      // Each operation on floats is rounded by itself.
      "-ffp-contract=off",
      // A jump to another function stays one, at every level.
      "-foptimize-sibling-calls",
  };
  const std::string_view sanitizers = CLEAVE_TOOL_SANITIZE;
  if (sanitizers.empty()) {
    options.emplace_back("-O3");
  } else {
    options.insert(options.end(), {"-O1", "-g1", fmt::format("-fsanitize={}", sanitizers),
                                   "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"});
  }
#if defined(__x86_64__)
  if (!mode.portable) options.emplace_back("-march=native");
#endif
  if (mode.statistics) options.emplace_back("-DCLEAVE_PROGRAM_STATS=1");
  if (mode.pieces) options.emplace_back("-DCLEAVE_TRACE_PIECES=1");
  if (mode.device == device_choice::host) options.emplace_back("-DCLEAVE_PROGRAM_DEVICE=1");
  if (mode.device == device_choice::cuda) options.emplace_back("-DCLEAVE_PROGRAM_DEVICE=2");
  return options;
}

// The same for nvcc: what it does not know is for the compiler of the host.
std::vector<std::string> nvcc_options_of(compile_mode mode) {
  std::vector<std::string> options = {
      "-std=c++20", "-O3", "-w",
      // Functions that a compiler could evaluate are the device's too.
      "--expt-relaxed-constexpr",
      // As on the host: see -ffp-contract above.
      "-fmad=false", "-Wno-deprecated-gpu-targets"};
  std::vector<std::string> host;
  for (const std::string& one : options_of(mode)) {
    if (one.starts_with("-D")) {
      options.push_back(one);
    } else if (one != "-std=c++20" && one != "-O3" && one != "-w" && one != "-pipe") {
      host.push_back(one);
    }
  }
  options.emplace_back("-Xcompiler=" + fmt::format("{}", fmt::join(host, ",")));
  return options;
}

// And the folders that a program looks in for what is no place where linkers look anyway.
std::vector<std::string> libraries(const program_kit& kit, bool nvcc) {
  // nvcc hands on to the linker what it is told to.
  const std::string linker = nvcc ? "-Xlinker=" : "-Wl,";
  std::vector<std::string> words = {kit.library + "/libcleave_runtime.a",
                                    kit.library + "/libcleave.a"};
  const std::string tbb = CLEAVE_TOOL_TBB_FOLDER;
  if (!tbb.empty()) words.insert(words.end(), {"-L" + tbb, linker + "-rpath," + tbb});
  words.emplace_back("-ltbb");
  if (nvcc) {
    words.emplace_back("-ldl");
    // The program loads libcleave_cuda.so, and is not beside it itself.
    words.emplace_back(linker + "-rpath," + kit.library);
  }
  // Programs are looked at in their own language; names of functions stay.
  if (std::string_view(CLEAVE_TOOL_SANITIZE).empty()) words.emplace_back(linker + "-S");
  return words;
}

}  // namespace

std::vector<std::string> compiler::compile(const program_kit& kit, compile_mode mode,
                                           const std::string& source, const std::string& headers,
                                           const std::string& output) const {
  std::vector<std::string> words = command;
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  const bool nvcc = mode.device == device_choice::cuda;
  if (nvcc) {
    add({"-ccbin", host.front()});
    for (auto more = host.begin() + 1; more != host.end(); ++more) add({"-Xcompiler=" + *more});
    add(nvcc_options_of(mode));
  } else {
    add(options_of(mode));
  }
  add({"-I" + kit.headers});
  if (!headers.empty()) add({"-include", headers});
  add({source, "-o", output});
  add(libraries(kit, nvcc));
  return words;
}

std::vector<std::string> compiler::compile_headers(const program_kit& kit, compile_mode mode,
                                                   const std::string& source,
                                                   const std::string& output) const {
  std::vector<std::string> words = command;
  const std::vector<std::string> options = options_of(mode);
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), {"-I" + kit.headers, "-x", "c++-header", source, "-o", output});
  return words;
}

std::optional<compiler> find_compiler() {
  compiler found;
  const std::vector<std::string> wanted = words_of(variable("CXX"));
  if (!wanted.empty()) {
    found.command = wanted;
    found.command.front() = in_path(wanted.front());
  } else {
    found.command = {""};
    for (const char* const name : {"c++", "g++", "clang++"}) {
      if (found.command.front().empty()) found.command.front() = in_path(name);
    }
  }
  if (found.command.front().empty()) return std::nullopt;
  found.identity = identity_of(found.command);
  return found;
}

std::string no_compiler() {
  const std::string wanted = variable("CXX");
  if (!words_of(wanted).empty()) {
    return fmt::format("there is no compiler {}, which CXX names; correct or unset CXX",
                       in_quotes(wanted));
  }
  return "there is no C++ compiler, which makes programs run; install g++ or clang, or name one "
         "in CXX";
}

std::optional<compiler> find_compiler(device_choice device) {
  std::optional<compiler> found = find_compiler();
  if (!found || device != device_choice::cuda) return found;
  const std::string folder = variable("CUDA_PATH");
  std::string nvcc = in_path("nvcc");
  if (nvcc.empty() && !folder.empty()) nvcc = in_path(folder + "/bin/nvcc");
  if (nvcc.empty()) nvcc = in_path("/usr/local/cuda/bin/nvcc");
  if (nvcc.empty()) return std::nullopt;
  found->host = std::exchange(found->command, {nvcc});
  found->identity += identity_of(found->command);
  return found;
}

std::string no_compiler(device_choice device) {
  if (device != device_choice::cuda || !find_compiler()) return no_compiler();
  return "there is no nvcc, which compiles for CUDA devices; install the CUDA toolkit, or name its "
         "folder in CUDA_PATH";
}

std::string identity_of(compile_mode mode) {
  fingerprint all;
  for (const std::string& option :
       mode.device == device_choice::cuda ? nvcc_options_of(mode) : options_of(mode)) {
    all.add(option);
  }
  if (!mode.portable) all.add(processor());
  return all.text();
}

std::string header_identity(const program_kit& kit, const compiler& with, compile_mode mode) {
  return fingerprint()
      .add(kit.headers)
      .add(kit.header_identity)
      .add(with.identity)
      .add(identity_of(mode))
      .text();
}

}  // namespace cleave::tool
