#include "program_cache.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "cache_folder.hpp"
#include "commands.hpp"
#include "fingerprint.hpp"

namespace cleave::tool {
namespace {

namespace files = std::filesystem;
using namespace std::chrono_literals;

constexpr std::string_view seal_word = "\ncleave ";
constexpr std::size_t seal_size = seal_word.size() + 32 + 1;
constexpr std::string_view record_word = "cleave sources 1";
// What a small file takes on disk.
constexpr std::uint64_t block = 4096;

[[noreturn]] void fail(std::string_view what, const std::string& path, int error) {
  throw command_error(fmt::format("cannot {} {}: {}", what, in_quotes(path), reason(error)));
}

std::string seal_of(std::string_view program) {
  return fmt::format("{}{}\n", seal_word, fingerprint::of(program));
}

bool is_sealed(std::string_view program) {
  return program.size() > seal_size &&
         program.substr(program.size() - seal_size) == seal_of(unsealed(program));
}

void mark_used(const std::string& path) {
  ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0);
}

struct cached {
  std::string path;
  std::uint64_t bytes = 0;
  files::file_time_type used;
};

std::uint64_t size_of(const files::path& path) {
  std::error_code error;
  const std::uint64_t size = files::file_size(path, error);
  return error ? block : std::max(size, block);
}

// The entries of a folder; one that is a folder itself has the size of all in it.
void list(const std::string& folder, std::vector<cached>& all) {
  std::error_code error;
  for (files::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code gone;
    cached one{at->path().string(), 0, at->last_write_time(gone)};
    if (gone) continue;
    if (at->is_directory(gone)) {
      for (const auto& inside : files::directory_iterator(at->path(), gone)) {
        one.bytes += size_of(inside.path());
      }
    } else {
      one.bytes = size_of(at->path());
    }
    all.push_back(std::move(one));
  }
}

// Removes what a process that was killed has left behind.
void remove_old(const std::string& folder) {
  std::vector<cached> all;
  list(folder, all);
  const auto now = files::file_time_type::clock::now();
  for (const cached& one : all) {
    std::error_code error;
    if (now - one.used > 24h) files::remove_all(one.path, error);
  }
}

}  // namespace

std::optional<std::string> read_file(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return std::nullopt;
  std::string text;
  struct stat about {};
  bool whole = ::fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode);
  if (whole) text.resize(static_cast<std::size_t>(about.st_size));
  std::size_t filled = 0;
  while (whole && filled < text.size()) {
    const ssize_t size = ::read(descriptor, text.data() + filled, text.size() - filled);
    if (size < 0 && errno == EINTR) continue;
    whole = size > 0;
    if (whole) filled += static_cast<std::size_t>(size);
  }
  ::close(descriptor);
  if (!whole) return std::nullopt;
  return text;
}

void write_file(const std::string& path, std::string_view text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (descriptor < 0) fail("write", path, errno);
  while (!text.empty()) {
    const ssize_t size = ::write(descriptor, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) {
      const int error = errno;
      ::close(descriptor);
      fail("write", path, error);
    }
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  if (::close(descriptor) != 0 && errno != EINTR) fail("write", path, errno);
}

std::string_view unsealed(std::string_view program) {
  return program.substr(0, program.size() - std::min(program.size(), seal_size));
}

program_cache::program_cache() {
  const cache_place place = find_cache();
  if (place.writable) {
    folder_ = place.lasting;
    lasting_ = true;
    return;
  }
  readable_ = place.lasting;
  folder_ = temporary_folder() + "/cleave-XXXXXX";
  if (::mkdtemp(folder_.data()) == nullptr) {
    throw command_error(fmt::format("cannot make a folder for the program in {}: {}; set TMPDIR",
                                    in_quotes(temporary_folder()), reason(errno)));
  }
  for (const char* const part : {"programs", "sources", "headers", "failures", "work", "locks"}) {
    ::mkdir(fmt::format("{}/{}", folder_, part).c_str(), 0700);
  }
}

program_cache::~program_cache() {
  std::error_code error;
  if (!lasting_) files::remove_all(folder_, error);
}

std::optional<std::string> program_cache::find_program(const std::string& key) const {
  for (const std::string& folder : {folder_, readable_}) {
    if (folder.empty()) continue;
    std::string path = folder + "/programs/" + key;
    const std::optional<std::string> program = read_file(path);
    if (!program || !is_sealed(*program)) continue;
    mark_used(path);
    return path;
  }
  return std::nullopt;
}

std::string program_cache::keep_program(const std::string& key, const std::string& made) {
  std::optional<std::string> program = read_file(made);
  if (!program) fail("read", made, errno);
  program->append(seal_of(*program));
  write_file(made, *program);
  if (::chmod(made.c_str(), 0700) != 0) fail("make a program of", made, errno);
  std::string path = folder_ + "/programs/" + key;
  if (::rename(made.c_str(), path.c_str()) != 0) fail("write", path, errno);
  if (lasting_) evict();
  return path;
}

std::optional<source_record> program_cache::find_sources(const std::string& key) const {
  std::optional<std::string> text;
  for (const std::string& folder : {folder_, readable_}) {
    if (!text && !folder.empty()) text = read_file(folder + "/sources/" + key);
  }
  if (!text) return std::nullopt;
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text->size();) {
    const std::size_t end = std::min(text->find('\n', begin), text->size());
    lines.push_back(text->substr(begin, end - begin));
    begin = end + 1;
  }
  if (lines.size() < 4 || lines.front() != record_word || lines.back() != "end") {
    return std::nullopt;
  }
  source_record record{lines[1], lines[2], {}};
  mark_used(folder_ + "/sources/" + key);
  for (std::size_t i = 3; i + 1 < lines.size(); ++i) {
    const std::size_t blank = lines[i].find(' ');
    if (blank == std::string::npos) return std::nullopt;
    record.files.emplace_back(lines[i].substr(blank + 1), lines[i].substr(0, blank));
  }
  return record;
}

void program_cache::keep_sources(const std::string& key, const source_record& record) {
  std::string text = fmt::format("{}\n{}\n{}\n", record_word, record.compiler, record.program);
  for (const auto& [path, print] : record.files) {
    // A record has one line for each file.
    if (path.find('\n') != std::string::npos) return;
    text += fmt::format("{} {}\n", print, path);
  }
  text += "end\n";
  try {
    const work_folder work(*this);
    const std::string made = work.path() + "/sources";
    write_file(made, text);
    ::rename(made.c_str(), (folder_ + "/sources/" + key).c_str());
  } catch (const command_error&) {
    // A full disk. The next run looks at the program again.
  }
}

std::optional<std::string> program_cache::find_headers(const std::string& key) const {
  for (const std::string& folder : {folder_, readable_}) {
    if (folder.empty()) continue;
    std::string path = folder + "/headers/" + key;
    struct stat about {};
    if (::stat((path + "/program.hpp.gch").c_str(), &about) != 0) continue;
    mark_used(path);
    return path;
  }
  return std::nullopt;
}

std::string program_cache::keep_headers(const std::string& key, const std::string& made) {
  std::string path = folder_ + "/headers/" + key;
  // If it is there, another process was faster, and its work is as good.
  if (::rename(made.c_str(), path.c_str()) != 0 && errno != EEXIST && errno != ENOTEMPTY) {
    fail("write", path, errno);
  }
  return path;
}

void program_cache::forget_headers(const std::string& key) {
  std::error_code error;
  files::remove_all(folder_ + "/headers/" + key, error);
}

std::string program_cache::keep_failure(const std::string& key, const std::string& made) {
  const std::string folder = lasting_ ? folder_ + "/failures" : temporary_folder();
  std::string path = fmt::format("{}/cleave-{}", folder, key);
  std::error_code error;
  files::remove_all(path, error);
  if (::rename(made.c_str(), path.c_str()) != 0) fail("write", path, errno);
  return path;
}

program_cache::key_lock program_cache::lock(const std::string& key) const {
  const std::string path = folder_ + "/locks/" + key;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  while (descriptor >= 0 && ::flock(descriptor, LOCK_EX) != 0 && errno == EINTR) {
  }
  return key_lock(descriptor);
}

program_cache::key_lock::~key_lock() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void program_cache::evict() const {
  for (const char* const part : {"work", "locks"}) remove_old(folder_ + "/" + part);
  std::vector<cached> all;
  for (const char* const part : {"programs", "sources", "headers", "failures"}) {
    list(folder_ + "/" + part, all);
  }
  std::uint64_t total = 0;
  for (const cached& one : all) total += one.bytes;
  std::sort(all.begin(), all.end(),
            [](const cached& a, const cached& b) { return a.used < b.used; });
  const auto now = files::file_time_type::clock::now();
  for (const cached& one : all) {
    if (total <= most_bytes || now - one.used < 1min) return;
    std::error_code error;
    files::remove_all(one.path, error);
    if (!error) total -= one.bytes;
  }
}

work_folder::work_folder(const program_cache& cache) : path_(cache.folder() + "/work/XXXXXX") {
  if (::mkdtemp(path_.data()) == nullptr) fail("write in", cache.folder() + "/work", errno);
}

work_folder::~work_folder() {
  std::error_code error;
  files::remove_all(path_, error);
}

}  // namespace cleave::tool
