#!/usr/bin/env python3
"""Turn what bench/measure.py measured into the tables and charts of docs/performance.md.

    bench/measure.py build/release build/bench.json
    scripts/performance_report.py build/bench.json
    scripts/performance_report.py build/bench.json --into docs/performance.md

Without --into the Markdown goes to standard output. With it, the text between
the two marker lines of the file is replaced, and the charts are written to the
folder beside it that has its name. What `cleave bench --json` printed can be
given as well.
"""
import argparse
import json
import pathlib
import sys

from performance import charts, programs, workloads
from performance.text import table, yes_no

BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"
CHARTS = {"workloads.svg": "Time as a multiple of raw",
          "allocations.svg": "One array made, touched and freed",
          "memory.svg": "Resident memory when a piece of each array is kept",
          "programs.svg": "Time of each program as a multiple of its twin's"}


class Results:
    """The file, whose parts may be missing."""

    def __init__(self, found):
        found = {"workloads": found} if isinstance(found, list) else found
        self.machine = found.get("machine")
        self.workloads = found.get("workloads") or []
        self.instructions = found.get("instructions") or {}
        self.programs = found.get("programs")
        self.start = found.get("start")
        self.files = found.get("files") or []
        self.absent = found.get("absent") or []


def machine_text(machine):
    if not machine:
        return ""
    return (f"Measured on {machine['date']}: {machine['processor']}, {machine['processors']} "
            f"processors, {machine['memory_bytes'] / 2**30:.1f} GiB; {machine['system']}; "
            f"{machine['compiler']}; commit {machine['commit'] or 'unknown'}; load "
            f"{machine['load']} when it began.\n")


def report(found, pictures):
    """The Markdown; `pictures` is where the charts are, or None."""
    rounds = sorted({r["rounds"] for r in found.workloads}
                    | {r["rounds"] for r in (found.programs or {}).get("results", ())})
    parts = [machine_text(found.machine)]
    if rounds:
        parts.append(f"Medians of {' or '.join(map(str, rounds))} rounds.\n")
    if found.absent:
        parts.append(f"Peers that were absent: {', '.join(found.absent)}.\n")
    reached = [*workloads.goals(workloads.Run(found.workloads)),
               *programs.goals(found.programs, found.start),
               *programs.file_goals(found.files)]
    if reached:
        parts += ["### Goals\n", table(["what", "goal", "seen", "met"],
                  [[what, goal, seen, yes_no(met)] for what, goal, seen, met in reached])]
    if pictures:
        parts += [f"![{text}]({pictures}/{name})\n" for name, text in CHARTS.items()
                  if name in charts_of(found)]
    for heading, text in [*workloads.sections(found.workloads, found.instructions),
                          *programs.sections(found.programs, found.start),
                          *programs.file_sections(found.files)]:
        parts += [f"### {heading}\n", text]
    return "\n".join(part for part in parts if part)


def charts_of(found):
    return charts.draw(workloads.Run(found.workloads), found.programs)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path, help="what bench/measure.py wrote")
    parser.add_argument("--into", type=pathlib.Path, help="the file with the marker lines")
    arguments = parser.parse_args()
    page = arguments.into
    try:
        found = Results(json.loads(arguments.results.read_text()))
        text = report(found, page and page.stem)
        if not page:
            print(text, end="")
            return
        old = page.read_text()
        pictures = charts_of(found)
    except OSError as error:
        sys.exit(f"{error.filename}: {error.strerror}")
    except (ValueError, KeyError, TypeError, AttributeError):
        sys.exit(f"{arguments.results}: not the output of bench/measure.py or "
                 "`cleave bench --json`")
    if old.count(BEGIN) != 1 or old.count(END) != 1 or old.index(BEGIN) > old.index(END):
        sys.exit(f"{page}: needs one line '{BEGIN}' and one line '{END}' after it")
    before, after = old[:old.index(BEGIN)], old[old.index(END):]
    page.write_text(f"{before}{BEGIN}\n\n{text}\n{after}")
    folder = page.with_suffix("")
    folder.mkdir(exist_ok=True)
    for name, drawn in pictures.items():
        (folder / name).write_text(drawn)


if __name__ == "__main__":
    main()
