#include "lang/source.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.hpp"

namespace cleave::lang {

source_file::source_file(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)) {
  CLEAVE_CHECK(text_.size() <= largest, "a source file of more than 16 MiB");
  line_starts_.push_back(0);
  const char* const start = text_.data();
  const char* const end = start + text_.size();
  for (const char* at = start; at != end;) {
    const void* const found = std::memchr(at, '\n', static_cast<std::size_t>(end - at));
    if (found == nullptr) break;
    at = static_cast<const char*>(found) + 1;
    line_starts_.push_back(static_cast<std::uint32_t>(at - start));
  }
}

position source_file::position_of(std::size_t offset) const noexcept {
  CLEAVE_DCHECK(offset <= text_.size(), "a place behind the end of its file");
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = static_cast<std::size_t>(after - line_starts_.begin());
  return {line, offset - line_starts_[line - 1] + 1};
}

std::string_view source_file::line(std::size_t number) const noexcept {
  CLEAVE_DCHECK(number >= 1 && number <= line_starts_.size(), "a file has no such line");
  const std::size_t begin = line_starts_[number - 1];
  const bool last = number == line_starts_.size();
  std::size_t end = last ? text_.size() : line_starts_[number] - 1;
  if (!last && end > begin && text_[end - 1] == '\r') --end;
  return std::string_view(text_).substr(begin, end - begin);
}

}  // namespace cleave::lang
