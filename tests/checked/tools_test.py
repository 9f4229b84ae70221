#!/usr/bin/env python3
"""Each tool sees a planted fault in memory of the heap, and nothing where there is none.

usage: tools_test.py asan|msan|memcheck ROOT FOLDER LIBRARY
For a sanitizer the heap and tests/checked/planted/faults.cpp are compiled for it into FOLDER; for
memcheck the program is linked with the LIBRARY of this build, since the heap notices memcheck at
run time. Prints SKIP and ends with code 77 where the tool is not there.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

TOOL = sys.argv.pop(1)
ROOT, FOLDER, LIBRARY = (pathlib.Path(sys.argv.pop(1)) for _ in range(3))

COMPILERS = {"asan": ("g++", "clang++-19"), "msan": ("clang++-19", "clang++-14", "clang++"),
             "memcheck": ("g++", "clang++-19")}
FLAGS = {"asan": ["-fsanitize=address"], "msan": ["-fsanitize=memory"], "memcheck": []}
SOURCES = [f for layer in ("base", "os", "heap") for f in sorted((ROOT / "src" / layer).glob("*.cpp"))]


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def build(compiler):
    """The program, or None if this compiler cannot link for the tool."""
    flags = ["-std=c++20", "-g", "-O1", *FLAGS[TOOL], f"-I{ROOT}/include", f"-I{ROOT}/src",
             '-DCLEAVE_VERSION="0"', "-DCLEAVE_CHECKED=0", "-pthread"]
    FOLDER.mkdir(parents=True, exist_ok=True)
    probe = FOLDER / "probe.cpp"
    probe.write_text("int main() {}\n")
    run = [FOLDER / "probe"]
    if subprocess.run([compiler, *flags, probe, "-o", *run], capture_output=True).returncode != 0:
        return None
    if subprocess.run(run, capture_output=True).returncode != 0:
        return None
    program = FOLDER / f"faults_{TOOL}"
    heap = [LIBRARY] if TOOL == "memcheck" else SOURCES
    main = ROOT / "tests/checked/planted/faults.cpp"
    subprocess.run([compiler, *flags, main, *heap, "-o", program], check=True)
    return program


def program():
    if TOOL == "memcheck":
        if shutil.which("valgrind") is None:
            skip("valgrind is not installed")
        if not pathlib.Path("/usr/include/valgrind/memcheck.h").exists():
            skip("the library was built without valgrind/memcheck.h")
    for compiler in COMPILERS[TOOL]:
        if shutil.which(compiler) is not None:
            found = build(compiler)
            if found is not None:
                return found
    skip(f"no compiler here links for {TOOL}")


class Planted(unittest.TestCase):
    def outcome(self, fault):
        words = [PROGRAM, fault]
        if TOOL == "memcheck":
            words = ["valgrind", "-q", "--error-exitcode=99", *words]
        environment = {**os.environ, "ASAN_OPTIONS": "detect_leaks=0"}
        environment.pop("CLEAVE_CHECK", None)
        done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)
        return done.returncode, done.stderr

    def expect(self, fault, *texts):
        code, error = self.outcome(fault)
        self.assertNotEqual(code, 0, f"{fault} was not seen")
        for text in texts:
            self.assertIn(text, error)

    def test_nothing_is_said_of_what_is_allowed(self):
        self.assertEqual(self.outcome("none"), (0, ""))

    @unittest.skipIf(TOOL == "msan", "it looks at values, not at places")
    def test_memory_that_is_not_owned_is_guarded(self):
        access = "Invalid read" if TOOL == "memcheck" else "use-after-poison"
        write = "Invalid write" if TOOL == "memcheck" else "use-after-poison"
        self.expect("read_after_free", access, "faults.cpp")
        self.expect("write_after_free", write, "faults.cpp")
        self.expect("past_end", write, "faults.cpp")
        self.expect("piece", access, "faults.cpp:59")

    @unittest.skipIf(TOOL == "msan", "it looks at values, not at places")
    def test_a_byte_beside_one_that_is_owned_is_guarded(self):
        write = "Invalid write of size 1" if TOOL == "memcheck" else "use-after-poison"
        self.expect("odd_end", write, "faults.cpp:64")
        if TOOL == "memcheck":
            self.expect("odd_piece", "Invalid read of size 1", "faults.cpp:69")
        else:
            # The grain: what was freed of eight bytes stays open while the rest is live.
            self.assertEqual(self.outcome("odd_piece"), (0, ""))

    @unittest.skipIf(TOOL == "asan", "it looks at places, not at values")
    def test_values_that_nobody_wrote_are_seen(self):
        text = "uninitialised value" if TOOL == "memcheck" else "use-of-uninitialized-value"
        self.expect("unwritten", text)
        # Also where the memory had a value before.
        self.expect("reused", text)


if __name__ == "__main__":
    PROGRAM = program()
    unittest.main(verbosity=2)
