#!/usr/bin/env python3
"""Turn the JSON of `cleave bench` into the tables of docs/performance.md.

    cleave bench --all --peers --json > build/bench.json
    scripts/performance_report.py build/bench.json
    scripts/performance_report.py build/bench.json --into docs/performance.md

Without --into the Markdown goes to standard output. With it, the text between
the two marker lines of the file is replaced. The run must not be a --quick one,
since times per round are computed from the full numbers of repetitions.
"""
import argparse
import json
import os
import pathlib
import platform
import sys

BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
# Not rivals of cleave: bounds that no heap can go below, what is for one thread
# only, and cleave itself.
NOT_RIVALS = {"limit", "raw", "midpoint-plain", "cleave", "cleave-run"}
MALLOCS = {"copy": "glibc", "copy-mimalloc": "mimalloc", "copy-jemalloc": "jemalloc"}
# Repetitions in one round of a full run.
SPLIT_ROUNDS = 16000
ALLOC_ROUNDS = {"64m": 20_000}
ALLOC_ROUNDS_ELSE = 1_000_000


def seconds(value):
    """Three digits that count, in the unit that suits."""
    for size, unit in ((1, "s"), (1e-3, "ms"), (1e-6, "us")):
        if value >= size:
            n = value / size
            return f"{n:.{2 if n < 10 else 1 if n < 100 else 0}f} {unit}"
    return f"{value * 1e9:.1f} ns"


def megabytes(value):
    return f"{value / 1e6:.2f} MB"


def table(head, rows):
    lines = [head, ["---"] + ["---:"] * (len(head) - 1)] + rows
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


class Run:
    """The results by workload (and threads), in the order of the file."""

    def __init__(self, results):
        self.groups = {}
        for r in results:
            self.groups.setdefault((r["workload"], r["threads"]), {})[r["strategy"]] = r

    def of(self, kinds):
        return {k: g for k, g in self.groups.items() if kinds(k[0])}

    def strategies(self, groups):
        """All of the groups' strategies: each group lists a part, in one order."""
        order = []
        for group in groups.values():
            before = 0
            for name in group:
                if name in order:
                    before = order.index(name) + 1
                else:
                    order.insert(before, name)
                    before += 1
        return order


def title(key):
    return key[0] if key[1] == 1 else f"{key[0]}, {key[1]} threads"


def measure(r):
    return r["rss_bytes"] if r["rss_bytes"] is not None else r["seconds"]


def rival(group):
    """The best other strategy that owns and frees its arrays, on any thread."""
    others = [r for name, r in group.items() if name not in NOT_RIVALS]
    return min(others, key=measure, default=None)


def ratio(above, below):
    return f"{measure(above) / measure(below):.2f}" if above and below and measure(below) else "-"


def values_table(run, groups, text, with_raw):
    names = run.strategies(groups)
    head = ["workload"] + names + (["cleave / raw"] if with_raw else []) + ["cleave / best other"]
    rows = []
    for key, group in groups.items():
        row = [title(key)] + [text(measure(group[n])) if n in group else "-" for n in names]
        ours, other = group.get("cleave"), rival(group)
        if with_raw:
            row.append(ratio(ours, group.get("raw")))
        against = ratio(ours, other)
        rows.append(row + [against if against == "-" else f"{against} ({other['strategy']})"])
    return table(head, rows)


def alloc_table(groups):
    names = [n for n in [*MALLOCS, "cleave", "cleave-run"] if any(n in g for g in groups.values())]
    rows = []
    for (workload, _), group in groups.items():
        size = workload.removeprefix("alloc-")
        rounds = ALLOC_ROUNDS.get(size, ALLOC_ROUNDS_ELSE)
        row = [size + " B" if size.isdigit() else size[:-1] + " " + size[-1].upper() + "iB"]
        row += [seconds(group[n]["seconds"] / rounds) if n in group else "-" for n in names]
        other = rival(group)
        against = ratio(group.get("cleave"), other)
        rows.append(row + [against if against == "-"
                           else f"{against} ({MALLOCS.get(other['strategy'])})"])
    return table(["size"] + [MALLOCS.get(n, n) for n in names] + ["cleave / best other"], rows)


def spread_table(groups):
    rows = []
    for key, group in groups.items():
        for name in ("raw", "cleave"):
            if name in group:
                r = group[name]
                rows.append([title(key), name, seconds(r["seconds"]), seconds(r["seconds_min"]),
                             seconds(r["seconds_max"]), str(r["page_faults"])])
    return table(["workload", "strategy", "median", "least", "most", "page faults"], rows)


def goals(run):
    """(what, goal, seen, met) of every goal that this run says something about."""
    def find(workload, strategy, threads=1):
        return run.groups.get((workload, threads), {}).get(strategy)

    for workload, threads, limit in (
            ("fork-tree", 1, 1.05), ("fork-tree", 2, 1.1), ("walk-1", 1, 2), ("walk-4", 1, 2),
            ("walk-16", 1, 2), ("map", 1, 1.5), ("to-list", 1, 1.5), ("small", 1, 2)):
        r = find(workload, "cleave", threads)
        if r and r["ratio_to_raw"] is not None:
            seen = r["ratio_to_raw"]
            yield title((workload, threads)), f"at most {limit} x raw", f"{seen:.2f}", seen <= limit
    if r := find("split-once", "cleave"):
        seen = r["seconds"] / SPLIT_ROUNDS
        yield "split-once", "at most 15 ns a round", seconds(seen), seen <= 15e-9
    for workload, limit in (("retention-16k", 4.6e6), ("retention-64", 1.1e6)):
        r = find(workload, "cleave")
        if r and r["rss_bytes"] is not None:
            seen = r["rss_bytes"]
            yield workload, f"at most {limit / 1e6} MB", megabytes(seen), seen <= limit
    allocations = run.of(lambda w: w.startswith("alloc-"))
    for (workload, _), group in allocations.items():
        ours, other = group.get("cleave"), rival(group)
        if ours and other:
            # Equal means within the spread that a quiet machine shows.
            yield (workload, f"as fast as {MALLOCS.get(other['strategy'])}, within 5 %",
                   ratio(ours, other), ours["seconds"] <= other["seconds"] * 1.05)


def processor():
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.machine()


def report(results):
    run = Run(results)
    timed = run.of(lambda w: not w.startswith(("retention", "alloc-")))
    kept = run.of(lambda w: w.startswith("retention"))
    allocations = run.of(lambda w: w.startswith("alloc-"))
    rounds = sorted({r["rounds"] for r in results})
    parts = [f"Measured on {processor()}, {os.cpu_count()} processors; median of "
             f"{' or '.join(map(str, rounds))} rounds.\n"]
    if reached := list(goals(run)):
        parts += ["### Goals\n", table(["workload", "goal", "seen", "met"],
                  [[what, goal, seen, "yes" if met else "**no**"]
                   for what, goal, seen, met in reached])]
    if timed:
        parts += ["### Time\n", values_table(run, timed, seconds, with_raw=True),
                  "### Spread and page faults\n", spread_table(timed)]
    if kept:
        parts += ["### Resident memory after a piece of each array is kept\n",
                  values_table(run, kept, megabytes, with_raw=False)]
    if allocations:
        parts += ["### One array made, touched and freed\n", alloc_table(allocations)]
    return "\n".join(parts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path, help="what `cleave bench --json` printed")
    parser.add_argument("--into", type=pathlib.Path, help="the file with the marker lines")
    arguments = parser.parse_args()
    try:
        text = report(json.loads(arguments.results.read_text()))
        if not arguments.into:
            print(text, end="")
            return
        old = arguments.into.read_text()
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
    except (ValueError, KeyError, TypeError, AttributeError):
        sys.exit(f"{arguments.results}: not the output of `cleave bench --json`")
    if old.count(BEGIN) != 1 or old.count(END) != 1 or old.index(BEGIN) > old.index(END):
        sys.exit(f"{arguments.into}: needs one line '{BEGIN}' and one line '{END}' after it")
    head, tail = old.split(BEGIN)[0], old.split(END)[1]
    arguments.into.write_text(f"{head}{BEGIN}\n\n{text}\n{END}{tail}")


if __name__ == "__main__":
    main()
