#!/usr/bin/env python3
"""scripts/performance_report.py says what the numbers say."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

SVG = "{http://www.w3.org/2000/svg}"
SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "performance_report.py"


def result(workload, strategy, seconds, raw=None, threads=1, rss=None, repeats=1):
    return {"workload": workload, "strategy": strategy, "threads": threads, "rounds": 5,
            "repeats": repeats,
            "seconds": seconds, "seconds_min": seconds * 0.9, "seconds_max": seconds * 1.2,
            "ratio_to_raw": seconds / raw if raw else None, "page_faults": 3, "rss_bytes": rss}


RESULTS = [
    result("walk-1", "limit", 0.007, 0.070),
    result("walk-1", "raw", 0.070, 0.070),
    result("walk-1", "copy", 2.0, 0.070),
    result("walk-1", "vec", 0.732, 0.070),
    result("walk-1", "midpoint-plain", 0.100, 0.070),
    result("walk-1", "cleave", 0.133, 0.070),
    # 16000 rounds of 20 ns.
    result("split-once", "cleave", 0.000320, repeats=16_000),
    result("retention-64", "copy", 0.03, rss=25_000),
    result("retention-64", "cleave", 0.03, rss=1_100_000),
    # 10^6 of 7 ns and 6 ns; 20000 of 1 us.
    result("alloc-16", "copy", 0.007, repeats=1_000_000),
    result("alloc-16", "cleave", 0.006, repeats=1_000_000),
    result("alloc-64m", "copy-mimalloc", 0.020, repeats=20_000),
    result("alloc-64m", "cleave", 0.040, repeats=20_000),
    result("sort", "std-sort-par", 1.2),
    result("sort", "cleave-sort", 0.9),
    result("sort", "std-sort-par", 0.7, threads=2),
    result("sort", "cleave-sort", 0.6, threads=2),
    result("handoff", "vec", 0.2, threads=2),
    result("handoff", "midpoint", 0.08, threads=2),
    result("handoff", "cleave", 0.1, threads=2),
]


def side(seconds, resident):
    spread = {"median": seconds, "least": seconds * 0.9, "most": seconds * 1.1}
    return {"cpu": spread, "wall": spread, "resident": resident, "page_faults": 7}


def program(name, seconds, memory, threads=1):
    """Beside a twin that takes a second and ten megabytes."""
    return {"name": name, "threads": threads, "rounds": 5, "argument": "100",
            "program": side(seconds, memory * 10_000_000), "twin": side(1.0, 10_000_000),
            "ratio": {"cpu": seconds, "wall": seconds, "resident": memory}}


PROGRAMS = {
    "machine": {"processor": "Abacus", "processors": 2, "memory_bytes": 2**33, "system": "Linux",
                "compiler": "g++ 12", "commit": "c0ffee", "date": "2030-01-02", "load": 0.1},
    "programs": {
        "results": [program("fork_tree", 1.04, 1.1), program("fork_tree_shared", 1.02, 1.1),
                    program("maze", 1.5, 1.0), program("maze", 0.8, 1.0, threads=2)],
        "build": {"fork_tree": 1.5, "fork_tree_shared": 1.25, "maze": 2.0},
        "instructions": {"maze": {"argument": "5", "program": 30, "twin": 20, "ratio": 1.5}},
        "failed": {"life": "life does not build: because"},
    },
    "start": {"first_run": side(1.5, 200_000_000), "second_run": side(0.06, 3_000_000),
              "program": side(0.002, 3_000_000), "twin": side(0.001, 2_000_000)},
    "files": [{"bytes": 25_000_000, "threads": 1, "rounds": 5, "cleave": side(0.4, 10_000_000),
               "coreutils": side(0.8, 20_000_000), "ratio": 0.5}],
    "absent": ["snmalloc", "immer"],
    "instructions": {"walk-1": {"raw": 200_000, "cleave": 500_000}},
}


class PerformanceReport(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = pathlib.Path(folder.name) / "bench.json"
        self.page = pathlib.Path(folder.name) / "page.md"
        self.results.write_text(json.dumps(RESULTS))

    def report(self, *arguments):
        return subprocess.run([sys.executable, SCRIPT, self.results, *arguments],
                              capture_output=True, text=True)

    def test_goals_are_met_or_not(self):
        text = self.report().stdout
        self.assertIn("| walk-1 | at most 2 x raw | 1.90 | yes |", text)
        self.assertIn("| split-once | at most 15 ns a round | 20.0 ns | **no** |", text)
        self.assertIn("| retention-64 | at most 1.1 MB | 1.10 MB | yes |", text)
        self.assertIn("| alloc-16 | as fast as glibc, within 5 % | 0.86 | yes |", text)
        self.assertIn("| alloc-64m | as fast as mimalloc, within 5 % | 2.00 | **no** |", text)

    def test_cleave_is_compared_with_raw_and_the_best_rival(self):
        text = self.report().stdout
        self.assertIn("| walk-1 | 7.00 ms | 70.0 ms | 2.00 s | 732 ms | 100 ms | - | 133 ms | - | "
                      "1.90 | 0.18 (vec) |", text)
        self.assertIn("| retention-64 | 0.03 MB | 1.10 MB | 44.00 (copy) |", text)
        self.assertIn("| 16 B | 7.0 ns | - | 6.0 ns | 0.86 (glibc) |", text)
        self.assertIn("| 64 MiB | - | 1.00 us | 2.00 us | 2.00 (mimalloc) |", text)

    def test_goals_of_sorting_and_handing_over_are_met_or_not(self):
        text = self.report().stdout
        self.assertIn("| sort, 2 threads | at least 1.8 x one thread | 1.50 | **no** |", text)
        self.assertIn("| sort | ahead of std::sort with TBB's policy | 0.75 | yes |", text)
        self.assertIn("| handoff, 2 threads | ahead of every allocator | 0.50 (vec) | yes |", text)
        self.assertIn("| handoff, 2 threads | as fast as midpoint views | 1.25 (midpoint) | "
                      "**no** |", text)

    def test_programs_stand_beside_their_twins(self):
        self.results.write_text(json.dumps(PROGRAMS))
        done = self.report()
        self.assertEqual(done.returncode, 0, done.stderr)
        text = done.stdout
        self.assertIn("Peers that were absent: snmalloc, immer.", text)
        self.assertIn("Abacus, 2 processors, 8.0 GiB; Linux; g++ 12; commit c0ffee", text)
        # The cube root of 1.04 * 1.02 * 1.5 is 1.17.
        self.assertIn("| programs, time | at most 1.3 x the twin's | mean 1.17, 1 of 3 above, "
                      "most 1.50 (maze) | **no** |", text)
        self.assertIn("| programs, memory | at most 1.2 x the twin's | mean 1.07, 0 of 3 above, "
                      "most 1.10 (fork_tree) | yes |", text)
        self.assertIn("| fork_tree, fork_tree_shared | at most 1.05 x their twin's, and of each "
                      "other | 1.04, 1.02, 1.02 | yes |", text)
        self.assertIn("| maze | 100 | 1.00 s | 1.50 s | 1.35 s to 1.65 s | 1.50 | 10.00 MB | "
                      "10.00 MB | 1.00 | 7 / 7 | 1.50 | **no** |", text)
        # With two threads the program takes 0.8 s instead of 1.5 s.
        self.assertIn("| maze | 1.00 s | 800 ms | 720 ms to 880 ms | 0.80 | 0.80 | 1.00 | 1.00 | "
                      "1.88 |", text)
        self.assertIn("3 programs: 1.25 s to 2.00 s (maze)", text)
        self.assertIn("- life: life does not build: because", text)

    def test_starts_files_and_instructions_are_shown(self):
        self.results.write_text(json.dumps(PROGRAMS))
        text = self.report().stdout
        self.assertIn("| first run of a small program | under 2.00 s | 1.50 s | yes |", text)
        self.assertIn("| second run of a small program | under 50.0 ms | 60.0 ms | **no** |", text)
        self.assertIn("| `cleave run` again | 60.0 ms | 54.0 ms to 66.0 ms | 3.00 MB | 7 |", text)
        self.assertIn("| 25.00 MB | 1 | 800 ms | 400 ms | 360 ms to 440 ms | 0.50 |", text)
        self.assertIn("| walk-1 | 200 000 | 500 000 | 2.50 |", text)

    def test_charts_are_drawn_beside_the_page(self):
        self.page.write_text("<!-- bench: begin -->\n<!-- bench: end -->\n")
        self.assertEqual(self.report("--into", self.page).returncode, 0)
        folder = self.page.with_suffix("")
        drawn = {path.name: xml.etree.ElementTree.parse(path) for path in folder.iterdir()}
        self.assertEqual(set(drawn), {"workloads.svg", "allocations.svg", "memory.svg"})
        for name in drawn:
            self.assertIn(f"(page/{name})", self.page.read_text())
        tips = {tip.text for tip in drawn["workloads.svg"].iter(SVG + "title")}
        self.assertIn("cleave: 1.90 x raw", tips)

        self.results.write_text(json.dumps(PROGRAMS))
        self.assertEqual(self.report("--into", self.page).returncode, 0)
        bars = xml.etree.ElementTree.parse(folder / "programs.svg").iter(SVG + "rect")
        widths = [float(bar.get("width")) for bar in bars][1:]
        # fork_tree, fork_tree_shared, maze, and maze on two threads.
        self.assertEqual(len(widths), 4)
        self.assertAlmostEqual(widths[2] / widths[3], 1.5 / 0.8, places=2)

    def test_the_spread_stands_beside(self):
        self.assertIn("| walk-1 | cleave | 133 ms | 120 ms | 160 ms | 3 |", self.report().stdout)

    def test_only_the_text_between_the_markers_is_replaced(self):
        self.page.write_text("before\n<!-- bench: begin -->\nold\n<!-- bench: end -->\nafter\n")
        self.assertEqual(self.report("--into", self.page).returncode, 0)
        text = self.page.read_text()
        self.assertTrue(text.startswith("before\n<!-- bench: begin -->\n"))
        self.assertTrue(text.endswith("\n<!-- bench: end -->\nafter\n"))
        self.assertNotIn("old", text)
        self.assertIn("### Goals", text)
        self.report("--into", self.page)
        self.assertEqual(self.page.read_text(), text)

    def test_a_page_without_markers_is_left_alone(self):
        self.page.write_text("before\n")
        done = self.report("--into", self.page)
        self.assertEqual(done.returncode, 1)
        self.assertIn("needs one line", done.stderr)
        self.assertEqual(self.page.read_text(), "before\n")

    def test_what_is_not_json_is_named(self):
        self.results.write_text("walk-1 70 ms\n")
        done = self.report()
        self.assertEqual(done.returncode, 1)
        self.assertIn("not the output of", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)


if __name__ == "__main__":
    unittest.main()
