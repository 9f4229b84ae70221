// progress_line.hpp -- one line on the terminal that is written over and over, and gone
// at the end. Nothing elsewhere, so that a log holds only what happened.
//
//   progress_line line;
//   for (const step& s : steps) {
//     line.show(s.name);
//     ...
//   }
#pragma once

#include <string_view>

namespace cleave::tool {

class progress_line {
 public:
  progress_line();
  ~progress_line() { clear(); }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  void show(std::string_view text);
  void clear();

 private:
  bool terminal_;
  bool shown_ = false;
};

}  // namespace cleave::tool
