#!/usr/bin/env python3
"""Measure everything that docs/performance.md shows, and write it to one file of JSON.

    bench/measure.py build/release build/bench.json
    bench/measure.py build/release build/bench.json --only programs fork_tree maze
    bench/measure.py build/release /tmp/try.json --quick

There are five parts: the workloads of `cleave bench` with all strategies; their instructions;
the programs of examples/programs/ beside their twins; how long a program takes to start; and
`cleave sort` of a file. What is not measured this time stays in the file as it was, programs and
workloads that were not named too; a run with --quick and one without it are not mixed.
scripts/performance_report.py turns the file into tables and charts; bench/README.md says how to
measure well.
"""
import argparse
import json
import os
import pathlib
import sys
import tempfile

from measuring import children, files, machine, programs, start, workloads
from measuring.children import Failed

ROOT = pathlib.Path(__file__).resolve().parents[1]
PARTS = ("workloads", "instructions", "programs", "start", "files")


class Progress:
    """One line that changes on a terminal; without one, a line for each step."""

    def __init__(self):
        self.terminal = sys.stderr.isatty()

    def __call__(self, text):
        if self.terminal:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
        else:
            print(text, file=sys.stderr, flush=True)

    def done(self):
        if self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path, help="a build folder, such as build/release")
    parser.add_argument("results", type=pathlib.Path, help="the file of JSON to write")
    parser.add_argument("names", nargs="*", metavar="NAME",
                        help="only these programs, or these workloads of cleave bench")
    parser.add_argument("--only", choices=PARTS, action="append",
                        help="only this part; may be given again")
    parser.add_argument("--quick", action="store_true",
                        help="small arguments, few rounds, programs on one thread, "
                             "no peers and no instructions")
    parser.add_argument("--rounds", type=int, help="rounds of the programs (default: 5)")
    chosen = parser.parse_intermixed_args()
    chosen.only = set(chosen.only or PARTS)
    chosen.rounds = chosen.rounds or (2 if chosen.quick else 5)
    chosen.threads = (1,) if chosen.quick else (1, 2)
    if chosen.names and len(chosen.only & {"programs", "workloads"}) != 1:
        parser.error("names need --only programs or --only workloads")
    chosen.instructions = not chosen.quick and children.can_count()
    return chosen


def before(path):
    """What the file has from an earlier time."""
    try:
        old = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return old if isinstance(old, dict) else {}


def write(path, results):
    """The whole file or nothing."""
    with tempfile.NamedTemporaryFile("w", encoding="utf-8", dir=path.parent, delete=False) as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def beside(old, new, key, names):
    """The list `new`, and what `old` has of other names than these; names stay where they stood."""
    place = {}
    for entry in [*old, *new]:
        place.setdefault(entry[key], len(place))
    return sorted([entry for entry in old if entry[key] not in names] + new,
                  key=lambda entry: place[entry[key]])


def beside_older_programs(old, new, names):
    """What programs.measure() found of `names`, and what was known of others."""
    merged = {"results": beside(old.get("results", []), new["results"], "name", names)}
    for part in "build", "instructions", "failed":
        others = {name: value for name, value in old.get(part, {}).items() if name not in names}
        merged[part] = {**others, **new[part]}
    return merged


def measure_programs(places, chosen, say):
    """(the programs that are asked for, what was found of them)"""
    sizes = programs.read_sizes(ROOT / "bench" / "twins" / "sizes.txt")
    names = chosen.names or list(sizes)
    if unknown := [name for name in names if name not in sizes]:
        raise Failed(f"there is no program {unknown[0]}; there are {' '.join(sizes)}")
    with tempfile.TemporaryDirectory() as cache:
        return names, programs.measure(places, names, sizes, chosen, cache, say)


def main():
    chosen = arguments()
    say = Progress()
    places = programs.Places(ROOT, chosen.build.resolve())
    results = before(chosen.results)
    # What single measurements stand beside: the rest of a run of the same kind.
    older = results if chosen.names and results.get("quick") == chosen.quick else {}
    results["machine"] = machine.describe(ROOT, places.build)
    results["quick"] = chosen.quick
    wrong = []

    def measure_workloads():
        found = workloads.measure(places, chosen, say)
        results["workloads"] = beside(older.get("workloads") or [], found, "workload",
                                      {r["workload"] for r in found})
        if not chosen.names and not chosen.quick:
            results["absent"] = workloads.absent(results["workloads"])

    def count():
        if chosen.instructions:
            results["instructions"] = workloads.count(places, say)

    def measure_all_programs():
        names, found = measure_programs(places, chosen, say)
        results["programs"] = beside_older_programs(older.get("programs") or {}, found, names)
        wrong.extend(found["failed"].values())

    parts = {
        "workloads": measure_workloads,
        "instructions": count,
        "files": lambda: results.update(files=files.measure(places, chosen, say)),
        "start": lambda: results.update(start=start.measure(places, chosen, say)),
        "programs": measure_all_programs,
    }
    # A part that fails takes no other with it.
    for name, part in parts.items():
        if name not in chosen.only:
            continue
        try:
            part()
        except Failed as error:
            wrong.append(str(error))
    say.done()
    write(chosen.results, results)
    for text in wrong:
        print(f"measure.py: {text}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
