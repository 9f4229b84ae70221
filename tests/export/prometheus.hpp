// prometheus.hpp -- reads the text format of Prometheus as strictly as its description is.
//
//   const prometheus::exposition read(text);
//   EXPECT_EQ(read.wrong(), "");
//   EXPECT_EQ(read.value("cleave_heap_live_bytes"), "12345");
//   EXPECT_EQ(read.value("x", {{"label", "a \"quoted\" word"}}), "1");
//
// Wrong are: names with other letters, a sample without HELP and TYPE before it, a family in two
// places, a series that is there twice, a value that is no number, a counter without "_total", a
// gauge with it, a last line without its end.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace cleave::test::prometheus {

using labels = std::map<std::string, std::string>;

class exposition {
 public:
  explicit exposition(std::string_view text) {
    while (!text.empty() && wrong_.empty()) {
      const std::size_t end = text.find('\n');
      if (end == std::string_view::npos) {
        fail("the last line has no end", text);
        return;
      }
      line(text.substr(0, end));
      text.remove_prefix(end + 1);
    }
  }

  // What is wrong first; empty if nothing is.
  [[nodiscard]] const std::string& wrong() const { return wrong_; }
  // The value as it is written; empty if there is no such series.
  [[nodiscard]] std::string value(const std::string& name, const labels& of = {}) const {
    const auto at = series_.find({name, of});
    return at == series_.end() ? "" : at->second;
  }
  [[nodiscard]] std::size_t size() const { return series_.size(); }
  // Of a family that has a TYPE line.
  [[nodiscard]] std::string type(const std::string& name) const {
    const auto at = types_.find(name);
    return at == types_.end() ? "" : at->second;
  }

 private:
  static bool is_name(std::string_view word, bool colons) {
    if (word.empty() || (word[0] >= '0' && word[0] <= '9')) return false;
    for (const char c : word) {
      const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
      if (!letter && !(c >= '0' && c <= '9') && !(colons && c == ':')) return false;
    }
    return true;
  }

  void fail(const char* what, std::string_view where) {
    if (wrong_.empty()) wrong_ = std::string(what) + ": " + std::string(where);
  }

  void line(std::string_view all) {
    if (all.starts_with("# HELP ")) return help(all, all.substr(7));
    if (all.starts_with("# TYPE ")) return type_line(all, all.substr(7));
    if (all.starts_with("#") || all.empty()) return;
    sample(all);
  }

  void help(std::string_view all, std::string_view rest) {
    const std::string name(rest.substr(0, rest.find(' ')));
    if (!is_name(name, true)) fail("a HELP line has no name", all);
    if (name.size() + 1 >= rest.size()) fail("a HELP line says nothing", all);
    if (!families_.insert(name).second) fail("a family is in two places", all);
    now_ = name;
  }

  void type_line(std::string_view all, std::string_view rest) {
    const std::size_t space = rest.find(' ');
    const std::string name(rest.substr(0, space));
    const std::string kind(space == std::string_view::npos ? "" : rest.substr(space + 1));
    if (name != now_) fail("a TYPE line does not follow its HELP line", all);
    if (kind != "gauge" && kind != "counter") fail("no such type", all);
    if (name.ends_with("_total") != (kind == "counter")) fail("the name does not fit", all);
    if (!types_.emplace(name, kind).second) fail("a type is said twice", all);
  }

  void sample(std::string_view all) {
    const std::size_t name_end = all.find_first_of("{ ");
    const std::string name(all.substr(0, name_end));
    if (!is_name(name, true)) return fail("a sample has no name", all);
    if (name != now_ || !types_.contains(name)) return fail("a sample is outside its family", all);
    std::string_view rest = all.substr(name.size());
    labels found;
    if (rest.starts_with('{') && !read_labels(rest, found)) return fail("wrong labels", all);
    if (!rest.starts_with(' ')) return fail("there is no value", all);
    const std::string number(rest.substr(1));
    char* end = nullptr;
    if (number.empty() || number[0] == ' ') return fail("there is no value", all);
    (void)std::strtod(number.c_str(), &end);
    if (*end != '\0') return fail("the value is no number", all);
    if (!series_.emplace(std::pair{name, found}, number).second) fail("a series twice", all);
  }

  // From "{" up to what follows "}".
  static bool read_labels(std::string_view& rest, labels& found) {
    rest.remove_prefix(1);
    while (!rest.starts_with('}')) {
      const std::size_t equals = rest.find("=\"");
      if (equals == std::string_view::npos || !is_name(rest.substr(0, equals), false)) return false;
      const std::string name(rest.substr(0, equals));
      rest.remove_prefix(equals + 2);
      std::string content;
      while (!rest.starts_with('"')) {
        if (rest.empty()) return false;
        char c = rest[0];
        if (c == '\\') {
          if (rest.size() < 2) return false;
          c = rest[1];
          if (c != 'n' && c != '"' && c != '\\') return false;
          if (c == 'n') c = '\n';
          rest.remove_prefix(1);
        }
        content += c;
        rest.remove_prefix(1);
      }
      rest.remove_prefix(1);
      if (!found.emplace(name, content).second) return false;
      if (rest.starts_with(',')) rest.remove_prefix(1);
    }
    rest.remove_prefix(1);
    return true;
  }

  std::string wrong_;
  std::string now_;
  std::set<std::string> families_;
  std::map<std::string, std::string> types_;
  std::map<std::pair<std::string, labels>, std::string> series_;
};

}  // namespace cleave::test::prometheus
