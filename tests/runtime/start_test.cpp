// start_test.cpp -- programs as processes: stacks, exit codes, output, what is read from outside.
#include <cleave/runtime/start.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "runtime/cells.hpp"
#include "runtime/runs.hpp"
#include "support/environment.hpp"

namespace {

using namespace cleave::test;
using namespace cleave::runtime;

void expect(const outcome& end, int exit_code, const std::string& output,
            const std::string& error) {
  EXPECT_EQ(end.exit_code, exit_code);
  EXPECT_EQ(end.output, output);
  EXPECT_EQ(end.error, error);
}

string make(const std::string& bytes) {
  return make_string(bytes.data(), bytes.size());
}

constinit text hello{"hello"};
constinit text wrong{"this is wrong"};

TEST(Start, runsTheProgram) {
  expect(run_alone([] { IO_print(hello); }), 0, "hello\n", "");
  expect(run_alone([] {}), 0, "", "");
}

TEST(Start, handsOverTheWords) {
  expect(run_alone(
             [] {
               for (nat i = 0; i < IO_args_count_raw(); ++i) {
                 const string word = IO_args_get_raw(i);
                 IO_print(word);
                 drop(word);
               }
               IO_print(IO_args_get_raw(99));
             },
             {.words = {"one", "", "t\xC3\xA4wo", "\xFF"}}),
         0, "one\n\nt\xC3\xA4wo\n\xEF\xBF\xBD\n\n", "");
}

TEST(Start, readsVariables) {
  expect(run_alone(
             [] {
               constinit static text name{"CLEAVE_OF_A_TEST"};
               constinit static text other{"CLEAVE_OF_NO_TEST"};
               const auto [found, value] = IO_get_env_raw(name);
               if (found) IO_print(value);
               drop(value);
               if (!IO_get_env_raw(other).fst) IO_print(hello);
             },
             {.variables = {{"CLEAVE_OF_A_TEST", "some \xFF value"}}}),
         0, "some \xEF\xBF\xBD value\nhello\n", "");
}

constexpr const char* sanitizers_have_limits = "the thread sanitizer keeps a stack of its own";

u32 descend(u32 n) {
  volatile u32 here = n;
  if (n == 0) return 0;
  return descend(n - 1) + (here == n ? 1 : 0);
}

TEST(Stack, holdsAMillionFrames) {
  if (sanitized) GTEST_SKIP() << sanitizers_have_limits;
  expect(run_alone([] {
           text_writer to;
           show(to, descend(1'000'000));
           print_line(to);
         }),
         0, "1000000\n", "");
}

TEST(Stack, overflowIsTold) {
  if (sanitized) GTEST_SKIP() << sanitizers_have_limits;
  expect(run_alone(
             [] {
               IO_print(hello);
               descend(4'000'000'000U);
             },
             {.variables = {{"CLEAVE_STACK", "16"}}}),
         1, "hello\n", "bend: memory fault (machine stack overflow?)\n");
}

TEST(Stack, overflowOfAWorkerIsTold) {
  if (sanitized) GTEST_SKIP() << sanitizers_have_limits;
  const outcome end = run_alone(
      [] {
        // Of two that wait for each other one is on another thread. That one goes too deep.
        static std::thread::id mine;
        static std::atomic<int> here{0};
        mine = std::this_thread::get_id();
        const auto meet = [] {
          ++here;
          while (here < 2) std::this_thread::yield();
          if (std::this_thread::get_id() != mine) descend(4'000'000'000U);
        };
        forked(meet, meet);
      },
      {.variables = {{"CLEAVE_THREADS", "2"}, {"CLEAVE_STACK", "16"}}});
  expect(end, 1, "", "bend: memory fault (machine stack overflow?)\n");
}

TEST(Stack, otherFaultsEndTheProcessAsUsual) {
  if (sanitized) GTEST_SKIP() << "the sanitizer reports them itself";
  const outcome end = run_alone([] {
    std::uintptr_t nowhere = 16;
    *reinterpret_cast<volatile int*>(nowhere) = 1;
  });
  EXPECT_EQ(end.exit_code, -SIGSEGV);
}

TEST(Variables, thatAreNoNumbersAreRefused) {
  const auto refused = [](const char* name, const char* value, const char* error) {
    expect(run_alone([] { IO_print(hello); }, {.variables = {{name, value}}}), 1, "", error);
  };
  const char* const threads = "bend: CLEAVE_THREADS is no number from 1 to 1024\n";
  for (const char* value : {"0", "1025", "two", "2x", "-1", " 2", "99999999999999999999999"}) {
    refused("CLEAVE_THREADS", value, threads);
  }
  refused("CLEAVE_STACK", "0", "bend: CLEAVE_STACK is no number from 1 to 1048576\n");
}

TEST(Stop, comesBehindWhatWasPrinted) {
  expect(run_alone([] {
           IO_write(hello);
           stop(message::fail_stop);
         }),
         1, "hello", "bend: runtime fail-stop\n");
}

TEST(Stop, ofSeveralThreadsIsOne) {
  for (int round = 0; round < 10; ++round) {
    expect(run_alone(
               [] {
                 const auto all_stop = [] { stop(message::fail_stop); };
                 forked(all_stop, all_stop, all_stop, all_stop);
               },
               {.variables = {{"CLEAVE_THREADS", "4"}}}),
           1, "", "bend: runtime fail-stop\n");
  }
}

TEST(Die, hasMessageAndExitCode) {
  expect(run_alone([] {
           IO_print(hello);
           die(7, wrong);
         }),
         7, "hello\n", "this is wrong\n");
  expect(run_alone([] { die(256 + 3, wrong); }), 3, "", "this is wrong\n");
}

TEST(Output, isWrittenBeforeErrors) {
  // Both go to one place, so their order shows.
  const auto path =
      std::filesystem::temp_directory_path() / ("cleave_output_" + std::to_string(::getpid()));
  std::ofstream(path).close();
  const outcome end = run_alone(
      [] {
        ::dup2(1, 2);
        IO_print(hello);
        IO_print_err(wrong);
        IO_print(hello);
      },
      {.output_path = path.string()});
  std::ifstream from(path);
  const std::string all((std::istreambuf_iterator<char>(from)), {});
  std::filesystem::remove(path);
  expect(end, 0, "", "");
  EXPECT_EQ(all, "hello\nthis is wrong\nhello\n");
}

TEST(Output, keepsTheOrderOfAllSizes) {
  const outcome end = run_alone([] {
    for (const std::size_t n : {1U, 70000U, 10U, 65535U, 65536U, 65537U, 200000U, 3U}) {
      const string s = make(std::string(n, static_cast<char>('a' + n % 26)));
      IO_write(s);
      drop(s);
    }
  });
  std::string expected;
  for (const std::size_t n : {1U, 70000U, 10U, 65535U, 65536U, 65537U, 200000U, 3U}) {
    expected += std::string(n, static_cast<char>('a' + n % 26));
  }
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_TRUE(end.output == expected);
}

TEST(Output, ofThreadsIsNotMixedWithinALine) {
  const outcome end = run_alone(
      [] {
        constinit static text a{"aaaaaaaaaaaaaaaaaaaaaaaa"};
        constinit static text b{"bbbbbbbbbbbbbbbbbbbbbbbb"};
        forked(
            [] {
              for (int i = 0; i < 5000; ++i) IO_print(a);
            },
            [] {
              for (int i = 0; i < 5000; ++i) IO_print(b);
            });
      },
      {.variables = {{"CLEAVE_THREADS", "2"}}});
  EXPECT_EQ(end.exit_code, 0);
  ASSERT_EQ(end.output.size(), 10000u * 25);
  for (std::size_t i = 0; i < end.output.size(); i += 25) {
    const std::string line = end.output.substr(i, 25);
    ASSERT_EQ(line, std::string(24, line[0]) + "\n");
  }
}

TEST(Output, isValidUtf8) {
  expect(run_alone([] {
           string s = hello;
           for (const character c : {character{0xD800}, character{U'ä'}, character{0xFFFFFFFF}}) {
             s = String_push_raw(s, c);
           }
           s = String_push_raw(s, '.');
           IO_print(s);
           IO_print_err(s);
           drop(s);
         }),
         0, "hello\xEF\xBF\xBD\xC3\xA4\xEF\xBF\xBD.\n", "hello\xEF\xBF\xBD\xC3\xA4\xEF\xBF\xBD.\n");
}

TEST(Output, thatNobodyReadsEndsTheProgram) {
  const outcome end = run_alone(
      [] {
        for (;;) IO_print(hello);
      },
      {.output_closed = true});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_EQ(end.error, "bend: standard output: Broken pipe\n");
}

TEST(Output, ontoAFullDeviceEndsTheProgram) {
  const outcome end = run_alone([] { IO_print(hello); }, {.output_path = "/dev/full"});
  EXPECT_EQ(end.exit_code, 1);
  EXPECT_EQ(end.error, "bend: standard output: No space left on device\n");
}

TEST(Check, findsWhatIsStillLive) {
  const surroundings checked{.variables = {{"CLEAVE_CHECK", "1"}}};
  expect(run_alone([] { drop(counting(100)); }, checked), 0, "", "");
  const outcome end = run_alone([] { static_cast<void>(Array_new<u32>(8, 0)); }, checked);
  EXPECT_EQ(end.exit_code, 70);
  // With the places, unless another test in this process has started the heap before.
  EXPECT_THAT(end.error,
              testing::AnyOf(testing::StartsWith("cleave check: leak\n  1024 bytes in 1 pieces"),
                             "bend: check at exit: 1024 bytes are live\n"));
  // Cells that threads kept for later are not live.
  expect(run_alone(
             [] {
               const auto work = [] { drop(counting(1000)); };
               forked(work, work, work, work);
             },
             {.variables = {{"CLEAVE_CHECK", "1"}, {"CLEAVE_THREADS", "4"}}}),
         0, "", "");
}

TEST(Statistics, areToldAtTheEnd) {
  const outcome end = run_alone([] { IO_print(hello); }, {.variables = {{"CLEAVE_STATS", "1"}}});
  EXPECT_EQ(end.exit_code, 0);
  EXPECT_EQ(end.output, "hello\n");
  EXPECT_NE(end.error.find("bytes live at the end: 0\n"), std::string::npos);
}

TEST(Statistics, areToldBehindTheLastWordsOfAProgramThatEndsItself) {
  const auto words = [] { IO_die<unit>(3, hello); };
  const outcome end = run_alone(words, {.variables = {{"CLEAVE_STATS", "1"}}});
  EXPECT_EQ(end.exit_code, 3);
  EXPECT_THAT(end.error, testing::StartsWith("hello\n"));
  EXPECT_THAT(end.error, testing::HasSubstr("\nallocations of the heap: "));
  expect(run_alone(words, {.variables = {{"CLEAVE_STATS", "0"}}}), 3, "", "hello\n");
}

TEST(Files, areWrittenAndRead) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("cleave_files_" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  const auto at = [&](const char* name) { return make((folder / name).string()); };
  EXPECT_TRUE(leaves_nothing([&] {
    std::string contents = "some text\n\xC3\xA4\n";
    for (int i = 0; i < 2; ++i) {
      const string path = at("one");
      const string written = make(contents);
      EXPECT_TRUE(File_write_raw(path, written).fst);
      drop(written);
      const auto [read, text] = File_read_raw(path);
      EXPECT_TRUE(read);
      EXPECT_TRUE(std::string(text.begin(), text.end()) == contents);
      drop(text);
      drop(path);
      contents = std::string(300'000, 'x');
    }
  }));
  EXPECT_TRUE(leaves_nothing([&] {
    const auto fails = [](pair<bool, string> (*call)(string), string path, const std::string& why) {
      const auto [done, reason] = call(path);
      EXPECT_FALSE(done);
      EXPECT_EQ(std::string(reason.begin(), reason.end()), why);
      drop(reason);
      drop(path);
    };
    const auto write = [](string path) { return File_write_raw(path, hello); };
    fails(File_read_raw, at("none"), "No such file or directory");
    fails(File_read_raw, make(folder.string()), "Is a directory");
    fails(File_read_raw, make(std::string("a\0b", 3)), "No such file or directory");
    fails(write, make((folder / "none" / "x").string()), "No such file or directory");
    fails(write, make("/dev/full"), "No space left on device");
    std::ofstream(folder / "broken") << "a\xFF";
    const string path = at("broken");
    const auto [read, text] = File_read_raw(path);
    drop(path);
    EXPECT_TRUE(read);
    EXPECT_TRUE(is_text(text, "a\xEF\xBF\xBD", 4));
    drop(text);
  }));
  std::filesystem::remove_all(folder);
}

TEST(Now, isAfterThisWasWritten) {
  EXPECT_GT(IO_now(), 1'700'000'000'000u);
  const nat before = IO_now();
  IO_sleep(20);
  EXPECT_GE(IO_now(), before + 19);
}

}  // namespace
