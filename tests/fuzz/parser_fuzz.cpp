// parser_fuzz.cpp -- libFuzzer writes programs; the parser must make trees of them.
//
// Whatever comes out, with errors or without, keeps the invariants of trees, and so do the
// trees of the same text as a file of Base. All diagnostics are written out too.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "lang/front_end.hpp"
#include "lang/tree_facts.hpp"
#include "lang/tree_text.hpp"

namespace cleave::lang {
namespace {

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::abort();
}

void check(const source_file& source, bool base) {
  tree_store nodes;
  diagnostics found;
  const file_tree tree = parse(source, base, nodes, found);
  const test::tree_facts facts = test::facts_of(tree);
  if (!facts.broken.empty()) fail(facts.broken);
  if (facts.depth > depth_limit) fail("a tree that is too deep");
  if (tree.incomplete && found.empty()) fail("something is missing, and nobody says so");
  for (const diagnostic& one : found.all()) {
    if (one.message.empty() == (one.expected.empty() || one.observed.empty())) {
      fail("an error that says nothing");
    }
  }
  static_cast<void>(to_text(found, colours::always));
  static_cast<void>(to_json(found));
  static_cast<void>(test::to_text(tree));
}

}  // namespace
}  // namespace cleave::lang

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes);

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t bytes) {
  const std::string text(reinterpret_cast<const char*>(data), bytes);
  const cleave::lang::source_file source("input.bend", text);
  cleave::lang::check(source, false);
  if (text.find("@native") != std::string::npos) cleave::lang::check(source, true);
  return 0;
}
