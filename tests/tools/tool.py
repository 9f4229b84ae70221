# tool.py -- runs the cleave command as a user would.
#
#   class Greeting(tool.Case):
#       def test_says_hello(self):
#           self.assertEqual(self.succeed("hello").stdout, b"hello\n")
#
# Each test has a directory of its own, self.folder, and runs in it. The path
# of the command is the first argument of the script, `seed` is printed.
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest

command = None
seed = int(os.environ.get("CLEAVE_TEST_SEED", "20240607"))


def sanitized():
    return os.environ.get("CLEAVE_SANITIZE", "") != ""


# Seconds, for hangs alone: nothing that works comes near it.
patience = 300


def cores():
    """How many processors this process may use, of those that the machine has."""
    return len(os.sched_getaffinity(0))


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="cleave test ")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.random = random.Random(seed)

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, data):
        with open(self.path(name), "wb") as file:
            file.write(data)
        return name

    def read(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def run_tool(self, *arguments, **options):
        if "input" not in options and "stdin" not in options:
            options["stdin"] = subprocess.DEVNULL
        options.setdefault("stdout", subprocess.PIPE)
        return subprocess.run([command, *arguments], cwd=self.folder, stderr=subprocess.PIPE,
                              timeout=patience, check=False, **options)

    def succeed(self, *arguments, **options):
        done = self.run_tool(*arguments, **options)
        self.assertEqual((done.returncode, done.stderr), (0, b""))
        return done

    def fail_with(self, code, words, *arguments, **options):
        """The command ends with `code` and says one line with all of the words."""
        done = self.run_tool(*arguments, **options)
        self.assertEqual(done.returncode, code, done.stderr)
        text = done.stderr.decode(errors="replace")
        self.assertTrue(text.startswith("cleave: ") and text.endswith("\n"), text)
        self.assertEqual(text.count("\n"), 1, text)
        for word in words:
            self.assertIn(word, text)
        return done

    def stats(self, *arguments, **options):
        """What --json printed on standard error."""
        done = self.run_tool(*arguments, "--json", **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stderr)


class Result(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.stream.writeln(f"SKIP {test.id()}: {reason}")


def main():
    global command
    if len(sys.argv) < 2:
        sys.exit("usage: " + sys.argv[0] + " PATH-OF-CLEAVE [TEST...]")
    command = os.path.abspath(sys.argv.pop(1))
    print(f"seed {seed}; another one: CLEAVE_TEST_SEED=...", flush=True)
    unittest.main(testRunner=unittest.TextTestRunner(resultclass=Result, verbosity=2))
