// program_cache.hpp -- compiled programs on disk, found by what they were made from.
//
// The folder is $CLEAVE_CACHE, else cleave in $XDG_CACHE_HOME, else ~/.cache/cleave, else
// cleave-UID in $TMPDIR or /tmp. In it:
//
//   programs/KEY    a program, sealed: its own fingerprint stands behind its last byte
//   sources/KEY     what was read for a program, so that an unchanged one is found
//                   without looking at the language (see source_record)
//   headers/KEY/    compiled headers
//   failures/KEY/   what the compiler was given and said, where it refused
//   work/           what is being made
//   locks/          one file for each key in work
//
// Where it cannot be written, or another user could write in it, a private temporary
// folder stands in for it, which goes away at the end.
//
//   program_cache cache;
//   std::optional<std::string> path = cache.find_program(key);
//   if (!path) {
//     const work_folder work(cache);
//     ... make work.path() + "/program" ...
//     path = cache.keep_program(key, work.path() + "/program");
//   }
//
// Invariants:
//   C1  A name in programs, sources or headers leads to the whole of what it stands for
//       or to nothing, whoever else works there: things get their name when complete.
//   C2  A program that was cut short or changed on disk is not run: it is made again.
//   C3  After keep_program() the cache holds at most `most_bytes`, or what was used within
//       the last minute. What was used least recently goes first.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cleave::tool {

// What a program was made from: each file with the fingerprint of its text.
struct source_record {
  std::string compiler;
  std::string program;  // its key
  std::vector<std::pair<std::string, std::string>> files;
};

class program_cache {
 public:
  static constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;

  // Throws command_error where there is not even a place for temporary files.
  program_cache();
  // What was made in a temporary folder goes away.
  ~program_cache();
  program_cache(const program_cache&) = delete;
  program_cache& operator=(const program_cache&) = delete;

  // Where things are made.
  [[nodiscard]] const std::string& folder() const noexcept { return folder_; }
  // False if what is made goes away with this object.
  [[nodiscard]] bool lasting() const noexcept { return lasting_; }

  // The path of the program with this key, if it is there and whole; it then counts as used.
  [[nodiscard]] std::optional<std::string> find_program(const std::string& key) const;
  // Seals the file `made`, which lies in a work_folder, and gives it its name.
  std::string keep_program(const std::string& key, const std::string& made);

  [[nodiscard]] std::optional<source_record> find_sources(const std::string& key) const;
  // Does nothing where it cannot be written: it only saves time.
  void keep_sources(const std::string& key, const source_record& record);

  // The folder of compiled headers with this key, if it is there; it then counts as used.
  [[nodiscard]] std::optional<std::string> find_headers(const std::string& key) const;
  // Gives the folder `made`, which lies in a work_folder, its name.
  std::string keep_headers(const std::string& key, const std::string& made);
  void forget_headers(const std::string& key);

  // Keeps the folder `made` for people to look at, and returns where.
  std::string keep_failure(const std::string& key, const std::string& made);

  // While it lives, others that want the same key wait.
  class key_lock {
   public:
    explicit key_lock(int descriptor) : descriptor_(descriptor) {}
    ~key_lock();
    key_lock(const key_lock&) = delete;
    key_lock& operator=(const key_lock&) = delete;

   private:
    int descriptor_;
  };
  // Where the file system knows no locks, nobody waits, and the work is done twice.
  [[nodiscard]] key_lock lock(const std::string& key) const;

 private:
  void evict() const;

  std::string folder_;
  // Where to look as well; empty, or another folder that cannot be written.
  std::string readable_;
  bool lasting_ = false;
};

// A new folder in the cache, removed with all that is in it.
class work_folder {
 public:
  explicit work_folder(const program_cache& cache);
  ~work_folder();
  work_folder(const work_folder&) = delete;
  work_folder& operator=(const work_folder&) = delete;

  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

// The bytes of a file; nothing if it cannot be read.
std::optional<std::string> read_file(const std::string& path);
// The program without its seal.
std::string_view unsealed(std::string_view program);
// Throws command_error.
void write_file(const std::string& path, std::string_view text);

}  // namespace cleave::tool
