// refused_test.cpp -- the programs in refused/: each is wrong, and says at its end how.
//
//   #|4:12 f                  place, and the name of the def if there is one
//   #|expected: a defined name
//   #|observed: 'foo'
//   #|                        an empty line between two
//   #|6:3 g
//   #|message: x (consumed more than once)
//
// The folder itself is written FOLDER. A place in an imported file has that file's name
// before it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "lang/front_end.hpp"

namespace cleave::lang {
namespace {

const std::filesystem::path folder = std::filesystem::path(__FILE__).parent_path() / "refused";

std::vector<std::string> programs() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".bend") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string expected_of(const std::filesystem::path& program) {
  std::ifstream file(program);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("#|")) text += line.substr(2) + "\n";
  }
  return text;
}

std::string observed_of(const std::filesystem::path& program) {
  tree_store nodes;
  diagnostics found;
  source_program all = load(program.string(), read_from_disk, nodes, found);
  resolve(all, nodes, found);
  if (found.empty()) check_affine(all, found);
  core::program made;
  if (found.empty() && all.main != nullptr) elaborate(all, made, found);
  std::string text;
  for (const diagnostic& one : found.all()) {
    if (!text.empty()) text += "\n";
    const position at = one.where.file->position_of(one.where.begin);
    const std::filesystem::path name = one.where.file->name();
    if (name != program) text += name.lexically_relative(folder).string() + ":";
    text += std::to_string(at.line) + ":" + std::to_string(at.column);
    if (!one.def.empty()) text += " " + one.def;
    text += "\n";
    if (!one.message.empty()) text += "message: " + one.message + "\n";
    if (!one.expected.empty()) {
      text += "expected: " + one.expected + "\nobserved: " + one.observed + "\n";
    }
  }
  for (std::size_t k = text.find(folder.string()); k != std::string::npos;
       k = text.find(folder.string())) {
    text.replace(k, folder.string().size(), "FOLDER");
  }
  return text;
}

class Refused : public testing::TestWithParam<std::string> {};

TEST_P(Refused, saysWhatIsWrong) {
  const std::filesystem::path program = folder / (GetParam() + ".bend");
  EXPECT_EQ(observed_of(program), expected_of(program));
}

INSTANTIATE_TEST_SUITE_P(Programs, Refused, testing::ValuesIn(programs()),
                         [](const auto& one) { return one.param; });

}  // namespace
}  // namespace cleave::lang
