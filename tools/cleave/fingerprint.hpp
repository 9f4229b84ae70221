// fingerprint.hpp -- 128 bits that stand for a sequence of texts.
//
// Not for secrets: whoever can choose the texts can make two sequences agree.
//
//   fingerprint key;
//   key.add(source);
//   key.add("-O3");
//   const std::string name = key.text();   // 32 hexadecimal digits
//
// Invariants:
//   F1  ("ab", "c") and ("a", "bc") differ: the length of each text is part of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

struct XXH3_state_s;

namespace cleave::tool {

class fingerprint {
 public:
  fingerprint();

  fingerprint& add(std::string_view text);
  fingerprint& add(std::uint64_t number);

  // Of all that was added so far.
  [[nodiscard]] std::string text() const;

  // Of one text alone.
  [[nodiscard]] static std::string of(std::string_view text);

 private:
  struct release {
    void operator()(XXH3_state_s* state) const noexcept;
  };
  std::unique_ptr<XXH3_state_s, release> state_;
};

}  // namespace cleave::tool
