# map_page_test.py -- the page of `cleave map --html`, in a headless Chromium.
#
# make_recording.cpp says what is in the recordings.
import os
import subprocess
import sys
import time
import unittest

import browser
import tool

maker = None
BASE = 0x1000000000
PAGE = 4096
# The colours of the heaviest place and so on: place 3 holds most, then 1, then 2.
BLUE, ORANGE, GREEN = (0x00, 0x72, 0xb2), (0xe6, 0x9f, 0x00), (0x00, 0x9e, 0x73)


def setUpModule():
    if browser.command() is None:
        raise unittest.SkipTest("there is no chromium")


class PageCase(tool.Case):
    @classmethod
    def setUpClass(cls):
        cls.chromium = browser.Browser().__enter__()
        cls.addClassCleanup(cls.chromium.__exit__)

    def open(self, kind, **options):
        subprocess.run([maker, kind, self.path("a.trace")], check=True)
        self.succeed("map", "a.trace", "--html", "a.html")
        page = self.chromium.open(self.path("a.html"), **options)
        self.addCleanup(page.close)
        page.wait_for("document.body && document.body.dataset.ready === 'true'")
        return page

    def data(self, page, name):
        value = page.value(f"document.getElementById('map').dataset.{name}")
        try:
            return float(value)
        except ValueError:
            return value

    def text(self, page, name):
        return page.value(f"document.getElementById('{name}').textContent")

    # All of the recording in two seconds.
    def play_fast(self, page):
        page.value("(s => { s.options[5].value = '10'; s.selectedIndex = 5; })(document.getElementById('speed'))")
        page.key(" ")

    # The middle of the foot of a cell, in the window.
    def place_of(self, page, fold):
        box = page.value("(b => [b.left, b.top])(document.getElementById('map').getBoundingClientRect())")
        cell = int((fold - self.data(page, "top")) // self.data(page, "cellBytes"))
        columns = int(self.data(page, "columns"))
        x = box[0] + self.data(page, "label") + (cell % columns + 0.5) * self.data(page, "side")
        return x, box[1] + (cell // columns) * 14 + 9

    def assertColour(self, seen, expected, tolerance=12):
        self.assertTrue(all(abs(a - b) <= tolerance for a, b in zip(seen, expected)),
                        f"{seen} is not {expected}")

    def assertQuiet(self, page):
        self.assertEqual(page.complaints, [])
        self.assertEqual(page.requests, [page.url])


class SmallRecording(PageCase):
    def test_cells_have_the_colours_of_what_lives_there(self):
        page = self.open("small")
        for dark, dead, free in ((False, (0xc3, 0xc8, 0xd1), (0xec, 0xee, 0xf2)),
                                 (True, (0x4c, 0x54, 0x61), (0x22, 0x26, 0x2e))):
            page.prefer(dark)
            page.settle()
            seen = lambda fold: page.pixel(*self.place_of(page, fold))
            with self.subTest(dark=dark):
                self.assertColour(seen(2 * PAGE + 100), ORANGE)
                self.assertColour(seen(4 * PAGE + 32), GREEN)
                self.assertColour(seen(4 * PAGE + 2048), dead)
                self.assertColour(seen(6 * PAGE + 2048), free)
                # Behind the fold: the region a MiB further.
                self.assertColour(seen(12 * PAGE + 2048), BLUE)
        self.assertQuiet(page)

    def test_the_theme_is_what_the_button_says(self):
        page = self.open("small")
        page.key("t")
        page.key("t")
        self.assertEqual(self.text(page, "theme"), "Theme: dark")
        self.assertColour(page.pixel(3, 3), (0x10, 0x12, 0x16))
        page.key("t")
        self.assertColour(page.pixel(3, 3), (0xf5, 0xf6, 0xf8))

    def test_the_slider_goes_through_time(self):
        page = self.open("small")
        self.assertEqual(self.data(page, "moment"), 4)  # the peak
        move = ("(s => { s.value = %d; s.dispatchEvent(new Event('input', {bubbles: true})); })"
                "(document.getElementById('slider'))")
        page.value(move % 2500)  # 2.5 ms of 10 ms
        page.settle()
        self.assertEqual(self.data(page, "moment"), 2)
        self.assertEqual(self.text(page, "now-live"), "32 KiB")
        self.assertEqual(self.text(page, "now-held"), "32 KiB")
        page.value(move % 3500)
        page.settle()
        self.assertEqual(self.text(page, "now-held"), "20 KiB")
        self.assertEqual(self.text(page, "now-pinned"), "3.9 KiB (20 %)")
        page.value("(a => { a.value = 'events'; a.dispatchEvent(new Event('change')); })"
                   "(document.getElementById('axis'))")
        page.value(move % 5000)
        page.settle()
        self.assertEqual(self.text(page, "now-event"), "3 of 6")
        page.value(move % 0)
        page.settle()
        self.assertEqual(self.text(page, "now-live"), "0 bytes")
        self.assertQuiet(page)

    def test_events_are_stepped_and_played_with_keys(self):
        page = self.open("small")
        page.key(",", 3)
        self.assertEqual(self.data(page, "moment"), 1)
        page.key(".")
        self.assertEqual(self.data(page, "moment"), 2)
        self.play_fast(page)
        page.wait_for("document.getElementById('map').dataset.moment === '6'")
        page.wait_for("document.getElementById('map').dataset.playing === 'false'")
        self.assertIn("10 ms", self.text(page, "told"))
        page.key("k")
        self.assertEqual(self.data(page, "moment"), 4)
        self.assertQuiet(page)

    def test_zoom_goes_down_to_bytes_and_back(self):
        page = self.open("small")
        whole = self.data(page, "cellBytes")
        x, y = self.place_of(page, 4 * PAGE)
        page.mouse("mouseWheel", x, y, deltaX=0, deltaY=-120)
        page.settle()
        self.assertEqual(self.data(page, "cellBytes"), whole / 2)
        page.key("m")
        page.key("+", 12)
        self.assertEqual(self.data(page, "cellBytes"), 1)
        self.assertIn("A cell is 1 byte", self.text(page, "told"))
        page.key("-")
        self.assertEqual(self.data(page, "cellBytes"), 2)
        page.key("0")
        self.assertEqual(self.data(page, "cellBytes"), whole)
        self.assertQuiet(page)

    def test_the_map_is_dragged_and_pinched(self):
        page = self.open("small")
        page.key("+", 4)
        x, y = self.place_of(page, self.data(page, "top") + 8 * self.data(page, "columns") * self.data(page, "cellBytes"))
        before = self.data(page, "top")
        page.mouse("mousePressed", x, y, button="left", clickCount=1)
        page.mouse("mouseMoved", x, y - 5 * 14, button="left", buttons=1)
        page.mouse("mouseReleased", x, y - 5 * 14, button="left", clickCount=1)
        page.settle()
        self.assertEqual(self.data(page, "top") - before, 5 * self.data(page, "columns") * self.data(page, "cellBytes"))
        self.assertIn("Choose a piece", self.text(page, "tree"))  # that was no click
        cell = self.data(page, "cellBytes")
        for kind, apart in (("touchStart", 20), ("touchMove", 40), ("touchEnd", 0)):
            touches = [] if kind == "touchEnd" else [{"x": x + side * apart, "y": y, "id": side} for side in (0, 1)]
            page.ask("Input.dispatchTouchEvent", type=kind, touchPoints=touches)
        page.settle()
        self.assertEqual(self.data(page, "cellBytes"), cell / 2)
        self.assertQuiet(page)

    def test_the_curves_take_a_click(self):
        page = self.open("small")
        box = page.value("(b => [b.left, b.top, b.width])(document.getElementById('curves').getBoundingClientRect())")
        page.click(box[0] + box[2] * 0.25, box[1] + 20)
        self.assertEqual(self.data(page, "moment"), 2)  # 2.5 ms of 10 ms

    def test_the_map_is_walked_with_keys(self):
        page = self.open("small")
        page.key("m")
        page.key("n")
        self.assertEqual(self.data(page, "cursor"), 4 * PAGE)
        words = self.text(page, "cell")
        self.assertIn("64 bytes at 0x1000004000, bytes [0, 64) of 16 KiB", words)
        self.assertIn("from small+0x1, thread 1", words)
        self.assertIn("since 2 ms", words)
        page.key("ArrowRight")
        self.assertIn("not live, on a page with 64 bytes live", self.text(page, "cell"))
        page.key("End")
        self.assertEqual(self.data(page, "cursor"), 24 * PAGE - 1)
        self.assertIn("64 KiB at 0x1000100000; from small+0x2", self.text(page, "cell"))
        page.key("Home")
        self.assertEqual(self.data(page, "cursor"), 0)

    def test_a_click_shows_the_tree_of_cuts(self):
        page = self.open("small")
        page.key(".")
        page.click(*self.place_of(page, 20 * PAGE))
        tree = self.text(page, "tree")
        self.assertIn("64 KiB at 0x1000100000, from small+0x2", tree)
        for part in ("[0, 65,536)", "[0, 32,768)", "[32,768, 65,536)", "cut at 4 ms", "live now"):
            self.assertIn(part, tree)
        self.assertNotIn("inferred", tree)
        self.assertIn("[32,768, 65,536)", page.value("document.querySelector('#tree [aria-current]').textContent"))
        page.click(*self.place_of(page, 4 * PAGE))
        self.assertIn("cut at 3 ms (inferred from a free)", self.text(page, "tree"))
        self.assertQuiet(page)

    def test_a_pointer_sees_what_it_is_over(self):
        page = self.open("small")
        page.mouse("mouseMoved", *self.place_of(page, PAGE))
        page.settle()
        self.assertIn("16 KiB at 0x1000000000", self.text(page, "tip"))

    def test_pinned_pages_are_listed_and_shown(self):
        page = self.open("small")
        pins = self.text(page, "pins")
        for part in ("0x1000004000", "7 ms", "64 bytes", "bytes [0, 64) of 16 KiB, from small+0x1"):
            self.assertIn(part, pins)
        page.value("document.querySelector('#pins button').click()")
        page.settle()
        self.assertEqual(self.data(page, "moment"), 3)
        self.assertEqual(self.data(page, "cursor"), 4 * PAGE)
        self.assertEqual(self.data(page, "cellBytes"), 64)

    def test_readers_are_told_what_there_is(self):
        page = self.open("small")
        page.value("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        page.settle()
        names = page.names()
        for role, words in (("slider", "Moment"), ("application", "Map of pages"), ("button", "Zoom in"),
                            ("button", "One event back"), ("button", "Play"), ("heading", "The reservation"),
                            ("rowheader", "0x1000004000"), ("button", "Show page 0x1000004000")):
            self.assertIn((role, words), names)
        self.assertTrue(any(role in ("image", "img") and "Most live: 80.1 KiB at 4 ms" in name
                            for role, name in names), names)
        nameless = [role for role, name in names if role in ("button", "slider", "combobox") and not name]
        self.assertEqual(nameless, [])
        self.assertIn("64 KiB", self.text(page, "pieces"))
        self.assertIn("3.9 KiB", self.text(page, "now-pinned"))

    def test_help_opens_and_closes_with_keys(self):
        page = self.open("small")
        page.key("?")
        self.assertTrue(page.value("document.getElementById('keys').open"))
        page.key(",")
        self.assertEqual(self.data(page, "moment"), 4)
        page.value("document.getElementById('keys-close').click()")
        self.assertFalse(page.value("document.getElementById('keys').open"))

    def test_who_wants_less_motion_gets_few_pictures(self):
        page = self.open("small", calm=True)
        page.value("""{ window.seen = new Set(); new MutationObserver(() => {
            window.seen.add(document.getElementById('slider').value);
        }).observe(document.getElementById('map'), {attributes: true}); }""")
        page.key(",", 4)
        page.value("window.seen.clear()")
        self.play_fast(page)
        page.wait_for("document.getElementById('map').dataset.moment === '6'")
        # Two seconds, two pictures each; every frame would be more than a hundred.
        self.assertLess(page.value("window.seen.size"), 20)

    def test_colours_stand_for_sizes_and_ages_too(self):
        page = self.open("small")
        page.key("c")
        self.assertEqual(self.data(page, "colours"), "size")
        self.assertIn("up to 32 KiB", self.text(page, "legend"))
        page.key("c")
        self.assertIn("up to 10 ms", self.text(page, "legend"))


class OtherRecordings(PageCase):
    def test_names_are_text_and_never_marks(self):
        page = self.open("hostile")
        self.assertEqual(page.value("document.scripts.length"), 7)
        self.assertIn("<script>alert(1)<!--\"'&??.so+0x2", self.text(page, "legend"))
        self.assertQuiet(page)

    def test_the_policy_takes_no_other_script(self):
        page = self.open("small")
        page.value("{ const s = document.createElement('script'); s.textContent = 'window.broken = 1';"
                   " document.body.append(s); }")
        page.value("document.body.insertAdjacentHTML('beforeend', '<img src=https://example.org/a.png>')")
        page.settle()
        self.assertIsNone(page.value("window.broken"))
        self.assertTrue(any("Content Security Policy" in str(one) for one in page.complaints))

    def test_what_cannot_be_true_is_said(self):
        page = self.open("odd")
        notes = self.text(page, "notes")
        self.assertIn("ends in the middle", notes)
        self.assertIn("2 events that cannot be true of a heap", notes)
        self.assertQuiet(page)

    def test_an_empty_recording_is_an_empty_map(self):
        page = self.open("empty")
        self.assertEqual(self.text(page, "now-event"), "0 of 0")
        for key in ("m", "n", "Enter", "End", "+", "0", ".", "c", " "):
            page.key(key)
        self.assertIn("Nothing was ever in use", self.text(page, "cell"))
        self.assertQuiet(page)

    def test_a_million_events(self):
        started = time.monotonic()
        page = self.open("million")
        ready = page.value("performance.now()")
        parts = page.value("""(() => { const n = performance.getEntriesByType('navigation')[0];
            return [n.responseEnd, n.domInteractive]; })()""")
        drawing = page.value("""(() => { const before = performance.now();
            for (let i = 0; i <= 20; ++i) { goTo(i * 50000); draw(); }
            return (performance.now() - before) / 21; })()""")
        memory = page.value("performance.memory ? performance.memory.usedJSHeapSize / 1048576 : 0")
        print(f"\na million events: page of {os.path.getsize(self.path('a.html')) / 1048576:.1f} MiB, "
              f"parsed and decoded at {parts[1]:.0f} ms, asked and ready at {ready:.0f} ms, "
              f"{drawing:.1f} ms for a picture, {memory:.0f} MiB of script memory; "
              f"{time.monotonic() - started:.1f} s with recording and packing", flush=True)
        self.assertEqual(self.text(page, "now-event"), "1,000,000 of 1,000,000")
        self.assertEqual(self.text(page, "now-pieces"), page.value(
            "history_.born.reduce((n, b, i) => n + (history_.died[i] === none ? 1 : 0), 0).toLocaleString('en')"))
        page.key("+", 2)
        page.key("0")
        self.assertQuiet(page)


if __name__ == "__main__":
    maker = os.path.abspath(sys.argv.pop(2))
    tool.main()
