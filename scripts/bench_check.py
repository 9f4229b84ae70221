#!/usr/bin/env python3
"""Compare measured ratios with those in bench/pinned.json, so that what got slower is seen.

    bench/measure.py build/release build/check.json --only workloads --quick
    scripts/bench_check.py build/check.json
    scripts/bench_check.py build/check.json --pin

A cell is the ratio of cleave to a fixed partner of the same run: to raw, or where a
workload has none to copying over the C library's malloc, or to the twin of a program.
Each cell may be above its pinned value by the tolerance of its kind, and the geometric
mean of all times by one that is smaller. More ends with 1, unless --print-only is given.
Runs with --quick have pinned values of their own. --pin writes down what was seen.
"""
import argparse
import json
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
# A time on a machine that others use as well differs by this much without a cause.
TOLERANCE = {"time": 0.35, "memory": 0.1, "instructions": 0.03, "mean of times": 0.1}


def partner(group):
    """Whom a workload's results are divided by."""
    for name in ("raw", "std-sort-par", "copy"):
        if name in group:
            return group[name]
    return None


def cells_of(found):
    """{name of the cell: (kind, ratio)} of everything that the file has."""
    found = {"workloads": found} if isinstance(found, list) else found
    groups = {}
    for r in found.get("workloads") or ():
        groups.setdefault((r["workload"], r["threads"]), {})[r["strategy"]] = r
    cells = {}
    for (workload, threads), group in groups.items():
        other = partner(group)
        for name, r in group.items():
            if not name.startswith("cleave") or other is None:
                continue
            key = f"{workload}, {threads} threads: {name}" if threads > 1 else f"{workload}: {name}"
            kind, field = ("time", "seconds") if r["rss_bytes"] is None else ("memory", "rss_bytes")
            if other[field]:
                cells[key] = kind, r[field] / other[field]
    programs = found.get("programs") or {}
    for r in programs.get("results", ()):
        key = f"program {r['name']}" + (f", {r['threads']} threads" if r["threads"] > 1 else "")
        cells[key] = "time", r["ratio"]["cpu" if r["threads"] == 1 else "wall"]
        cells[f"{key}: memory"] = "memory", r["ratio"]["resident"]
    for name, counted in (programs.get("instructions") or {}).items():
        cells[f"program {name}: instructions"] = "instructions", counted["ratio"]
    for workload, counts in (found.get("instructions") or {}).items():
        if counts.get("raw") and counts.get("cleave"):
            cells[f"{workload}: instructions"] = "instructions", counts["cleave"] / counts["raw"]
    return cells


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def compare(pinned, cells, tolerance):
    """Lines of (name, pinned, seen, change, verdict)."""
    lines = []
    for name, (kind, seen) in cells.items():
        if name in pinned:
            lines.append((name, pinned[name], seen, tolerance[kind]))
    times = [name for name, (kind, _) in cells.items() if kind == "time" and name in pinned]
    if times:
        lines.append(("geometric mean of times", mean([pinned[n] for n in times]),
                      mean([cells[n][1] for n in times]), tolerance["mean of times"]))
    judged = []
    for name, before, now, allowed in lines:
        change = now / before - 1
        verdict = "slower" if change > allowed else "better" if change < -allowed else ""
        judged.append((name, before, now, change, verdict))
    return judged


def show(judged):
    width = max(len(line[0]) for line in judged)
    print(f"{'':{width}}   pinned     seen  change")
    for name, before, now, change, verdict in judged:
        print(f"{name:{width}} {before:8.2f} {now:8.2f} {change:+7.0%} {verdict}".rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path, help="what bench/measure.py wrote")
    parser.add_argument("--pinned", type=pathlib.Path, default=ROOT / "bench" / "pinned.json")
    parser.add_argument("--pin", action="store_true", help="write down what was seen")
    parser.add_argument("--print-only", action="store_true", help="end with 0 in any case")
    arguments = parser.parse_args()
    try:
        found = json.loads(arguments.results.read_text(encoding="utf-8"))
        cells = cells_of(found)
        pinned = {"tolerance": TOLERANCE, "full": {}, "quick": {}}
        if arguments.pinned.exists():
            pinned.update(json.loads(arguments.pinned.read_text(encoding="utf-8")))
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
    except (ValueError, KeyError, TypeError, AttributeError):
        sys.exit(f"{arguments.results}: not the output of bench/measure.py")
    length = "quick" if isinstance(found, dict) and found.get("quick") else "full"
    if arguments.pin:
        pinned[length].update({name: round(ratio, 3) for name, (_, ratio) in cells.items()})
        arguments.pinned.write_text(json.dumps(pinned, indent=1) + "\n", encoding="utf-8")
        return 0
    judged = compare(pinned[length], cells, pinned["tolerance"])
    if not judged:
        print(f"{arguments.pinned}: nothing of this is pinned for a {length} run",
              file=sys.stderr)
        return 0 if arguments.print_only else 1
    show(judged)
    slower = [name for name, *_, verdict in judged if verdict == "slower"]
    if slower:
        print(f"slower than pinned, beyond the tolerance: {'; '.join(slower)}", file=sys.stderr)
    return 1 if slower and not arguments.print_only else 0


if __name__ == "__main__":
    sys.exit(main())
