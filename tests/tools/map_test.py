# map_test.py -- `cleave map`: pictures and text of recordings that make_recording.cpp makes.
import base64
import os
import pty
import re
import subprocess
import sys
import xml.etree.ElementTree

import tool

maker = None


def column(page, name):
    """The numbers of a column of a page, as its script reads them."""
    text = re.search(f'id="column-{name}">([^<]*)<', page)[1]
    numbers, value, shift = [], 0, 0
    for byte in base64.b64decode(text, validate=True):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value, shift = 0, 0
    return numbers


class Map(tool.Case):
    def setUp(self):
        super().setUp()
        self.environment = dict(os.environ, LC_ALL="C.UTF-8")
        for name in ("NO_COLOR", "COLUMNS"):
            self.environment.pop(name, None)

    def make(self, kind):
        subprocess.run([maker, kind, self.path("a.trace")], check=True)

    def text_of(self, *options):
        done = self.succeed("map", "a.trace", "--text", *options, env=self.environment)
        return done.stdout.decode()

    def in_terminal(self, **variables):
        """Standard output when it is a terminal."""
        master, slave = pty.openpty()
        try:
            environment = dict(self.environment, TERM="xterm", **variables)
            self.succeed("map", "a.trace", "--text", stdout=slave, env=environment)
            os.close(slave)
            slave = None
            text = b""
            while True:
                try:
                    part = os.read(master, 65536)
                except OSError:
                    part = b""
                if not part:
                    return text.decode()
                text += part
        finally:
            os.close(master)
            if slave is not None:
                os.close(slave)

    def test_text_is_the_peak(self):
        self.make("small")
        text = self.text_of()
        self.assertIn("a.trace at 4.0 ms of 10.0 ms, its peak: 80.1 KiB live, 84.0 KiB held", text)
        self.assertIn("\n0x1000000000   ████░···\n", text)
        self.assertIn("992.0 KiB never in use\n", text)
        self.assertIn("\n0x1000100000   ████████████████\n", text)
        self.assertIn("█   64.0 KiB in 1 piece: small+0x2\n", text)
        self.assertNotIn("\x1b", text)

    def test_text_of_another_moment(self):
        self.make("small")
        for at in ("2ms", "20%", "0.002s", "2500us"):
            with self.subTest(at=at):
                text = self.text_of("--at", at)
                self.assertIn("\n0x1000000000   ████████\n", text)
                self.assertIn("\n0x1000100000   ················\n", text)
        self.assertIn(" in 2 pieces: small+0x2\n", self.text_of("--at=end"))

    def test_a_terminal_gets_colours_unless_they_are_refused(self):
        self.make("small")
        self.assertIn("\x1b[38;5;", self.in_terminal())
        self.assertNotIn("\x1b", self.in_terminal(NO_COLOR="1"))

    def test_a_picture_is_xml_with_a_rectangle_for_each_piece(self):
        self.make("small")
        self.succeed("map", "a.trace", "--svg", "a.svg")
        root = xml.etree.ElementTree.fromstring(self.read("a.svg"))
        space = "{http://www.w3.org/2000/svg}"
        kinds = [one.get("class") for one in root.iter(space + "rect") if one.find(space + "title") is not None]
        # Place 3 whole, place 1 whole, place 2 with what it keeps behind it.
        self.assertEqual(sorted(kinds), ["c0", "c1", "c2", "dead"])
        titles = [one.text for one in root.iter(space + "title")]
        self.assertIn("64 B at 0x1000004000, of 16.0 KiB, from small+0x1, since 2.0 ms", titles)
        whole = [one for one in root.iter(space + "rect") if one.get("class") == "c1" and one.get("width") != "10"]
        self.assertEqual([one.get("width") for one in whole], ["39"])  # four cells

    def test_names_are_never_marks(self):
        self.make("hostile")
        self.succeed("map", "a.trace", "--svg", "a.svg", "--html", "a.html")
        svg = self.read("a.svg").decode()
        xml.etree.ElementTree.fromstring(svg)
        self.assertNotIn("<script", svg)
        page = self.read("a.html").decode()
        self.assertNotIn("alert(1)<", page)
        self.assertEqual(page.count("<script"), 7)
        for text in (svg, page, self.text_of(), self.succeed("trace", "a.trace", "--json").stdout.decode()):
            self.assertNotRegex(text, "[\x1b\u0080-\u009f\u202a-\u202e]")

    def test_a_page_needs_nothing_else(self):
        self.make("small")
        self.succeed("map", "a.trace", "--html", "a.html")
        page = self.read("a.html").decode()
        self.assertIn("default-src 'none'", page)
        self.assertEqual(re.findall(r"(?:src|href)=\"?[^#\"\s>]+", page), [])
        self.assertNotIn("unsafe", page)

    def test_a_page_has_the_history_in_columns(self):
        self.make("small")
        self.succeed("map", "a.trace", "--html", "a.html")
        page = self.read("a.html").decode()
        self.assertEqual(column(page, "times"), [10**6, 10**6, 10**6, 10**6, 1, 5999999])
        # Changes in pages, doubled; the odd one falls by three.
        self.assertEqual(column(page, "held"), [8, 8, 5, 32, 0, 0])
        # Moments since the one before, change of address, size, place, thread.
        self.assertEqual(column(page, "allocations"),
                         [1, 0, 16384, 1, 1,
                          1, 2 * 16384, 16384, 2, 1,
                          2, 2 * 252 * 4096, 65536, 3, 2])
        # A whole allocation: 0, end. A part: how far above its parent is, offset, size, wait, end.
        # An end is its moment times eight, and how: 1 freed, 2 cut, 3 cut without a word.
        self.assertEqual(column(page, "spans"),
                         [0, 0,
                          0, 8 + 3, 1, 0, 64, 0, 0, 2, 64, 16320, 0, 1,
                          0, 8 + 2, 1, 0, 32768, 0, 0, 2, 32768, 32768, 0, 0])
        self.assertEqual(column(page, "ranges"), [0, 8 * 4096, 2 * 248 * 4096, 65536])

    def test_standard_output_takes_a_picture(self):
        self.make("small")
        done = self.succeed("map", "a.trace", "--svg", "-")
        self.assertTrue(done.stdout.startswith(b"<svg "))

    def test_the_tree_of_an_allocation(self):
        self.make("small")
        done = self.succeed("map", "a.trace", "--tree", "0x1000100000", "--at", "end")
        self.assertEqual(done.stdout.decode(), "32.0 KiB at 0x1000100000, of 64.0 KiB, from small+0x2, since 4.0 ms\n"
                         "- [0, 65536) from 4.0 ms, cut at 4.0 ms\n"
                         "  > [0, 32768) from 4.0 ms, never freed\n"
                         "  - [32768, 65536) from 4.0 ms, never freed\n")
        self.fail_with(1, ["0x1000100000", "0 ns", "--at"], "map", "a.trace", "--tree=0x1000100000", "--at=0s")
        self.fail_with(2, ["--tree", "cleave map --help"], "map", "a.trace", "--tree=there")

    def test_odd_recordings_are_drawn_and_said(self):
        self.make("odd")
        self.assertIn("\nevents that cannot be true of a heap: 2;", self.text_of())

    def test_a_recording_without_its_end_is_drawn_and_said(self):
        self.make("small")
        self.write("a.trace", self.read("a.trace")[:-1])
        self.assertTrue(self.text_of().startswith("The recording ends in the middle; "))

    def test_no_message_controls_the_terminal(self):
        for name in ("no\033[31m", "no\u009b31m", b"no\x9b31m"):
            with self.subTest(name=name):
                self.fail_with(1, ["'no?"], "map", name, "--text")

    def test_letters_are_ascii_without_utf8(self):
        self.make("small")
        self.environment["LC_ALL"] = "C"
        text = self.text_of()
        self.assertTrue(text.isascii())
        self.assertIn("\n0x1000000000   ####-...\n", text)

    def test_an_empty_recording_has_an_empty_map(self):
        self.make("empty")
        self.assertIn("nothing was ever in use\n", self.text_of())
        self.succeed("map", "a.trace", "--svg", "a.svg")
        xml.etree.ElementTree.fromstring(self.read("a.svg"))

    def test_what_is_wrong_is_one_line(self):
        self.make("small")
        self.write("no.trace", b"no recording")
        self.fail_with(1, ["nothere.trace"], "map", "nothere.trace", "--text")
        self.fail_with(1, ["no.trace"], "map", "no.trace", "--text")
        self.fail_with(2, ["--html", "--svg", "--text", "cleave map --help"], "map", "a.trace")
        self.fail_with(2, ["FILE", "cleave map --help"], "map")
        for at in ("soon", "5", "101%", "-1s", ""):
            self.fail_with(2, ["--at", "cleave map --help"], "map", "a.trace", "--text", "--at=" + at)
        self.fail_with(2, ["--colour", "cleave map --help"], "map", "a.trace", "--text", "--colour", "red")
        self.fail_with(1, ["nowhere/a.svg", "No such file"], "map", "a.trace", "--svg", "nowhere/a.svg")

    def test_a_full_disk_is_an_error(self):
        self.make("small")
        with open("/dev/full", "wb") as full:
            self.fail_with(1, ["standard output", "No space left"], "map", "a.trace", "--text", stdout=full)


if __name__ == "__main__":
    maker = os.path.abspath(sys.argv.pop(2))
    tool.main()
