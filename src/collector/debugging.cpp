// debugging.cpp -- what the environment variable CLEAVE_COLLECTOR asks for.
#include "collector/debugging.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace cleave::gc::detail {

namespace {

// The number behind `name=`; false if the word is another one.
bool number(std::string_view text, std::string_view name, std::size_t& out) {
  if (!text.starts_with(name) || text.size() <= name.size() || text[name.size()] != '=') {
    return false;
  }
  const std::string_view digits = text.substr(name.size() + 1);
  std::size_t read = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), read);
  if (error != std::errc{} || end != digits.data() + digits.size()) return false;
  out = read;
  return true;
}

void one_word(std::string_view text, debugging& chosen) {
  if (text == "verify") {
    chosen.verify = true;
  } else if (text == "poison") {
    chosen.poison = true;
  } else if (text == "prove") {
    chosen.prove = true;
  } else if (text == "stress") {
    chosen.stress = 1;
  } else if (!text.empty() && !number(text, "stress", chosen.stress) &&
             !number(text, "quarantine", chosen.quarantine_mib)) {
    std::fprintf(stderr,
                 "cleave: CLEAVE_COLLECTOR: what is '%.*s'? It knows verify, stress=N, poison, "
                 "quarantine=N and prove\n",
                 static_cast<int>(text.size()), text.data());
  }
}

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(std::string("cleave::gc::options: ") + what);
}

}  // namespace

void read_debugging(std::string_view text, debugging& chosen) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    one_word(text.substr(0, end), chosen);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

options checked(options chosen) {
  require(chosen.tenure >= 1 && chosen.tenure <= 3, "tenure is 1 to 3");
  require(chosen.large_threshold >= 64 && chosen.large_threshold <= max_object_bytes,
          "large_threshold is 64 to 8192");
  require(chosen.growth >= 1.0, "growth is 1 or more");
  require(chosen.pause_goal.count() >= 0, "pause_goal is 0 or more");
  if (const char* const text = std::getenv("CLEAVE_COLLECTOR"); text != nullptr) {
    read_debugging(text, chosen.debug);
  }
  return chosen;
}

}  // namespace cleave::gc::detail
