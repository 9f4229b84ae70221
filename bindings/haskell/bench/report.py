#!/usr/bin/env python3
"""Runs the programs of Bench.hs in each way and writes the table and the chart of README.md.

    bench/report.py BENCH --runs 5 --readme README.md --chart results.svg

BENCH is the program that bench/Bench.hs becomes. Each run is a process of its own; a number in
the table is the median of its runs. The ways take turns, so that what disturbs the
machine for a while disturbs all. That all ways of a program compute the same is checked.

--only NAME runs one program and prints its rows; README and chart stay.
--save FILE and --load FILE keep the numbers, so that programs can be run one by one:
what was saved is added to.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

BEGIN, END = "<!-- bench: begin -->", "<!-- bench: end -->"

# Name, title, program and options of the runtime.
PROGRAMS = (
    ("compress", "compressor loop", "compress", []),
    ("hash", "hashing server", "hash", []),
    ("hash-2", "hashing server, two threads, -N2", "hash", ["-N2"]),
    ("sort", "external merge sort", "sort", []),
)
WAYS = (
    ("plain", "plain", []),
    ("plain -AL64m", "plain", ["-AL64m"]),
    ("pool", "pool", []),
    ("trim", "trim", []),
    ("forget", "forget", []),
)
COLOURS = ("#7f8c9b", "#b3bcc7", "#2a7f62", "#c8762b", "#5b62b5")


def run_once(bench, program, way, options):
    command = [bench, program, way, "+RTS", "-T", *options]
    out = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.loads(out.stdout)


def measure(bench, program, options, runs):
    """The results of all runs, by way."""
    results = {name: [] for name, _, _ in WAYS}
    for _ in range(runs):
        for name, way, more in WAYS:
            results[name].append(run_once(bench, program, way, options + more))
    answers = {r["result"] for rs in results.values() for r in rs}
    if len(answers) != 1:
        sys.exit(f"{program}: the ways computed different results: {answers}")
    return results


def median(results, field):
    return statistics.median(r[field] for r in results)


def row(title, results):
    def mb(field):
        return f"{median(results, field) / 1e6:.0f}"

    return (f"| {title} | {median(results, 'collections'):.0f} ({median(results, 'major'):.0f}) "
            f"| {median(results, 'gc_seconds') * 1e3:.0f} | {median(results, 'cpu'):.2f} "
            f"| {median(results, 'seconds'):.2f} | {mb('heap_bytes')} | {mb('resident_bytes')} |")


def table(numbers):
    lines = []
    for key, title, _, _ in PROGRAMS:
        lines += [f"**{title}**", "",
                  "| way | collections (major) | in them, ms | CPU, s | wall, s "
                  "| heap, MB | resident, MB |",
                  "|---|---:|---:|---:|---:|---:|---:|"]
        lines += [row(name, numbers[key][name]) for name, _, _ in WAYS]
        lines.append("")
    return "\n".join(lines)


def chart(numbers):
    """Three panels, a group of bars for each program; heights are relative to plain."""
    panels = (("collections", "collections", 1, "{:.0f}"), ("cpu", "CPU time, s", 1, "{:.2f}"),
              ("resident_bytes", "most resident memory, MB", 1e6, "{:.0f}"))
    bar, gap, left, height, most = 34, 26, 16, 110, 2.0
    group = bar * len(WAYS) + gap
    width = left * 2 + group * len(PROGRAMS)
    total = 64 + len(panels) * (height + 66)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {total}" '
           f'font-family="sans-serif" font-size="11" fill="#444">',
           f'<rect width="{width}" height="{total}" fill="#fff"/>']
    x = left
    for (name, _, _), colour in zip(WAYS, COLOURS):
        out.append(f'<rect x="{x}" y="14" width="11" height="11" fill="{colour}"/>'
                   f'<text x="{x + 16}" y="24">{name}</text>')
        x += 30 + 7 * len(name)
    out.append(f'<text x="{left}" y="46" fill="#777">Heights are relative to plain; bars end at '
               f'{most:.0f} times plain.</text>')
    y = 64
    for field, title, unit, form in panels:
        base = y + 30 + height
        out.append(f'<text x="{left}" y="{y + 12}" font-size="13" font-weight="bold">'
                   f'{title}</text>')
        for g, (key, name, _, _) in enumerate(PROGRAMS):
            x0 = left + g * group
            plain = median(numbers[key]["plain"], field)
            for i, ((way, _, _), colour) in enumerate(zip(WAYS, COLOURS)):
                value = median(numbers[key][way], field)
                share = min(value / plain if plain else 0, most) / most
                h = max(share * height, 1)
                x = x0 + i * bar
                out.append(f'<rect x="{x + 2}" y="{base - h:.1f}" width="{bar - 4}" '
                           f'height="{h:.1f}" fill="{colour}"/>')
                out.append(f'<text x="{x + bar / 2}" y="{base - h - 4:.1f}" font-size="9" '
                           f'text-anchor="middle">{form.format(value / unit)}</text>')
            out.append(f'<text x="{x0}" y="{base + 14}" font-size="10">{name}</text>')
        out.append(f'<line x1="{left}" y1="{base}" x2="{width - left}" y2="{base}" stroke="#999"/>')
        y += height + 66
    return "\n".join(out + ["</svg>", ""])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bench")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=[p[0] for p in PROGRAMS])
    parser.add_argument("--save", type=pathlib.Path)
    parser.add_argument("--load", type=pathlib.Path)
    parser.add_argument("--readme", type=pathlib.Path)
    parser.add_argument("--chart", type=pathlib.Path)
    options = parser.parse_args()

    numbers = json.loads(options.load.read_text()) if options.load else {}
    for key, title, program, more in PROGRAMS:
        if options.load or options.only not in (None, key):
            continue
        numbers[key] = measure(options.bench, program, more, options.runs)
        print(title)
        for name, _, _ in WAYS:
            print(row(name, numbers[key][name]), flush=True)
    if options.save:
        saved = json.loads(options.save.read_text()) if options.save.exists() else {}
        options.save.write_text(json.dumps(saved | numbers))
    if options.only:
        return
    if options.chart:
        options.chart.write_text(chart(numbers))
    if options.readme:
        text = options.readme.read_text()
        head, rest = text.split(BEGIN)
        tail = rest.split(END)[1]
        options.readme.write_text(f"{head}{BEGIN}\n\n{table(numbers)}\n{END}{tail}")


if __name__ == "__main__":
    main()
