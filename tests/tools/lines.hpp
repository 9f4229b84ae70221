// lines.hpp -- what a text for a terminal has to say, without its spacing.
//
//   EXPECT_TRUE(has_line(text, {"22 B", "place 6"}));
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

namespace cleave::tool {

// Whether a line holds all of the words, in this order.
inline testing::AssertionResult has_line(const std::string& text,
                                         const std::vector<std::string>& words) {
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = text.find('\n', begin);
    const std::string line = text.substr(begin, end - begin);
    std::size_t at = 0;
    for (const std::string& word : words) {
      at = at == std::string::npos ? at : line.find(word, at);
      if (at != std::string::npos) at += word.size();
    }
    if (at != std::string::npos) return testing::AssertionSuccess();
    begin = end + 1;
  }
  return testing::AssertionFailure() << "no line has " << testing::PrintToString(words) << " in\n"
                                     << text;
}

}  // namespace cleave::tool
