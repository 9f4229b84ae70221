// loader_test.cpp -- files, imports, aliases, cycles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "checked.hpp"

namespace cleave::lang {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using files = std::map<std::string, std::string>;

// The names of the files that are not Base, in their order.
std::vector<std::string> files_of(const checked& one) {
  std::vector<std::string> names;
  for (const auto& file : one.all.modules) {
    if (!file->base) names.push_back(file->source->name());
  }
  return names;
}

TEST(Loader, putsBaseFirstAndTheMainFileLast) {
  const checked one(files{{"main.bend", "import ./a.bend as A\ndef main() -> U32:\n  A.one\n"},
                          {"a.bend", "def one() -> U32:\n  1\n"}});
  EXPECT_THAT(one.said(), IsEmpty());
  EXPECT_THAT(files_of(one), ElementsAre("a.bend", "main.bend"));
  EXPECT_TRUE(one.all.modules.front()->base);
  EXPECT_EQ(one.all.main, &one.def("main"));
}

TEST(Loader, hasNoMainWhereTheFileHasNone) {
  const checked one("def one() -> U32:\n  1\n");
  EXPECT_THAT(one.said(), IsEmpty());
  EXPECT_EQ(one.all.main, nullptr);
}

TEST(Loader, takesMainOfTheMainFileAlone) {
  const checked one(
      files{{"main.bend", "import ./a.bend as A\n"}, {"a.bend", "def main() -> U32:\n  1\n"}});
  EXPECT_EQ(one.all.main, nullptr);
}

TEST(Loader, readsEachFileOnceByWhateverNameItIsImported) {
  const checked one(files{{"main.bend",
                           "import ./lib/a.bend as A\nimport ./lib/../lib/b.bend as B\n"
                           "def main() -> U32:\n  (A.one + B.two : U32)\n"
                           "import Base\n"},
                          {"lib/a.bend", "import ./b.bend as X\ndef one() -> U32:\n  X.two\n"},
                          {"lib/b.bend", "def two() -> U32:\n  2\n"}});
  EXPECT_EQ(one.reads.at("lib/b.bend"), 1);
  EXPECT_THAT(files_of(one), ElementsAre("lib/b.bend", "lib/a.bend", "main.bend"));
}

TEST(Loader, readsFilesBesideTheOneThatImportsThem) {
  const checked one(files{{"main.bend", "import ./x/a.bend as A\ndef main() -> U32:\n  A.one\n"},
                          {"x/a.bend", "import ../y/b.bend as B\ndef one() -> U32:\n  B.one\n"},
                          {"y/b.bend", "def one() -> U32:\n  1\n"}});
  EXPECT_THAT(one.said(), IsEmpty());
}

TEST(Loader, keepsAliasesToTheirFile) {
  const checked one(files{{"main.bend", "import ./a.bend as A\ndef main() -> U32:\n  B.one\n"},
                          {"a.bend", "import ./b.bend as B\ndef one() -> U32:\n  B.one\n"},
                          {"b.bend", "def one() -> U32:\n  1\n"}});
  EXPECT_THAT(one.said(), ElementsAre("3:3 main: expected a defined name, observed 'B.one'"));
}

TEST(Loader, tellsAFileThatIsNotThereAtItsImport) {
  const checked one(files{{"main.bend", "import ./lost.bend as L\ndef main() -> U32:\n  L.one\n"}});
  EXPECT_THAT(one.said(), ElementsAre("1:1: cannot read lost.bend: no such file"));
}

TEST(Loader, tellsAMainFileThatIsNotThere) {
  const checked one(files{});
  EXPECT_THAT(one.said(), ElementsAre("nowhere: cannot read main.bend: no such file"));
  EXPECT_EQ(one.all.main, nullptr);
}

TEST(Loader, refusesACycle) {
  const checked one(files{{"main.bend", "import ./a.bend as A\ndef main() -> U32:\n  1\n"},
                          {"a.bend", "import ./b.bend as B\n"},
                          {"b.bend", "import ./a.bend as A\n"}});
  EXPECT_THAT(one.said(), ElementsAre("b.bend:1:1: an import cycle"));
  EXPECT_THAT(one.remarks(), ElementsAre("a.bend:1:1 which is imported here"));
}

TEST(Loader, refusesAFileThatImportsItself) {
  const checked one(files{{"main.bend", "import ./main.bend as M\n"}});
  EXPECT_THAT(one.said(), ElementsAre("1:1: an import cycle"));
}

TEST(Loader, refusesAnAliasThatIsTaken) {
  const checked one(files{{"main.bend",
                           "import Base\nimport ./a.bend as A\nimport ./a.bend as A\n"
                           "import ./a.bend as List\n"},
                          {"a.bend", ""}});
  EXPECT_THAT(
      one.said(),
      ElementsAre("3:1: expected a fresh name (duplicate declaration: A), observed 'A'",
                  "4:1: expected a fresh name (duplicate declaration: List), observed 'List'"));
}

TEST(Loader, refusesFilesThatAreTooLargeTogether) {
  const std::string large(source_file::largest - 10, '\n');
  const checked one(files{{"main.bend", "import ./a.bend as A\nimport ./b.bend as B\n"},
                          {"a.bend", large},
                          {"b.bend", large + std::string(10, '\n')}});
  EXPECT_THAT(one.said(), ElementsAre("2:1: cannot read b.bend: all files together are larger "
                                      "than 32 MiB"));
}

TEST(Loader, endsWhereFilesImportEverMoreFiles) {
  tree_store nodes;
  diagnostics found;
  const auto read = [](const std::string&, std::string&) {
    return std::optional<std::string>("import ./a/more.bend as M\n");
  };
  const source_program all = load("main.bend", read, nodes, found);
  EXPECT_EQ(found.count(), 1U);
  EXPECT_LT(all.modules.size(), 20'000U);
}

// A folder that is gone when the test ends.
class on_disk : public testing::Test {
 protected:
  on_disk()
      : folder_(std::filesystem::temp_directory_path() /
                ("cleave_loader_" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
  }
  ~on_disk() override { std::filesystem::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
    return (folder_ / name).string();
  }
  std::filesystem::path folder_;
};

using Disk = on_disk;

TEST_F(Disk, readsAFileWhole) {
  std::string error;
  const std::string text("a\0b\r\n", 5);
  EXPECT_EQ(read_from_disk(write("a.bend", text), error), text);
}

TEST_F(Disk, refusesWhatIsNoFile) {
  std::string error;
  EXPECT_EQ(read_from_disk((folder_ / "none.bend").string(), error), std::nullopt);
  EXPECT_EQ(error, "no such file");
  EXPECT_EQ(read_from_disk(folder_.string(), error), std::nullopt);
  EXPECT_EQ(error, "not a file");
  EXPECT_EQ(read_from_disk("/dev/zero", error), std::nullopt);
  EXPECT_EQ(error, "not a file");
}

TEST_F(Disk, refusesAFileThatIsTooLarge) {
  const std::string path = write("large.bend", "");
  std::filesystem::resize_file(path, source_file::largest + 1);
  std::string error;
  EXPECT_EQ(read_from_disk(path, error), std::nullopt);
  EXPECT_EQ(error, "larger than 16 MiB");
}

TEST_F(Disk, knowsAFileByItsLinks) {
  write("a.bend", "def one() -> U32:\n  1\n");
  std::filesystem::create_symlink(folder_ / "a.bend", folder_ / "b.bend");
  const std::string path = write("main.bend", "import ./a.bend as A\nimport ./b.bend as B\n");
  tree_store nodes;
  diagnostics found;
  const source_program all = load(path, read_from_disk, nodes, found);
  EXPECT_TRUE(found.empty());
  const auto& aliases = all.modules.back()->aliases;
  ASSERT_THAT(aliases, SizeIs(2));
  EXPECT_EQ(aliases[0].second, aliases[1].second);
}

}  // namespace
}  // namespace cleave::lang
