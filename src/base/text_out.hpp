// text_out.hpp -- text into a buffer that the caller has: nothing is allocated, nothing fails.
//
//   char buffer[64];
//   base::text_out out(buffer, sizeof buffer);
//   out << "live " << std::uint64_t{12345};
//   if (out.size() > sizeof buffer) ...                // so much room would have been enough
//
// What does not fit is counted and not written, so an empty buffer measures a text.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace cleave::base {

class text_out {
 public:
  text_out(char* to, std::size_t capacity) noexcept : to_(to), capacity_(capacity) {}

  text_out& operator<<(std::string_view text) noexcept {
    if (size_ < capacity_ && !text.empty()) {
      std::memcpy(to_ + size_, text.data(), std::min(text.size(), capacity_ - size_));
    }
    size_ += text.size();
    return *this;
  }

  text_out& operator<<(std::uint64_t number) noexcept {
    char digits[20] = {};
    const char* const end = std::to_chars(digits, digits + sizeof digits, number).ptr;
    return *this << std::string_view(digits, static_cast<std::size_t>(end - digits));
  }

  // Of the whole text, with what did not fit.
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  char* to_;
  std::size_t capacity_;
  std::size_t size_ = 0;
};

}  // namespace cleave::base
