# command_line_test.py -- help, version and mistakes on the command line.
import tool


class CommandLine(tool.Case):
    def test_help_names_every_command(self):
        text = self.succeed("--help").stdout.decode()
        for name in ("run", "build", "check", "emit", "sort", "map", "bench", "doctor", "top", "trace",
                     "--version"):
            self.assertIn(name, text)

    def test_each_command_has_help(self):
        for name, word in (("run", "--threads"), ("build", "--output"), ("check", "--format"),
                           ("emit", "--format"), ("sort", "--type"), ("map", "--html"), ("doctor", "--json"),
                           ("bench", "--json"), ("top", "--once"), ("trace", "--top")):
            text = self.succeed(name, "--help").stdout.decode()
            self.assertIn(word, text)
            self.assertIn(f"Usage: cleave {name} ", text)
            self.assertNotIn("->", text)

    def test_version_tells_compiler_and_build(self):
        text = self.succeed("--version").stdout.decode()
        self.assertRegex(text, r"^cleave \d+\.\d+\.\d+ \((g\+\+|clang) \d+[^,]*, \w*\)\n$")

    def test_no_command(self):
        self.fail_with(2, ["--help"])

    def test_an_unknown_command(self):
        self.fail_with(2, ["'sotr'", "cleave --help"], "sotr", "file")

    def test_a_sort_of_nothing(self):
        self.fail_with(2, ["FILE", "cleave sort --help"], "sort")

    def test_options_that_make_no_sense(self):
        self.write("in", b"")
        for options in (["--typo"], ["--type", "u16"], ["--type", "1"], ["--type"], ["--threads", "0"],
                        ["--threads", "-1"], ["--threads", "two"], ["--threads", "1000000"],
                        ["--threads", "99999999999999999999999"], ["--memory", "much"],
                        ["--memory", "-5"], ["-o", ""], ["-o", "a", "-o", "b"]):
            with self.subTest(options=options):
                done = self.fail_with(2, ["cleave sort --help"], "sort", "in", *options)
                self.assertEqual(done.stdout, b"")

    def test_an_empty_name_is_a_missing_file(self):
        self.fail_with(1, ["''", "No such file"], "sort", "")

    def test_help_that_cannot_be_printed_is_an_error(self):
        with open("/dev/full", "wb") as full:
            for arguments in (["--help"], ["--version"], ["doctor"], ["sort", "--help"]):
                self.fail_with(1, ["standard output", "No space left"], *arguments, stdout=full)


if __name__ == "__main__":
    tool.main()
