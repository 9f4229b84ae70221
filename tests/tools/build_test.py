# build_test.py -- `cleave build`: what it makes runs by itself, and takes its place whole.
import os
import subprocess

import program
import tool


class Build(program.Case):
    def made(self, *arguments, **settings):
        """What the program out prints."""
        self.without_compiler()
        done = subprocess.run([self.path("out"), *arguments], cwd=self.folder,
                              env=dict(self.environment, **settings), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=tool.patience, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_the_program_runs(self):
        self.program("main.bend", 'IO.print("built")')
        self.succeed("build", "main.bend", "-o", "out")
        self.assertEqual(self.made(), (0, b"built\n", b""))
        self.assertEqual(self.made(CLEAVE_THREADS="2", CLEAVE_CHECK="1"), (0, b"built\n", b""))

    def test_it_may_be_run_by_those_who_may_read_it(self):
        self.program("main.bend", 'IO.print("built")')
        self.succeed("build", "main.bend", "-o", "out", umask=0o027)
        self.assertEqual(os.stat(self.path("out")).st_mode & 0o777, 0o750)

    def test_it_takes_the_place_of_an_older_one(self):
        self.write("out", b"older")
        os.chmod(self.path("out"), 0o640)
        self.program("main.bend", 'IO.print("newer")')
        self.succeed("build", "main.bend", "-o", "out")
        self.assertEqual(os.stat(self.path("out")).st_mode & 0o777, 0o750)
        self.assertEqual(self.made()[1], b"newer\n")

    def test_a_wrong_program_leaves_it_as_it_was(self):
        self.write("out", b"older")
        self.program("wrong.bend", "IO.print(nothing)")
        done = self.run_tool("build", "wrong.bend", "-o", "out")
        self.assertEqual((done.returncode, self.read("out")), (1, b"older"))

    def test_a_program_without_main(self):
        self.write("library.bend", b"import Base\n\ndef one() -> U32:\n  1\n")
        self.fail_with(1, ["no main"], "build", "library.bend", "-o", "out")
        self.assertFalse(os.path.exists(self.path("out")))

    def test_places_that_cannot_be_written(self):
        self.program("main.bend", 'IO.print("built")')
        self.fail_with(1, ["'.'"], "build", "main.bend", "-o", ".")
        self.fail_with(1, ["'no/out'", "directory"], "build", "main.bend", "-o", "no/out")

    def test_it_does_not_take_the_place_of_a_source(self):
        self.write("part.bend", b"import Base\n\ndef one() -> U32:\n  1\n")
        self.write("main.bend", b"import Base\nimport ./part.bend as P\n\n"
                                b"def main() -> U32:\n  P.one()\n")
        os.symlink("main.bend", self.path("link"))
        for place in ("main.bend", "part.bend", "link", "./part.bend"):
            with self.subTest(place=place):
                self.fail_with(1, [place, "--output"], "build", "main.bend", "-o", place)
        self.assertTrue(self.read("main.bend").endswith(b"P.one()\n"))
        self.assertTrue(self.read("part.bend").endswith(b"1\n"))

    def test_mistakes_on_the_command_line(self):
        self.program("main.bend", 'IO.print("built")')
        for arguments in ([], ["main.bend"], ["-o", "out"], ["main.bend", "-o"],
                          ["main.bend", "-o", "out", "more"], ["main.bend", "-o", "out", "--typo"]):
            with self.subTest(arguments=arguments):
                self.fail_with(2, ["cleave build --help"], "build", *arguments)

    def test_portable_programs_are_for_no_processor(self):
        self.fake_compiler('echo "$@" >> "$log"; exec $compiler "$@"')
        self.program("main.bend", 'IO.print("portable")')
        self.succeed("build", "main.bend", "-o", "out", "--portable")
        self.assertEqual(self.calls(), 1)
        self.assertNotIn(b"-march", self.read("log"))
        self.assertEqual(self.made()[1], b"portable\n")

    def test_statistics_are_printed_when_asked_for(self):
        self.program("main.bend", 'IO.print("counted")')
        self.succeed("build", "main.bend", "-o", "out", "--stats")
        self.assertEqual(self.made(), (0, b"counted\n", b""))
        self.assertIn(b"allocations", self.made(CLEAVE_STATS="1")[2])


if __name__ == "__main__":
    tool.main()
