// gather.cpp -- a report of chapters, put together in two ways. docs/seeing.md finds out why the
// first one copies.
//
//   gather            each chapter is an array of its own, with its notes beside it
//   gather in_place   the chapters are cut from one array, and joined where they lie
#include <algorithm>
#include <cleave/array.hpp>
#include <cstddef>
#include <cstdio>
#include <string_view>
#include <utility>
#include <vector>

using text = cleave::array<char>;

namespace {

constexpr std::size_t chapters = 12;
constexpr std::size_t chapter_bytes = 100'000;

void write_chapter(text& into, std::size_t number) {
  std::fill(into.begin(), into.end(), static_cast<char>('a' + number % 26));
}

text report_of_parts() {
  text report;
  std::vector<text> notes;
  for (std::size_t i = 0; i < chapters; ++i) {
    text chapter(chapter_bytes);
    notes.push_back(text(20'000));
    write_chapter(chapter, i);
    // The notes lie between this chapter and the one before: no neighbours.
    report.join(std::move(chapter));
  }
  return report;
}

text report_in_place() {
  text report;
  text rest(chapters * chapter_bytes);
  std::vector<text> notes;
  for (std::size_t i = 0; i < chapters; ++i) {
    text chapter = std::move(rest);
    rest = chapter.cut(chapter_bytes);
    notes.push_back(text(20'000));
    write_chapter(chapter, i);
    report.join(std::move(chapter));
  }
  return report;
}

}  // namespace

int main(int count, char** words) {
  const bool in_place = count > 1 && std::string_view(words[1]) == "in_place";
  const text report = in_place ? report_in_place() : report_of_parts();
  std::printf("%zu bytes, from %c to %c\n", report.size(), report.front(), report.back());
}
