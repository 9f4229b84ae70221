// loader.cpp -- from a file's name to the trees of all that it imports.
//
// Imports are followed depth first with a stack of our own, so that a chain of files
// costs no machine stack. A file is known by its canonical path: it is read and parsed
// once, however many names lead to it.
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "lang/front_end.hpp"

namespace cleave::lang {
namespace {

namespace fs = std::filesystem;

// What a program of files made to harm may cost.
constexpr std::size_t most_modules = 10'000;
constexpr std::size_t most_bytes = std::size_t{32} << 20;
constexpr std::size_t longest_path = 4096;

// The same text for all names of one file. A path that leads nowhere is tidied as text.
std::string canonical(const std::string& path) {
  std::error_code failed;
  const fs::path found = fs::weakly_canonical(path, failed);
  return failed ? fs::path(path).lexically_normal().string() : found.string();
}

std::string path_beside(const std::string& importer, std::string_view path) {
  return (fs::path(importer).parent_path() / path).lexically_normal().string();
}

bool is_hub(std::string_view path) {
  return path.starts_with("0x") || path.find('@') != std::string_view::npos;
}

bool is_printable(std::string_view path) {
  for (const char c : path) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return false;
  }
  return true;
}

class loader {
 public:
  loader(const file_reader& read, tree_store& nodes, diagnostics& found)
      : read_(read), nodes_(nodes), found_(found) {}

  source_program load(const std::string& path);

 private:
  // A file whose imports are being followed.
  struct visit {
    std::unique_ptr<module> made;
    std::string key;
    std::size_t next = 0;  // the import to look at
  };

  void load_base();
  void open(const std::string& path, std::string key, span asked_at);
  void follow(const import_decl& wanted);
  bool is_allowed(const module& importer, const import_decl& wanted);
  void report_cycle(const std::string& key, span where);

  const file_reader& read_;
  tree_store& nodes_;
  diagnostics& found_;
  source_program all_;
  std::vector<visit> open_;
  // By canonical path; null while it is open, and for what could not be read.
  std::unordered_map<std::string, const module*> known_;
  std::unordered_set<std::string> unreadable_;
  std::size_t bytes_ = 0;
};

source_program loader::load(const std::string& path) {
  load_base();
  open(path, canonical(path), {});
  while (!open_.empty()) {
    visit& top = open_.back();
    const std::vector<import_decl>& imports = top.made->tree.imports;
    if (top.next < imports.size()) {
      follow(imports[top.next]);
      continue;
    }
    known_[top.key] = top.made.get();
    all_.modules.push_back(std::move(top.made));
    open_.pop_back();
  }
  if (!all_.modules.empty() && !all_.modules.back()->base) {
    for (const def_decl* def : all_.modules.back()->tree.defs) {
      if (def->name == "main" && all_.main == nullptr) all_.main = def;
    }
  }
  return std::move(all_);
}

void loader::load_base() {
  for (const base_file& file : base_files()) {
    auto made = std::make_unique<module>();
    made->source = std::make_unique<source_file>(std::string(file.name), std::string(file.text));
    made->base = true;
    made->tree = parse(*made->source, true, nodes_, found_);
    all_.modules.push_back(std::move(made));
  }
}

// Reads and parses a file, and puts it on top of the stack; reports and does nothing if
// that fails.
void loader::open(const std::string& path, std::string key, span asked_at) {
  std::string error;
  std::optional<std::string> text;
  if (known_.size() >= most_modules) {
    error = "more than " + std::to_string(most_modules) + " files";
  } else {
    text = read_(path, error);
  }
  if (text && text->size() > source_file::largest) {
    error = "larger than " + std::to_string(source_file::largest >> 20) + " MiB";
    text.reset();
  }
  if (text && bytes_ + text->size() > most_bytes) {
    error = "all files together are larger than " + std::to_string(most_bytes >> 20) + " MiB";
    text.reset();
  }
  if (!text) {
    diagnostic wrong;
    wrong.where = asked_at;
    wrong.message = "cannot read " + path + ": " + error;
    found_.report(std::move(wrong));
    unreadable_.insert(std::move(key));
    return;
  }
  bytes_ += text->size();
  visit opened;
  opened.made = std::make_unique<module>();
  opened.made->source = std::make_unique<source_file>(path, std::move(*text));
  opened.made->tree = parse(*opened.made->source, false, nodes_, found_);
  opened.key = std::move(key);
  known_[opened.key] = nullptr;
  open_.push_back(std::move(opened));
}

// Looks at an import of the file on top. Leaves it the next one to look at if its file
// must be opened first.
void loader::follow(const import_decl& wanted) {
  const std::size_t importer = open_.size() - 1;
  if (wanted.path == "Base") {
    ++open_[importer].next;
    return;
  }
  module& from = *open_[importer].made;
  if (!is_allowed(from, wanted)) {
    ++open_[importer].next;
    from.aliases.emplace_back(wanted.alias, nullptr);
    return;
  }
  const std::string path = path_beside(from.source->name(), wanted.path);
  std::string key = canonical(path);
  if (const auto at = known_.find(key); at != known_.end()) {
    ++open_[importer].next;
    if (at->second == nullptr) report_cycle(key, wanted.where);
    from.aliases.emplace_back(wanted.alias, at->second);
  } else if (unreadable_.contains(key)) {
    ++open_[importer].next;
    from.aliases.emplace_back(wanted.alias, nullptr);
  } else {
    open(path, std::move(key), wanted.where);
  }
}

bool loader::is_allowed(const module& importer, const import_decl& wanted) {
  diagnostic wrong;
  wrong.where = wanted.where;
  if (is_hub(wanted.path)) {
    wrong.message = "not in the supported subset: an import from the package hub";
  } else if (!wanted.path.ends_with(".bend") || !is_printable(wanted.path)) {
    wrong.expected = "'Base' or the path of a file that ends in .bend";
    wrong.observed = "'" + std::string(wanted.path.substr(0, 80)) + "'";
  } else if (importer.source->name().size() + wanted.path.size() > longest_path) {
    wrong.message = "a path of more than " + std::to_string(longest_path) + " bytes";
  } else {
    return true;
  }
  found_.report(std::move(wrong));
  return false;
}

// The files from the one that is imported again up to the top of the stack are the cycle.
void loader::report_cycle(const std::string& key, span where) {
  diagnostic wrong;
  wrong.where = where;
  wrong.message = "an import cycle";
  std::size_t first = 0;
  while (open_[first].key != key) ++first;
  constexpr std::size_t shown = 8;
  for (std::size_t k = first; k + 1 < open_.size() && k - first < shown; ++k) {
    const module& importer = *open_[k].made;
    const import_decl& next = importer.tree.imports[open_[k].next];
    wrong.remarks.push_back({next.where, "which is imported here"});
  }
  found_.report(std::move(wrong));
}

}  // namespace

source_program load(const std::string& path, const file_reader& read, tree_store& nodes,
                    diagnostics& found) {
  return loader(read, nodes, found).load(path);
}

std::optional<std::string> read_from_disk(const std::string& path, std::string& error) {
  // Anything but a regular file may never end, or never begin.
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (status.type() == fs::file_type::not_found) {
    error = "no such file";
    return std::nullopt;
  }
  if (failed) {
    error = failed.message();
    return std::nullopt;
  }
  if (!fs::is_regular_file(status)) {
    error = "not a file";
    return std::nullopt;
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (file == nullptr) {
    error = std::generic_category().message(errno);
    return std::nullopt;
  }
  std::string text;
  char piece[1 << 16];
  std::size_t count = sizeof piece;
  while (count == sizeof piece && text.size() <= source_file::largest) {
    count = std::fread(piece, 1, sizeof piece, file.get());
    text.append(piece, count);
  }
  if (text.size() > source_file::largest) {
    error = "larger than " + std::to_string(source_file::largest >> 20) + " MiB";
    return std::nullopt;
  }
  if (std::ferror(file.get()) != 0) {
    error = std::generic_category().message(errno);
    return std::nullopt;
  }
  return text;
}

}  // namespace cleave::lang
