#!/usr/bin/env python3
"""`cleave bench` as its users see it: usage: command_test.py CLEAVE"""
import json
import subprocess
import sys
import unittest

FIELDS = ["workload", "strategy", "threads", "rounds", "repeats", "seconds", "seconds_min",
          "seconds_max", "ratio_to_raw", "page_faults", "rss_bytes"]


def bench(*arguments):
    return subprocess.run([TOOL, "bench", *arguments], capture_output=True, text=True, timeout=300)


class BenchCommand(unittest.TestCase):
    def test_json_is_an_array_of_objects(self):
        done = bench("split-once", "--quick", "--rounds", "2", "--strategies", "limit,raw,cleave",
                     "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        results = json.loads(done.stdout)
        self.assertEqual([r["strategy"] for r in results], ["limit", "raw", "cleave"])
        for r in results:
            self.assertEqual(list(r), FIELDS)
            self.assertEqual((r["workload"], r["threads"], r["rounds"]), ("split-once", 1, 2))
            self.assertIsNone(r["rss_bytes"])
            self.assertLessEqual(r["seconds_min"], r["seconds"])
            self.assertLessEqual(r["seconds"], r["seconds_max"])

    def test_retention_has_memory_and_no_ratio(self):
        done = bench("retention-16k", "--quick", "--rounds", "1", "--strategies", "cleave",
                     "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        [result] = json.loads(done.stdout)
        self.assertIsNone(result["ratio_to_raw"])
        # 250 pieces of 16 KiB are kept.
        self.assertGreaterEqual(result["rss_bytes"], 250 * 16384)

    def test_threads_are_those_that_are_asked_for(self):
        done = bench("fork-tree", "--quick", "--rounds", "1", "--threads", "2", "--strategies",
                     "raw", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([r["threads"] for r in json.loads(done.stdout)], [2])

    def test_the_table_has_a_line_per_workload(self):
        done = bench("split-once", "walk-16", "--quick", "--rounds", "1", "--strategies",
                     "raw,shared,cleave")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        lines = done.stdout.splitlines()
        self.assertEqual([line.split()[0] for line in lines], ["workload", "walk-16", "split-once"])
        self.assertEqual(lines[0].split(), ["workload", "raw", "shared", "cleave", "cleave/raw",
                                            "cleave/best", "other"])
        self.assertTrue(all(line.endswith("(shared)") for line in lines[1:]))

    def test_an_unknown_name_is_a_usage_error(self):
        for arguments, word in ((["wolk"], "workload 'wolk'"),
                                (["--strategies", "magic"], "strategy 'magic'")):
            done = bench(*arguments)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(f"there is no {word}", done.stderr)
            self.assertEqual(done.stderr.count("\n"), 1)

    def test_a_wrong_number_is_a_usage_error(self):
        for arguments in (["--threads", "3"], ["--rounds", "0"]):
            self.assertEqual(bench(*arguments).returncode, 2)


if __name__ == "__main__":
    TOOL = sys.argv.pop(1)
    unittest.main()
