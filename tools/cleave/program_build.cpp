#include "program_build.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <functional>
#include <utility>

#include "child_process.hpp"
#include "commands.hpp"
#include "fingerprint.hpp"
#include "progress_line.hpp"

namespace cleave::tool {
namespace {

namespace files = std::filesystem;

// The command as one would type it.
std::string shown(const std::vector<std::string>& command) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./+=,:@";
  std::vector<std::string> words;
  for (const std::string& word : command) {
    const bool quoted = word.empty() || word.find_first_not_of(plain) != std::string::npos;
    if (!quoted) {
      words.push_back(word);
      continue;
    }
    std::string text = "'";
    for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    words.push_back(text + "'");
  }
  return fmt::format("{}", fmt::join(words, " "));
}

// The compiler puts its own files beside what it makes, so that they go away with it.
std::vector<std::string> settings(const work_folder& work) {
  return {"TMPDIR=" + work.path()};
}

// Compiles the headers into a folder of `work` and returns it; nothing if that fails, since
// programs do without.
std::optional<std::string> make_headers(const compiler& with, const program_kit& kit,
                                        compile_mode mode, const work_folder& work,
                                        const std::function<void()>& patience) {
  std::string folder = work.path() + "/headers";
  std::error_code error;
  if (!files::create_directory(folder, error)) return std::nullopt;
  const std::string header = kit.headers + "/cleave/runtime/program.hpp";
  const finished_child done =
      run_child(with.compile_headers(kit, mode, header, folder + "/program.hpp.gch"),
                settings(work), patience);
  if (done.code != 0) return std::nullopt;
  // For a compiler that finds the compiled form not to its liking.
  write_file(folder + "/program.hpp", "#include <cleave/runtime/program.hpp>\n");
  return folder;
}

}  // namespace

program_build::program_build(program_source& source, compile_mode mode)
    : source_(source), mode_(mode), kit_(find_kit()), compiler_(find_compiler(mode.device)) {}

program_build::result program_build::make(translation& into) {
  // What a device cannot run is said each time.
  if (mode_.device == device_choice::off && find_unchanged()) return result::made;
  source_.translate(translation::goal::code, mode_.device != device_choice::off, into);
  if (!into.found.empty()) return result::wrong;
  if (into.all.main == nullptr) return result::no_main;
  if (!compiler_) throw command_error(no_compiler(mode_.device));
  const std::string key = fingerprint()
                              .add(into.code)
                              .add(kit_.header_identity)
                              .add(kit_.library_identity)
                              .add(compiler_->identity)
                              .add(identity_of(mode_))
                              .text();
  const auto lock = cache_.lock(key);
  if (const auto known = cache_.find_program(key)) {
    path_ = *known;
  } else {
    compile(key, into.code);
  }
  remember(key);
  return result::made;
}

// There is one record for each file and way to compile it, whatever is in the file. The
// paths in a record are those that were read, so they hold in one directory.
std::string program_build::record_key() const {
  std::error_code error;
  return fingerprint()
      .add(source_.path())
      .add(source_.path().starts_with('/') ? "" : files::current_path(error).string())
      .add(kit_.tool_identity)
      .add(kit_.header_identity)
      .add(kit_.library_identity)
      .add(identity_of(mode_))
      .text();
}

bool program_build::find_unchanged() {
  const std::optional<source_record> record = cache_.find_sources(record_key());
  if (!record) return false;
  // Without a compiler, what another one made is better than nothing.
  if (compiler_ && record->compiler != compiler_->identity) return false;
  for (const auto& [path, print] : record->files) {
    std::string error;
    const std::optional<std::string> text = source_.read(path, error);
    if (!text || fingerprint::of(*text) != print) return false;
  }
  const std::optional<std::string> program = cache_.find_program(record->program);
  if (!program) return false;
  path_ = *program;
  return true;
}

void program_build::remember(const std::string& program) {
  source_record record{compiler_->identity, program, {}};
  for (const auto& [path, text] : source_.files()) {
    record.files.emplace_back(path, fingerprint::of(text));
  }
  cache_.keep_sources(record_key(), record);
}

void program_build::compile(const std::string& key, const std::string& code) {
  progress_line line;
  const auto patience = [&] {
    line.show(fmt::format("compiling {}...", in_quotes(source_.path())));
  };
  const work_folder work(cache_);
  const bool cuda = mode_.device == device_choice::cuda;
  const std::string text = work.path() + (cuda ? "/program.cu" : "/program.cpp");
  const std::string program = work.path() + "/program";
  write_file(text, code);
  std::optional<std::string> compiled_headers = headers();
  const auto run = [&] {
    const std::string header = compiled_headers ? *compiled_headers + "/program.hpp" : "";
    const std::vector<std::string> command = compiler_->compile(kit_, mode_, text, header, program);
    return std::pair(command, run_child(command, settings(work), patience));
  };
  auto done = run();
  if (done.second.code != 0 && compiled_headers) {
    // They may be what is wrong: damaged, or made with system headers that have changed.
    compiled_headers.reset();
    done = run();
    if (done.second.code == 0) cache_.forget_headers(header_identity(kit_, *compiler_, mode_));
  }
  if (done.second.code == 0) {
    path_ = cache_.keep_program(key, program);
    return;
  }
  fail(key, work, shown(done.first), done.second);
}

// Keeps what the compiler was given and said, and throws.
void program_build::fail(const std::string& key, const work_folder& work, std::string command,
                         const finished_child& done) {
  for (const std::string_view name : {"-ltbb", "libtbb"}) {
    if (done.output.find(name) == std::string::npos) continue;
    throw command_error(
        "programs are linked with oneTBB, and its library is missing; install libtbb-dev");
  }
  const std::string folder = cache_.keep_failure(key, work.path());
  // The command works where the files are now.
  for (std::size_t at = 0; (at = command.find(work.path(), at)) != std::string::npos;
       at += folder.size()) {
    command.replace(at, work.path().size(), folder);
  }
  const std::string log = folder + "/log";
  write_file(log, fmt::format("{}\n\nended with {}\n\n{}", command, done.code, done.output));
  throw command_error(fmt::format(
      "internal error: the C++ compiler refuses what was made of {}; its command and messages "
      "are in {}, beside the C++; please report it",
      in_quotes(source_.path()), in_quotes(log)));
}

// The folder of the compiled headers. They are made when a program first needs them.
std::optional<std::string> program_build::headers() {
  // Not worth the time: few programs are run for their numbers, or on a device.
  if (mode_.statistics || mode_.pieces || mode_.device != device_choice::off) return std::nullopt;
  const std::string key = header_identity(kit_, *compiler_, mode_);
  const std::string ready = kit_.compiled_headers + "/" + key;
  std::error_code error;
  if (!kit_.compiled_headers.empty() && files::exists(ready + "/program.hpp.gch", error)) {
    return ready;
  }
  if (std::optional<std::string> known = cache_.find_headers(key)) return known;
  // In a cache that goes away they would serve one program.
  if (!cache_.lasting()) return std::nullopt;
  const auto lock = cache_.lock(key);
  if (std::optional<std::string> known = cache_.find_headers(key)) return known;
  progress_line line;
  const work_folder work(cache_);
  const std::optional<std::string> made = make_headers(*compiler_, kit_, mode_, work, [&] {
    line.show("compiling the headers of programs, once...");
  });
  if (!made) return std::nullopt;
  return cache_.keep_headers(key, *made);
}

void compile_headers_into(const std::string& into) {
  const std::optional<compiler> with = find_compiler();
  // Then there is nobody to make them for.
  if (!with) return;
  const program_kit kit = find_kit();
  const std::string place = into + "/" + header_identity(kit, *with, {});
  if (files::exists(place)) return;
  const program_cache cache;
  const work_folder work(cache);
  const std::optional<std::string> made = make_headers(*with, kit, {}, work, {});
  if (!made) throw command_error("the headers of programs do not compile");
  // Those of earlier builds serve nobody.
  files::remove_all(into);
  files::create_directories(into);
  files::copy(*made, place);
}

}  // namespace cleave::tool
