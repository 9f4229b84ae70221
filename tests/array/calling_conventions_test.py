# calling_conventions_test.py -- objects with arrays in registers, and others, in one program.
#
#   calling_conventions_test.py CLANG OTHER LIBRARY INCLUDE
#
# CLANG compiles one half of a program with CLEAVE_TRIVIAL_ABI=1, OTHER the other half without.
# What each half makes of the inline functions of the headers must stay its own, and a function
# that takes an array by value must not be found by the other half.
import os
import shutil
import subprocess
import sys
import tempfile

HALF = r"""
#include <cleave/array.hpp>
#include <cleave/run.hpp>
#include <string>
// At -O0 nothing is inlined: the linker keeps one of several functions of one name.
std::size_t NAME() {
  cleave::array<std::string> left{"a", "b", "c", "d"};
  cleave::array<std::string> right = left.cut(1);
  cleave::array<std::string> whole = cleave::join(std::move(left), std::move(right));
  cleave::run bytes(100);
  cleave::run rest = bytes.cut(40);
  return whole.size() * 1000 + bytes.size() + rest.size() + (whole[3] == "d" ? 1 : 0);
}
"""
MAIN = r"""
#include <cleave/heap.hpp>
#include <cstdio>
std::size_t first();
std::size_t second();
int main() {
  std::printf("%zu %zu\n", first(), second());
  return cleave::heap::live_bytes() == 0 ? 0 : 1;
}
"""
TAKES = "#include <cleave/array.hpp>\nstd::size_t takes(cleave::array<int> a) { return a.size(); }\n"
GIVES = r"""
#include <cleave/array.hpp>
std::size_t takes(cleave::array<int> a);
int main() { return takes(cleave::array<int>(3)) == 3 ? 0 : 1; }
"""
# The one function of the compiled library that is handed an array.
COLLECTOR = r"""
#include <cleave/collector.hpp>
#include <cstdio>
int main() {
  cleave::gc::collector c;
  cleave::gc::mutator m(c);
  cleave::array<std::byte> small(3, std::byte{7});
  cleave::array<std::byte> large(1 << 20, std::byte{9});
  auto one = m.give(std::move(small));
  auto two = m.give(std::move(large));
  std::printf("%zu %d %zu %d %d\n", one->size(), static_cast<int>(one->data()[2]), two->size(),
              static_cast<int>(two->data()[5]), small.empty() && large.empty());
}
"""


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: calling_conventions_test.py CLANG OTHER LIBRARY INCLUDE")
    clang, other, library, include = sys.argv[1:]
    if shutil.which(clang) is None:
        print(f"SKIP: {clang} is not installed")
        return 77
    registers = [clang, "-DCLEAVE_TRIVIAL_ABI=1"]
    plain = [other]

    def run(*command):
        return subprocess.run(command, capture_output=True, text=True)

    with tempfile.TemporaryDirectory() as folder:
        def make(name, text, compiler):
            path = os.path.join(folder, name)
            with open(path + ".cpp", "w", encoding="utf-8") as file:
                file.write(text)
            made = run(*compiler, "-std=c++20", "-O0", "-I", include, "-c", path + ".cpp", "-o",
                       path + ".o")
            if made.returncode != 0:
                sys.exit(made.stderr)
            return path + ".o"

        def link(*objects):
            program = os.path.join(folder, "program")
            return run(other, *objects, library, "-pthread", "-o", program), program

        first = make("first", HALF.replace("NAME", "first"), registers)
        second = make("second", HALF.replace("NAME", "second"), plain)
        start = make("main", MAIN, plain)
        for order in ((first, second), (second, first)):
            linked, program = link(start, *order)
            if linked.returncode != 0:
                sys.exit(linked.stderr)
            ran = run(program)
            if (ran.returncode, ran.stdout) != (0, "4101 4101\n"):
                sys.exit(f"two conventions in one program: {ran.returncode} {ran.stdout} {ran.stderr}")

        for takes, gives in ((registers, plain), (plain, registers)):
            linked, program = link(make("takes", TAKES, takes), make("gives", GIVES, gives))
            if linked.returncode == 0 or "takes" not in linked.stderr:
                sys.exit("a function was linked that is called another way than it was compiled")

        linked, program = link(make("collector", COLLECTOR, registers))
        if linked.returncode != 0:
            sys.exit(linked.stderr)
        ran = run(program)
        if (ran.returncode, ran.stdout) != (0, "3 7 1048576 9 1\n"):
            sys.exit(f"the collector: {ran.returncode} {ran.stdout} {ran.stderr}")
    print("ok")
    return 0


if __name__ == "__main__":
    sys.exit(main())
