# program.py -- runs programs by the cleave command, each class of tests with a cache of its
# own, which begins empty.
#
#   class Greeting(program.Case):
#       def test_says_hello(self):
#           self.program("hello.bend", 'IO.print("hello")')
#           self.assertEqual(self.run_tool("run", "hello.bend").stdout, b"hello\n")
import os
import shutil
import tempfile
import time

import tool

# A program that does this and then prints nothing more.
TEXT = """import Base

def main() -> IO(Unit):
  do IO<Unit>:
    {}
"""


def compiler():
    """The command that compiles programs in these tests."""
    return os.environ.get("CXX") or shutil.which("c++") or shutil.which("clang++")


class Case(tool.Case):
    @classmethod
    def setUpClass(cls):
        cls.cache = tempfile.mkdtemp(prefix="cleave cache ")
        cls.addClassCleanup(shutil.rmtree, cls.cache, ignore_errors=True)

    def setUp(self):
        super().setUp()
        self.environment = dict(os.environ, CLEAVE_CACHE=self.cache, CXX=compiler())
        for name in ("CLEAVE_THREADS", "CLEAVE_STATS", "CLEAVE_CHECK", "NO_COLOR"):
            self.environment.pop(name, None)

    def run_tool(self, *arguments, **options):
        options.setdefault("env", self.environment)
        return super().run_tool(*arguments, **options)

    def program(self, name, action):
        """Writes a program that does this."""
        return self.write(name, TEXT.format(action).encode())

    def prints(self, expected, name, *arguments, **options):
        """A run of the program prints this line and nothing else."""
        done = self.run_tool("run", name, *arguments, **options)
        self.assertEqual((done.returncode, done.stderr, done.stdout.decode()),
                         (0, b"", expected + "\n"))

    def own_cache(self, name="cache"):
        """From here on this test has a cache of its own, with the compiled headers that are
        there already."""
        place = self.path(name)
        os.mkdir(place, 0o700)
        headers = os.path.join(self.cache, "headers")
        if os.path.exists(headers):
            shutil.copytree(headers, os.path.join(place, "headers"))
        self.environment["CLEAVE_CACHE"] = place
        return place

    def without_compiler(self):
        """What runs from here on finds no compiler."""
        os.makedirs(self.path("empty"), exist_ok=True)
        self.environment.pop("CXX", None)
        self.environment["PATH"] = self.path("empty")

    def fake_compiler(self, script):
        """The compiler is from here on a shell script; "$compiler" is the real one, and what
        it appends to "$log" is in the file log."""
        self.write("log", b"")
        text = f"#!/bin/sh\nlog='{self.path('log')}'\ncompiler='{compiler()}'\n{script}\n"
        os.chmod(self.path(self.write("fake", text.encode())), 0o755)
        # The name of a command has no blanks in $CXX, and the folder of a test does.
        self.environment["CXX"] = "fake"
        self.environment["PATH"] = self.folder + ":" + os.environ["PATH"]

    def calls(self):
        """How often the fake compiler has said that it was called for a program."""
        return self.read("log").decode().count("program.cpp")

    def wait_until(self, happened):
        deadline = time.monotonic() + tool.patience
        while not happened():
            self.assertLess(time.monotonic(), deadline, "it did not happen")
            time.sleep(0.01)

    def files_in_cache(self, part):
        folder = os.path.join(self.environment["CLEAVE_CACHE"], part)
        return sorted(os.listdir(folder)) if os.path.isdir(folder) else []
