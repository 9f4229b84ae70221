#!/usr/bin/env python3
"""bench/measure.py measures programs beside their twins: the shape of what it writes, no times.

    measure_test.py BUILD_FOLDER
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
import measure as measuring  # noqa: E402
from measuring import children, programs  # noqa: E402

SPREAD = ["median", "least", "most"]
SIDE = ["cpu", "wall", "resident", "page_faults"]


def measure(results, *arguments):
    return subprocess.run([sys.executable, ROOT / "bench" / "measure.py", BUILD, results,
                           *arguments], capture_output=True, text=True, timeout=600)


class Measure(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.results = pathlib.Path(cls.folder.name) / "results.json"
        # What is there of another time stays; it failed then for fork_tree.
        cls.older = {"name": "maze", "threads": 1, "rounds": 2, "ratio": {}}
        cls.results.write_text(json.dumps({
            "quick": True, "workloads": [1],
            "programs": {"results": [cls.older, {"name": "fork_tree"}],
                         "build": {"maze": 0.5, "fork_tree": 0.5}, "instructions": {"maze": {}},
                         "failed": {"fork_tree": "twin prints '2'"}}}))
        cls.done = measure(cls.results, "--quick", "--only", "programs", "fork_tree", "kept_slices")
        cls.found = json.loads(cls.results.read_text())

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def check_spread(self, spread):
        self.assertEqual(list(spread), SPREAD)
        self.assertLessEqual(spread["least"], spread["median"])
        self.assertLessEqual(spread["median"], spread["most"])

    def test_it_ends_well_and_keeps_what_it_did_not_measure(self):
        self.assertEqual(self.done.returncode, 0, self.done.stderr)
        self.assertEqual(self.found["workloads"], [1])
        self.assertTrue(self.found["quick"])

    def test_both_sides_have_time_memory_and_page_faults(self):
        results = [r for r in self.found["programs"]["results"] if r != self.older]
        self.assertEqual([(r["name"], r["threads"], r["rounds"]) for r in results],
                         [("fork_tree", 1, 2), ("kept_slices", 1, 2)])
        for r in results:
            for side in "program", "twin":
                self.assertEqual(list(r[side]), SIDE)
                self.check_spread(r[side]["cpu"])
                self.check_spread(r[side]["wall"])
                self.assertGreater(r[side]["page_faults"], 0)
            self.assertEqual(list(r["ratio"]), ["cpu", "wall", "resident"])
        # 2^20 numbers of four bytes each.
        self.assertGreater(results[0]["twin"]["resident"], 4 << 20)
        self.assertGreater(results[0]["program"]["resident"], 4 << 20)

    def test_each_program_was_compiled_and_none_failed(self):
        self.assertEqual(set(self.found["programs"]["build"]), {"maze", "fork_tree", "kept_slices"})
        self.assertEqual(self.found["programs"]["failed"], {})

    def test_programs_that_were_not_named_stay_as_they_were(self):
        found = self.found["programs"]
        self.assertIn(self.older, found["results"])
        self.assertEqual(found["build"]["maze"], 0.5)
        self.assertEqual(found["instructions"], {"maze": {}})

    def test_the_machine_is_described(self):
        machine = self.found["machine"]
        self.assertGreater(machine["processors"], 0)
        self.assertGreater(machine["memory_bytes"], 1 << 20)
        for field in "processor", "system", "compiler", "date":
            self.assertTrue(machine[field], field)

    def test_a_name_that_is_none_is_said(self):
        done = measure(self.results, "--quick", "--only", "programs", "fork_trees")
        self.assertEqual(done.returncode, 1)
        self.assertIn("there is no program fork_trees", done.stderr)


class Parts(unittest.TestCase):
    def test_a_name_that_is_measured_again_replaces_itself_where_it_stood(self):
        old = [{"name": "a", "at": 1}, {"name": "b", "at": 1}, {"name": "b", "at": 2}]
        new = [{"name": "c", "at": 3}, {"name": "a", "at": 3}]
        self.assertEqual([(r["name"], r["at"]) for r in measuring.beside(old, new, "name", "ac")],
                         [("a", 3), ("b", 1), ("b", 2), ("c", 3)])

    def test_a_program_that_fails_now_loses_its_older_figures(self):
        old = {"results": [{"name": "a"}, {"name": "b"}], "build": {"a": 1, "b": 1},
               "instructions": {"a": {}, "b": {}}, "failed": {}}
        new = {"results": [], "build": {}, "instructions": {}, "failed": {"a": "why"}}
        self.assertEqual(measuring.beside_older_programs(old, new, ["a"]),
                         {"results": [{"name": "b"}], "build": {"b": 1}, "instructions": {"b": {}},
                          "failed": {"a": "why"}})

    def test_sides_that_print_different_things_are_refused(self):
        with self.assertRaisesRegex(children.Failed, "twin prints '2'"):
            programs.same_output({"program": "1", "twin": "2"})

    def test_every_program_has_a_size_and_a_twin(self):
        sizes = programs.read_sizes(ROOT / "bench" / "twins" / "sizes.txt")
        here = {path.stem for path in (ROOT / "examples" / "programs").glob("*.bend")}
        self.assertEqual(set(sizes), here)
        for name in sizes:
            self.assertTrue((ROOT / "bench" / "twins" / f"{name}.cpp").exists(), name)

    def test_turns_go_forth_and_back(self):
        calls = []
        results = children.in_turns({name: lambda name=name: calls.append(name) or len(calls)
                                     for name in "abc"}, 2)
        self.assertEqual("".join(calls), "abccba")
        self.assertEqual(results, {"a": [1, 6], "b": [2, 5], "c": [3, 4]})

    def test_programs_that_are_compared_with_each_other_take_turns(self):
        self.assertEqual(programs.groups_of(["map", "fork_tree", "walk", "fork_tree_shared"]),
                         [["map"], ["fork_tree", "fork_tree_shared"], ["walk"]])
        self.assertEqual(programs.groups_of(["fork_tree"]), [["fork_tree"]])

    def test_what_a_child_took_is_its_own(self):
        launcher = BUILD / "bench" / "programs" / "launch"
        sample = children.run(launcher, ["sh", "-c", "echo seen"], children.environment())
        self.assertEqual(sample.output, "seen\n")
        # This interpreter is larger than the shell.
        with open("/proc/self/statm", encoding="ascii") as file:
            own = int(file.read().split()[1]) * 4096
        self.assertLess(sample.resident, own)
        with self.assertRaisesRegex(children.Failed, "ended with 3"):
            children.run(launcher, ["sh", "-c", "exit 3"], children.environment())


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1))
    unittest.main()
