# trace_test.py -- `cleave trace` on files: good ones, cut ones and others.
import json
import os
import subprocess
import sys

import tool

maker = None


class Trace(tool.Case):
    def setUp(self):
        super().setUp()
        subprocess.run([maker, self.path("good.trace")], check=True)

    def summary(self, *arguments):
        return json.loads(self.succeed("trace", *arguments, "--json").stdout)

    def test_a_recording_in_words(self):
        text = self.succeed("trace", "good.trace").stdout.decode()
        self.assertRegex(text, r"(?m)^/bin/some program: 5 events in 10\.0 us, 1 thread$")
        self.assertRegex(text, r"(?m)^most 3\.9 KiB at 3\.0 us, 100 B at the end")
        self.assertNotIn("\033", text)

    def test_a_recording_as_json(self):
        all = self.summary("good.trace")
        self.assertTrue(all["complete"])
        self.assertEqual(all["peak"]["live_bytes"], 4000)
        self.assertEqual(all["end"]["live_bytes"], 100)
        self.assertEqual(all["copies"][0]["bytes"], 32)
        self.assertEqual(all["length_nanoseconds"], 10000)

    def test_a_recording_that_ends_in_the_middle(self):
        whole = self.read("good.trace")
        self.write("cut.trace", whole[:-1])
        all = self.summary("cut.trace")
        self.assertFalse(all["complete"])
        text = self.succeed("trace", "cut.trace").stdout.decode()
        self.assertIn("the recording is not complete", text)

    def test_files_that_are_no_recordings(self):
        os.mkdir(self.path("folder"))
        self.write("empty", b"")
        self.write("text", b"some words\n" * 1000)
        for name in ("empty", "text", "folder", "missing", ""):
            with self.subTest(name=name):
                self.fail_with(1, [name], "trace", name)

    def test_any_damage_is_an_answer(self):
        whole = self.read("good.trace")
        for _ in range(50):
            damaged = bytearray(whole)
            for _ in range(self.random.randrange(1, 4)):
                damaged[self.random.randrange(len(damaged))] ^= 1 << self.random.randrange(8)
            self.write("damaged", bytes(damaged))
            self.assertIn(self.run_tool("trace", "damaged").returncode, (0, 1))

    def test_command_lines_that_make_no_sense(self):
        for arguments in ([], ["good.trace", "--top", "0"], ["good.trace", "--top", "x"],
                          ["good.trace", "more"], ["good.trace", "--typo"]):
            with self.subTest(arguments=arguments):
                self.fail_with(2, ["cleave trace --help"], "trace", *arguments)

    def test_a_full_disk(self):
        with open("/dev/full", "wb") as full:
            self.fail_with(1, ["No space left"], "trace", "good.trace", stdout=full)


if __name__ == "__main__":
    maker = os.path.abspath(sys.argv.pop(2))
    tool.main()
