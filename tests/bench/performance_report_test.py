#!/usr/bin/env python3
"""scripts/performance_report.py says what the numbers say."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "performance_report.py"


def result(workload, strategy, seconds, raw=None, threads=1, rss=None):
    return {"workload": workload, "strategy": strategy, "threads": threads, "rounds": 5,
            "seconds": seconds, "seconds_min": seconds * 0.9, "seconds_max": seconds * 1.2,
            "ratio_to_raw": seconds / raw if raw else None, "page_faults": 3, "rss_bytes": rss}


RESULTS = [
    result("walk-1", "limit", 0.007, 0.070),
    result("walk-1", "raw", 0.070, 0.070),
    result("walk-1", "vec", 0.732, 0.070),
    result("walk-1", "midpoint-plain", 0.100, 0.070),
    result("walk-1", "cleave", 0.133, 0.070),
    # 16000 rounds of 20 ns.
    result("split-once", "cleave", 0.000320),
    result("retention-64", "copy", 0.03, rss=25_000),
    result("retention-64", "cleave", 0.03, rss=1_100_000),
    # 10^6 of 7 ns and 6 ns; 20000 of 1 us.
    result("alloc-16", "copy", 0.007),
    result("alloc-16", "cleave", 0.006),
    result("alloc-64m", "copy-mimalloc", 0.020),
    result("alloc-64m", "cleave", 0.040),
]


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
        self.assertIn("| walk-1 | 7.00 ms | 70.0 ms | 732 ms | 100 ms | 133 ms | 1.90 | "
                      "0.18 (vec) |", text)
        self.assertIn("| retention-64 | 0.03 MB | 1.10 MB | 44.00 (copy) |", text)
        self.assertIn("| 16 B | 7.0 ns | - | 6.0 ns | 0.86 (glibc) |", text)
        self.assertIn("| 64 MiB | - | 1.00 us | 2.00 us | 2.00 (mimalloc) |", text)

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
