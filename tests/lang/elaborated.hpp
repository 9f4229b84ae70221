// elaborated.hpp -- a program in memory, as core.
//
//   elaborated one("def f(x: U32) -> U32:\n  g(x)\n...def main() -> U32:\n  f(1)\n");
//   one.said()        // what is wrong, empty if nothing
//   one.code("f")     // the text of the def f
//
//   code_of("def f(x: U32) -> U32:\n  x\n")     // of the last def of the text
//   wrong_in("def f(x: U32) -> Nat:\n  x\n")    // what is said about such a text
//
// `import Base` is put in front, so that the text begins on line 2. The core program keeps
// its invariants, or `code` says which it breaks.
#pragma once

#include <string>
#include <vector>

#include "checked.hpp"
#include "lang/core.hpp"

namespace cleave::lang {

class elaborated : public checked {
 public:
  explicit elaborated(const std::string& text) : checked("import Base\n" + text) {
    if (!found.empty()) return;
    elaborate(all, made, found);
    if (!found.empty()) return;
    broken = core::check(made, false);
    text_ = core::to_text(made);
  }

  // All functions with the name, one after the other.
  [[nodiscard]] std::string code(const std::string& name) const {
    if (!found.empty()) return said()[0];
    if (!broken.empty()) return broken;
    std::string code;
    bool wanted = false;
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = text_.find('\n', at) + 1;
      const std::string line = text_.substr(at, end - at);
      if (line[0] != ' ') wanted = line.starts_with("def " + name + "(");
      if (wanted) code += line;
      at = end;
    }
    return code;
  }

  [[nodiscard]] std::size_t count(const std::string& name) const {
    std::size_t count = 0;
    for (const core::function& one : made.functions) count += one.name == name ? 1 : 0;
    return count;
  }

  // Broken invariants of core.
  std::string broken;
  core::program made;

 private:
  std::string text_;
};

// A main that mentions the last def of the text.
inline std::string with_main(const std::string& text) {
  const std::size_t def = text.rfind("def ") + 4;
  const std::string name = text.substr(def, text.find('(', def) - def);
  return text + "def main() -> U32:\n  _ = " + name + "\n  0\n";
}

inline std::string code_of(const std::string& text) {
  const std::size_t def = text.rfind("def ") + 4;
  return elaborated(with_main(text)).code(text.substr(def, text.find('(', def) - def));
}

inline std::vector<std::string> wrong_in(const std::string& text) {
  return elaborated(with_main(text)).said();
}

}  // namespace cleave::lang
