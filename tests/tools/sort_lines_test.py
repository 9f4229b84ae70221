# sort_lines_test.py -- `cleave sort` of lines, against `LC_ALL=C sort`.
import os
import subprocess

import tool


class SortLines(tool.Case):
    def sorted_by_twin(self, *names, **options):
        environment = dict(os.environ, LC_ALL="C")
        return subprocess.run(["sort", "--", *names], cwd=self.folder, env=environment,
                              stdout=subprocess.PIPE, check=True, **options).stdout

    def compare(self, *names):
        """All files together, on one thread and on several."""
        expected = self.sorted_by_twin(*names)
        for threads in ("1", "2"):
            self.succeed("sort", "--threads", threads, "-o", "out", "--", *names)
            got = self.read("out")
            # Not assertEqual, which would print megabytes.
            self.assertTrue(got == expected, f"differs from the twin on {threads} threads")

    def compare_bytes(self, data):
        self.write("in", data)
        self.compare("in")

    def line(self, alphabet, length):
        return bytes(self.random.choice(alphabet) for _ in range(length))

    def lines(self, count, alphabet, longest):
        return b"".join(self.line(alphabet, self.random.randint(0, longest)) + b"\n"
                        for _ in range(count))

    def test_nothing_and_almost_nothing(self):
        for data in (b"", b"\n", b"a", b"\0", b"\n\n", b"\na", b"a\n\n", b"b\na", b"\xff\n\x00"):
            with self.subTest(data=data):
                self.compare_bytes(data)

    def test_any_byte_but_the_newline_stands_in_a_line(self):
        self.compare_bytes(bytes(self.random.randrange(256) for _ in range(300000)))

    def test_short_lines_of_few_letters_and_zeros(self):
        self.compare_bytes(self.lines(120000, b"\0a\xff", 9))

    def test_long_common_beginnings(self):
        beginning = self.line(b"xyz", 200)
        data = b"".join(beginning[:self.random.randint(190, 200)] +
                        self.line(b"\0az", self.random.randint(0, 20)) + b"\n"
                        for _ in range(80000))
        self.compare_bytes(data)

    def test_equal_lines_longer_than_any_level_of_the_leaf_sort(self):
        self.compare_bytes((b"same" * 200 + b"\n") * 20000 + b"same" * 199 + b"\n")

    def test_lines_that_differ_only_behind_a_thousand_bytes(self):
        beginning = b"p" * 1000
        self.compare_bytes(b"".join(beginning + self.line(b"01", 12) + b"\n"
                                    for _ in range(10000)))

    def test_beginnings_of_each_other(self):
        lines = [b"ab" * i for i in range(300)] + [b"ab" * i + b"\0" for i in range(300)]
        self.random.shuffle(lines)
        self.compare_bytes(b"\n".join(lines))

    def test_a_line_longer_than_a_block_of_output_among_short_ones(self):
        lines = [self.line(b"abc", 5) for _ in range(70000)]
        lines.insert(12345, b"b" * (3 << 20))
        lines.insert(54321, b"b" * (3 << 20) + b"a")
        self.compare_bytes(b"\n".join(lines) + b"\n")

    def test_lines_whose_length_does_not_fit_into_the_record(self):
        for size in ((1 << 24) - 2, (1 << 24) - 1, 1 << 24):
            with self.subTest(size=size):
                self.compare_bytes(b"x" * size + b"\nx\n" + b"x" * size + b"a\n")

    def test_sorted_and_reversed(self):
        lines = [b"%08d" % i for i in range(100000)]
        self.compare_bytes(b"\n".join(lines))
        self.compare_bytes(b"\n".join(reversed(lines)))

    def test_words_of_a_dictionary(self):
        words = "/usr/share/dict/words"
        if not os.path.exists(words):
            self.skipTest("no " + words + "; install wamerican")
        with open(words, "rb") as file:
            lines = file.read().split(b"\n")[:-1] * 3
        self.random.shuffle(lines)
        self.compare_bytes(b"\n".join(lines) + b"\n")

    def test_files_are_sorted_together_and_each_missing_newline_is_added(self):
        self.write("one", b"pear\napple")
        self.write("two", b"")
        self.write("three", b"fig\n")
        self.write("four", b"banana")
        self.compare("one", "two", "three", "four", "one")

    def test_standard_input_has_a_place_among_the_files(self):
        self.write("one", b"pear\napple")
        done = self.succeed("sort", "one", "-", "one", input=b"cherry")
        self.assertEqual(done.stdout, b"apple\napple\ncherry\npear\npear\n")

    def test_a_pipe_of_unknown_size(self):
        data = self.lines(200000, b"abcdefgh", 20)
        expected = b"".join(sorted(data.splitlines(keepends=True)))
        self.assertTrue(self.succeed("sort", "-", input=data).stdout == expected)

    def test_standard_input_that_is_a_file_is_read_from_where_it_stands(self):
        self.write("in", b"skipped\nb\na\n")
        with open(self.path("in"), "rb") as file:
            os.lseek(file.fileno(), 8, os.SEEK_SET)
            self.assertEqual(self.succeed("sort", "-", stdin=file).stdout, b"a\nb\n")

    def test_files_without_a_size(self):
        done = self.succeed("sort", "/proc/self/status")
        self.assertIn(b"Name:\tcleave\n", done.stdout)

    def test_thousands_of_files(self):
        names = [self.write(f"f{i}", b"%d" % self.random.randrange(10**6)) for i in range(3000)]
        self.compare(*names)

    def test_more_threads_than_cores(self):
        data = self.lines(100000, b"abc", 10)
        self.write("in", data)
        seen = self.stats("sort", "--threads", "1024", "in", "-o", "out")
        self.assertLessEqual(seen["threads"], tool.cores())
        self.assertTrue(self.read("out") == self.sorted_by_twin("in"))

    def test_names_of_any_kind(self):
        names = ["two words", "new\nline", "-dash", "--stats", "[a,b]", "[]", "doctor", "sort",
                 "\u00fc", "%s{}", "a=b", "'\""]
        for name in names:
            self.write(name, name.replace("\n", " ").encode() + b"\n")
        self.compare(*names)
        self.succeed("sort", "-o", "out [x]\n", "two words")
        self.assertEqual(self.read("out [x]\n"), b"two words\n")

    def test_the_output_may_be_an_input(self):
        data = self.lines(100000, b"abc", 10)
        self.write("in", data)
        expected = self.sorted_by_twin("in")
        self.succeed("sort", "in", "-o", "in")
        self.assertTrue(self.read("in") == expected)

    def test_statistics_count_what_was_done(self):
        data = self.lines(200000, b"abcdef", 10)
        self.write("in", data)
        seen = self.stats("sort", "in", "-o", "out", "--threads", "2")
        self.assertEqual(seen["type"], "lines")
        self.assertEqual(seen["elements"], 200000)
        self.assertEqual(seen["bytes"], len(data))
        self.assertEqual(seen["bytes_copied_by_joins"], 0)
        # Two leaves are joined once when they are sorted, and once when they are merged.
        self.assertEqual(seen["joins"], 2 if seen["threads"] == 2 else 0)
        # The text and the records are in memory at the same time.
        self.assertGreaterEqual(seen["peak_heap_bytes"], len(data) + 16 * 200000)
        self.assertGreaterEqual(seen["peak_resident_bytes"], seen["peak_heap_bytes"])
        self.assertEqual(set(seen["seconds"]), {"read", "sort", "merge", "write"})
        self.assertGreater(seen["allocations"], 0)

    def test_statistics_do_not_disturb_the_output(self):
        done = self.run_tool("sort", "-", "--stats", input=b"b\na\n")
        self.assertEqual((done.returncode, done.stdout), (0, b"a\nb\n"))
        self.assertIn(b"bytes copied by joins  0\n", done.stderr)


if __name__ == "__main__":
    tool.main()
