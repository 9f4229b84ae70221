// output.hpp -- what the program prints, and how its process ends.
//
//   output::put(text, true);                             // into the buffer of stdout
//   output::put_error(text, true);                       // flushes, then straight to stderr
//   end_process(1, "cleave: no threads\n");
//
// Each call writes its bytes together: those of other threads come before or after.
#pragma once

#include <cleave/runtime/string.hpp>
#include <string_view>

#include "runtime/utf8.hpp"

namespace cleave::runtime {

namespace output {

// How the buffer is used depends on what standard output is. Once, at the start.
void open() noexcept;

// The string, and a newline if asked for. Ends the process if standard output takes no more.
void put(string s, bool newline) noexcept;

// Writes out what is in the buffer. Ends the process if that fails.
void flush() noexcept;

// The same string on standard error, after what was printed. Nobody is told if that fails.
void put_error(string s, bool newline) noexcept;
void put_error(std::string_view s) noexcept;

}  // namespace output

// Flushes, writes the message to standard error, and exits. If several threads come here,
// the first one's code and message count. Also for handlers of signals.
[[noreturn]] void end_process(int code, std::string_view message) noexcept;
// The same with a newline and `after` behind the message.
[[noreturn]] void end_process(int code, string message, std::string_view after) noexcept;

// Calls f(bytes) for pieces that make up the string as valid UTF-8.
template <class F>
void for_each_valid_piece(string s, F f) {
  std::string_view rest(s.begin(), s.length);
  while (!rest.empty()) {
    const std::size_t valid =
        s.owner->is_ascii() ? rest.size() : utf8::valid_prefix(rest.data(), rest.size());
    f(rest.substr(0, valid));
    rest.remove_prefix(valid);
    if (rest.empty()) break;
    // A number that is no character of Unicode.
    f(std::string_view(utf8::replacement));
    rest.remove_prefix(utf8::length(rest.front()));
  }
}

}  // namespace cleave::runtime
