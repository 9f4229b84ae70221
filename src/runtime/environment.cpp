#include "runtime/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <string>

#include "runtime/output.hpp"

namespace cleave::runtime {

std::string_view setting(const char* name) noexcept {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

std::size_t number_in(const char* name, std::size_t usual, std::size_t most) noexcept {
  const std::string_view text = setting(name);
  if (text.empty()) return usual;
  std::size_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number == 0 || number > most) {
    end_process(
        1, "bend: " + std::string(name) + " is no number from 1 to " + std::to_string(most) + "\n");
  }
  return number;
}

}  // namespace cleave::runtime
