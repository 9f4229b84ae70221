// habits.cpp -- two short lists: what begins a line, and what stands at the place itself.
#include "lang/habits.hpp"

#include <algorithm>
#include <array>

#include "lang/letters.hpp"

namespace cleave::lang {
namespace {

struct habit {
  std::string_view word;
  std::string_view help;
};

constexpr std::string_view no_if = "there is no 'if': 'match' on the Bool";
constexpr std::string_view no_loop = "there is no loop: a def calls itself";

constexpr std::array<habit, 6> line_begins = {
    habit{"if", no_if},
    habit{"elif", no_if},
    habit{"else", no_if},
    habit{"while", no_loop},
    habit{"let", "a let has no word before it: x = e"},
    habit{"fn", "a function is a 'def', or x => e"},
};

// Words that mean something in other places, and signs.
constexpr std::array<habit, 4> places = {
    habit{"for", no_loop},
    habit{"return", "a body ends with its result; only a 'do' block has 'return'"},
    habit{"==", "equality has no operator: U32.is_eq(a, b), String.eq(a, b)"},
    habit{"!=", "equality has no operator: U32.is_ne(a, b)"},
};

bool in_word(char c) noexcept {
  return starts_word(c) || is_digit(c);
}

bool begins_with(std::string_view text, std::string_view word) noexcept {
  if (!text.starts_with(word)) return false;
  return !in_word(word.back()) || text.size() == word.size() || !in_word(text[word.size()]);
}

template <std::size_t N>
std::string_view find(const std::array<habit, N>& among, std::string_view text) noexcept {
  const auto found = std::ranges::find_if(
      among, [text](const habit& each) { return begins_with(text, each.word); });
  return found == among.end() ? std::string_view() : found->help;
}

}  // namespace

std::string_view habit_at(std::string_view text, std::size_t at) {
  const std::string_view here = text.substr(at);
  if (const std::string_view help = find(places, here); !help.empty()) return help;
  if (here.size() > 1 && here[0] == '-' && is_digit(here[1])) {
    return "there are no negative literals: F32.neg(1.0)";
  }
  const std::size_t before = at == 0 ? text.npos : text.rfind('\n', at - 1);
  std::string_view line = text.substr(before == text.npos ? 0 : before + 1);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return find(line_begins, line);
}

}  // namespace cleave::lang
