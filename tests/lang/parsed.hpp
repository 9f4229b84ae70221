// parsed.hpp -- a text in memory, parsed.
//
//   parsed one("def f() -> U32:\n  )\n");
//   one.text()   // the tree as tree_text.hpp writes it
//   one.said()   // {"2:3 f: expected a term, observed ')'"}
//   body_of("x = 1\n  x")   // what these lines are as the body of a def
#pragma once

#include <string>
#include <vector>

#include "lang/front_end.hpp"
#include "tree_text.hpp"

namespace cleave::lang::test {

class parsed {
 public:
  explicit parsed(std::string text, bool base = false) : source("main.bend", std::move(text)) {
    tree = parse(source, base, nodes, found);
  }

  [[nodiscard]] std::string text() const { return to_text(tree); }

  [[nodiscard]] std::vector<std::string> said() const {
    std::vector<std::string> all;
    for (const diagnostic& one : found.all()) {
      const position at = source.position_of(one.where.begin);
      std::string text = std::to_string(at.line) + ":" + std::to_string(at.column);
      if (!one.def.empty()) text += " " + one.def;
      text += ": ";
      text += one.message.empty() ? "expected " + one.expected + ", observed " + one.observed
                                  : one.message;
      all.push_back(std::move(text));
    }
    return all;
  }

  // The text that a span covers.
  [[nodiscard]] std::string covered(const span& where) const {
    return std::string(source.text().substr(where.begin, where.end - where.begin));
  }

  source_file source;
  tree_store nodes;
  diagnostics found;
  file_tree tree;
};

// The errors of a text, or what it is if there are none.
inline std::string result_of(const parsed& one, const std::string& text) {
  std::string errors;
  for (const std::string& each : one.said()) errors += (errors.empty() ? "" : "\n") + each;
  return errors.empty() ? text : errors;
}

inline std::string tree_of(const std::string& text, bool base = false) {
  const parsed one(text, base);
  return result_of(one, one.text());
}

// Of a body; its first line is line 2 and stands in column 3.
inline std::string body_of(const std::string& text) {
  const parsed one("def f() -> T:\n  " + text + "\n");
  return result_of(one, one.tree.defs.empty() ? "" : to_text(one.tree.defs[0]->body));
}

// Of a type.
inline std::string type_of(const std::string& text) {
  const parsed one("def f(x: " + text + ") -> T:\n  x\n");
  return result_of(one, one.tree.defs.empty() ? "" : to_text(one.tree.defs[0]->parameters[0].type));
}

// Of the patterns of one case; they begin in line 3, column 10.
inline std::string patterns_of(const std::string& text, std::size_t width = 1) {
  std::string subjects;
  for (std::size_t k = 0; k < width; ++k) subjects += " x";
  const parsed one("def f() -> T:\n  match" + subjects + ":\n    case " + text + ": x\n");
  std::string patterns;
  if (one.said().empty()) {
    for (const pattern* each : as<match_term>(one.tree.defs[0]->body)->rows[0].patterns) {
      patterns += (patterns.empty() ? "" : " ") + to_text(each);
    }
  }
  return result_of(one, patterns);
}

}  // namespace cleave::lang::test
