// write_random.cpp -- random programs of core as C++, with what they must print.
//
//   write_random FOLDER SEED...       FOLDER/SEED.cpp and FOLDER/SEED.expected
//
// What a program prints is found by core_machine.hpp from the program as it was before
// own(), so the C++ must agree with the meaning through all passes.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "lang/core_machine.hpp"
#include "lang/front_end.hpp"
#include "lang/random_core.hpp"

namespace cleave::lang {
namespace {

// The natives of random programs, as core_machine.hpp has them.
constexpr const char* natives = R"(
namespace cleave::runtime {
template <class A>
u32 Test_look(A) {
  return 7;
}
template <class A, class B>
A Test_pass(A a, B) {
  return a;
}
}  // namespace cleave::runtime
)";

std::string meaning(std::uint64_t seed) {
  builder make;
  random_core(make, seed).write();
  try {
    return core_machine(make.all, counting::off).run() + "\n";
  } catch (const stopped& stop) {
    return std::string(stop.what()) + "\nexit 1\n";
  }
}

std::string translation(std::uint64_t seed) {
  builder make;
  random_core(make, seed).write();
  own(make.all);
  std::string cpp = emit(make.all, {.source_name = "seed " + std::to_string(seed)});
  // Behind the include line.
  const std::size_t at = cpp.find('\n', cpp.find("#include")) + 1;
  return cpp.insert(at, natives);
}

}  // namespace
}  // namespace cleave::lang

int main(int argc, char** argv) {
  if (argc < 3) return EXIT_FAILURE;
  for (int k = 2; k < argc; ++k) {
    const std::uint64_t seed = std::strtoull(argv[k], nullptr, 10);
    const std::string name = std::string(argv[1]) + "/" + argv[k];
    std::ofstream(name + ".cpp") << cleave::lang::translation(seed);
    std::ofstream(name + ".expected") << cleave::lang::meaning(seed);
  }
  return EXIT_SUCCESS;
}
