// diagnostic.hpp -- what is wrong with a program, and where.
//
// A pass reports and goes on where it can. Nothing is thrown for a wrong program.
//
//   diagnostics found;
//   found.report({.where = token.where, .expected = "a term", .observed = "')'"});
//   if (!found.empty()) std::cerr << to_text(found, colours::never);
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lang/source.hpp"

namespace cleave::lang {

// A second place that the message is about, such as the other use of a name.
struct remark {
  span where;
  std::string text;
};

struct diagnostic {
  span where;
  // Either both of these, or a message.
  std::string expected;
  std::string observed;
  std::string message;
  std::string def;  // the name of the def around it; empty if there is none
  std::vector<remark> remarks;
};

class diagnostics {
 public:
  // What comes after so many helps nobody: it is counted, not kept.
  static constexpr std::size_t most = 50;

  void report(diagnostic one);
  // What is no error, but not what the program asks for either.
  void warn(diagnostic one) { warnings_.push_back(std::move(one)); }
  // What is worth a line on standard error but is no error, such as a skipped proof.
  void note(std::string text) { notes_.push_back(std::move(text)); }

  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::size_t count() const noexcept { return count_; }
  [[nodiscard]] const std::vector<diagnostic>& all() const noexcept { return all_; }
  [[nodiscard]] const std::vector<diagnostic>& warnings() const noexcept { return warnings_; }
  [[nodiscard]] const std::vector<std::string>& notes() const noexcept { return notes_; }

 private:
  std::vector<diagnostic> all_;
  std::vector<diagnostic> warnings_;
  std::vector<std::string> notes_;
  std::size_t count_ = 0;
};

enum class colours : bool { never, always };

// As section 8.3 of the language says it: expected, observed, location, the lines
// around it and a caret. Warnings come first. Control characters of the source are shown as
// escapes.
[[nodiscard]] std::string to_text(const diagnostics& found, colours paint);

// The same as one JSON object: {"diagnostics": [{file, line, column, end_line, end_column,
// expected, observed, message, def, remarks}], "count": n, "warnings": [the same], "notes": [...]}.
[[nodiscard]] std::string to_json(const diagnostics& found);

}  // namespace cleave::lang
