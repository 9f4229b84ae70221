// spelling.cpp -- distances between names, with rows of a table that are as short as names.
#include "lang/spelling.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

namespace cleave::lang {
namespace {

// Nobody mistypes longer names by hand.
constexpr std::size_t longest = 64;

bool same_letters(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b, std::size_t limit) {
  const std::size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > limit || a.size() > longest || b.size() > longest) return limit + 1;
  // rows[k % 3][j] is the distance of the first k letters of a from the first j of b.
  std::array<std::array<std::size_t, longest + 1>, 3> rows{};
  for (std::size_t j = 0; j <= b.size(); ++j) rows[0][j] = j;
  for (std::size_t k = 1; k <= a.size(); ++k) {
    const auto& above = rows[(k - 1) % 3];
    auto& row = rows[k % 3];
    row[0] = k;
    std::size_t least = k;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = above[j - 1] + (a[k - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({replaced, above[j] + 1, row[j - 1] + 1});
      if (k > 1 && j > 1 && a[k - 1] == b[j - 2] && a[k - 2] == b[j - 1]) {
        row[j] = std::min(row[j], rows[(k - 2) % 3][j - 2] + 1);
      }
      least = std::min(least, row[j]);
    }
    if (least > limit) return limit + 1;
  }
  return std::min(rows[a.size() % 3][b.size()], limit + 1);
}

nearest_name::nearest_name(std::string_view wanted)
    : wanted_(wanted), distance_(std::max<std::size_t>(1, wanted.size() / 3) + 1) {}

void nearest_name::consider(std::string_view known, span where) {
  // A name of one letter is like every other.
  if (wanted_.size() < 2 || known.empty() || known == wanted_) return;
  // Capitals are forgotten more easily than anything else.
  const std::size_t distance =
      same_letters(wanted_, known) ? 0 : edit_distance(wanted_, known, distance_);
  if (distance > distance_ || (distance == distance_ && (best_.empty() || known >= best_))) return;
  best_ = known;
  where_ = where;
  distance_ = distance;
}

std::vector<remark> nearest_name::as_remark(std::string_view prefix) const {
  if (best_.empty()) return {};
  return {{where_, "did you mean '" + std::string(prefix) + std::string(best_) + "'?"}};
}

}  // namespace cleave::lang
