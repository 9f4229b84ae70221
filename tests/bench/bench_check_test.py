#!/usr/bin/env python3
"""scripts/bench_check.py sees what got slower, and nothing else."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "bench_check.py"


def result(workload, strategy, seconds, threads=1, rss=None):
    return {"workload": workload, "strategy": strategy, "threads": threads, "seconds": seconds,
            "rss_bytes": rss}


def run_of(walk, alloc=5.0, kept=100):
    """Three cells: walk-1 as a multiple of raw, alloc-16 and retention-64 of glibc's."""
    return {"quick": True, "workloads": [
        result("walk-1", "raw", 2.0), result("walk-1", "copy", 30.0),
        result("walk-1", "cleave", walk * 2.0),
        result("alloc-16", "copy", 5.0), result("alloc-16", "cleave", alloc),
        result("retention-64", "copy", 1.0, rss=100),
        result("retention-64", "cleave", 1.0, rss=kept)]}


class BenchCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.results = pathlib.Path(folder.name) / "results.json"
        self.pinned = pathlib.Path(folder.name) / "pinned.json"

    def check(self, found, *arguments):
        self.results.write_text(json.dumps(found))
        return subprocess.run([sys.executable, SCRIPT, self.results, "--pinned", self.pinned,
                               *arguments], capture_output=True, text=True)

    def pin(self):
        self.assertEqual(self.check(run_of(walk=2.0), "--pin").returncode, 0)

    def test_the_same_again_is_well(self):
        self.pin()
        done = self.check(run_of(walk=2.0))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = {line.split(":")[0]: line for line in done.stdout.splitlines()[1:]}
        self.assertEqual(lines["walk-1"].split()[2:], ["2.00", "2.00", "+0%"])
        self.assertIn("retention-64", lines)

    def test_a_cell_beyond_its_tolerance_is_named(self):
        self.pin()
        done = self.check(run_of(walk=2.9))
        self.assertEqual(done.returncode, 1)
        self.assertIn("walk-1: cleave", done.stderr)
        self.assertNotIn("alloc-16", done.stderr)

    def test_many_that_are_a_little_slower_show_in_the_mean(self):
        self.pin()
        done = self.check(run_of(walk=2.4, alloc=6.0))
        self.assertEqual(done.returncode, 1)
        self.assertIn("tolerance: geometric mean of times", done.stderr)

    def test_memory_has_a_smaller_tolerance_and_better_is_no_failure(self):
        self.pin()
        self.assertIn("retention-64", self.check(run_of(walk=2.0, kept=120)).stderr)
        done = self.check(run_of(walk=0.5))
        self.assertEqual(done.returncode, 0)
        self.assertIn("better", done.stdout)

    def test_print_only_ends_well(self):
        self.pin()
        done = self.check(run_of(walk=9.0), "--print-only")
        self.assertEqual(done.returncode, 0)
        self.assertIn("slower", done.stdout)

    def test_a_full_run_is_not_compared_with_a_quick_one(self):
        self.pin()
        done = self.check({**run_of(walk=2.0), "quick": False})
        self.assertEqual(done.returncode, 1)
        self.assertIn("nothing of this is pinned for a full run", done.stderr)

    def test_the_pinned_file_of_the_project_has_cells_and_tolerances(self):
        pinned = json.loads((SCRIPT.parents[1] / "bench" / "pinned.json").read_text())
        self.assertIn("walk-1: cleave", pinned["quick"])
        for cells in pinned["quick"], pinned["full"]:
            self.assertTrue(all(ratio > 0 for ratio in cells.values()))
        self.assertEqual(set(pinned["tolerance"]),
                         {"time", "memory", "instructions", "mean of times"})


if __name__ == "__main__":
    unittest.main()
