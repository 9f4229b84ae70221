// checked.hpp -- a program in memory, as it is after the checks.
//
//   checked one("import Base\ndef main() -> U32:\n  x\n");
//   one.said()        // {"3:3 main: expected a defined name, observed 'x'"}
//   checked two({{"main.bend", "..."}, {"lib/list.bend", "..."}});
#pragma once

#include <map>
#include <string>
#include <vector>

#include "lang/front_end.hpp"

namespace cleave::lang {

class checked {
 public:
  explicit checked(std::string main) : checked({{"main.bend", std::move(main)}}) {}

  explicit checked(std::map<std::string, std::string> files) : files_(std::move(files)) {
    const auto read = [this](const std::string& path,
                             std::string& error) -> std::optional<std::string> {
      ++reads[path];
      const auto at = files_.find(path);
      if (at == files_.end()) {
        error = "no such file";
        return std::nullopt;
      }
      return at->second;
    };
    all = load("main.bend", read, nodes, found);
    resolve(all, nodes, found);
    if (found.empty()) check_affine(all, found);
  }

  [[nodiscard]] static std::string place_of(const span& where) {
    if (where.file == nullptr) return "nowhere";
    const position at = where.file->position_of(where.begin);
    std::string text = std::to_string(at.line) + ":" + std::to_string(at.column);
    return where.file->name() == "main.bend" ? text : where.file->name() + ":" + text;
  }

  [[nodiscard]] static std::string text_of(const diagnostic& one) {
    std::string text = place_of(one.where);
    if (!one.def.empty()) text += " " + one.def;
    text += ": ";
    return one.message.empty() ? text + "expected " + one.expected + ", observed " + one.observed
                               : text + one.message;
  }

  [[nodiscard]] std::vector<std::string> said() const {
    std::vector<std::string> texts;
    for (const diagnostic& one : found.all()) texts.push_back(text_of(one));
    return texts;
  }

  // The remarks of the first diagnostic.
  [[nodiscard]] std::vector<std::string> remarks() const {
    std::vector<std::string> texts;
    for (const remark& one : found.all().at(0).remarks) {
      texts.push_back((one.where.file != nullptr ? place_of(one.where) + " " : "") + one.text);
    }
    return texts;
  }

  [[nodiscard]] const module& file(const std::string& name) const {
    for (const auto& one : all.modules) {
      if (one->source->name() == name) return *one;
    }
    throw std::out_of_range(name);
  }
  [[nodiscard]] const def_decl& def(std::string_view name,
                                    const std::string& of = "main.bend") const {
    for (const def_decl* one : file(of).tree.defs) {
      if (one->name == name) return *one;
    }
    throw std::out_of_range(std::string(name));
  }

  tree_store nodes;
  diagnostics found;
  source_program all;
  std::map<std::string, int> reads;

 private:
  std::map<std::string, std::string> files_;
};

// What is said about a file that begins with `import Base`; the text begins on line 2.
inline std::vector<std::string> said_of(const std::string& text) {
  return checked("import Base\n" + text).said();
}

}  // namespace cleave::lang
