// main.cpp -- runs Scheme programs.
//
//   scheme FILE...          runs the files one after the other, in one machine
//   scheme --stats FILE     and prints on standard error what the collector did
//
// Exit code: what (exit) says; 1 for an exception that nobody handled or a file that cannot be
// read; 2 for a wrong command line.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <new>
#include <string>
#include <string_view>
#include <vector>

#include "machine.hpp"

namespace {

bool read_file(const std::string& path, std::string& text) {
  std::ifstream file(path, std::ios::binary);
  text.assign(std::istreambuf_iterator<char>(file), {});
  return file.good() || file.eof();
}

void print(const cleave::gc::statistics& s) {
  std::fprintf(stderr,
               "collections: %llu young, %llu full; %.1f ms in all, the longest %.2f ms\n"
               "small objects: %.1f MB made, %.1f MB copied\n"
               "large arrays: %.1f MB made, %.1f MB forgotten, %.1f MB swept, %.1f MB alive\n",
               static_cast<unsigned long long>(s.young_collections),
               static_cast<unsigned long long>(s.full_collections),
               static_cast<double>(s.pause_total.count()) / 1e6,
               static_cast<double>(s.pause_longest.count()) / 1e6,
               static_cast<double>(s.allocated_small) / 1e6, static_cast<double>(s.copied) / 1e6,
               static_cast<double>(s.allocated) / 1e6, static_cast<double>(s.forgotten) / 1e6,
               static_cast<double>(s.swept) / 1e6,
               static_cast<double>(s.large_young + s.large_old) / 1e6);
}

int run(const std::vector<std::string>& files, bool with_statistics) {
  // What a program asks for beyond 4 GiB is an error that it can handle.
  cleave::gc::collector collector({.limit = std::size_t{4} << 30});
  int code = 0;
  try {
    scheme::machine machine(collector);
    for (const std::string& path : files) {
      std::string text;
      if (!read_file(path, text)) throw scheme::uncaught{path + " cannot be read"};
      machine.run_text(text, path);
    }
  } catch (const scheme::exit_request& request) {
    code = request.code;
  } catch (const scheme::uncaught& error) {
    std::fprintf(stderr, "%s\n", error.text.c_str());
    code = 1;
  }
  if (with_statistics) print(collector.stats());
  return code;
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::string> files;
  bool with_statistics = false;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word == "--stats") {
      with_statistics = true;
    } else if (word.starts_with('-')) {
      files.clear();
      break;
    } else {
      files.emplace_back(word);
    }
  }
  if (files.empty()) {
    std::fprintf(stderr, "usage: %s [--stats] FILE...\n", words[0]);
    return 2;
  }
  try {
    return run(files, with_statistics);
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "out of memory\n");
    return 1;
  }
}
