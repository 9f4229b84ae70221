"""Charts as SVG, drawn by hand: plain shapes and text, no scripts, no fonts, no pictures."""
import html
import math

from performance.programs import MOST_TIME, by_threads, times
from performance.workloads import MALLOCS, alloc_size, measure, per_repeat, title

# Told apart by colour-blind people, and by shape as well.
COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#555555", "#b59f00")
WIDTH, LEFT, RIGHT, ROW = 820, 190, 30, 24
TEXT = "#222222"


class Drawing:
    def __init__(self, height, heading):
        self.height = height
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
            f'width="{WIDTH}" height="{height}" font-family="sans-serif" font-size="12">',
            f"<title>{html.escape(heading)}</title>",
            f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>']
        self.text(LEFT, 20, heading, size=14)

    def text(self, x, y, text, anchor="start", size=12, colour=TEXT):
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
                          f'font-size="{size}" fill="{colour}">{html.escape(text)}</text>')

    def line(self, x1, y1, x2, y2, colour="#dddddd", width=1, dashes=None):
        dashed = f' stroke-dasharray="{dashes}"' if dashes else ""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" '
                          f'stroke="{colour}" stroke-width="{width}"{dashed}/>')

    def path(self, points, colour):
        joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.parts.append(f'<polyline points="{joined}" fill="none" stroke="{colour}" '
                          f'stroke-width="2"/>')

    def bar(self, x, y, width, height, colour, tip):
        self.parts.append(f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(width, 1):.1f}" '
                          f'height="{height:.1f}" fill="{colour}">'
                          f"<title>{html.escape(tip)}</title></rect>")

    def mark(self, x, y, number, tip=""):
        """A shape of its own for each number."""
        colour, r = COLOURS[number % len(COLOURS)], 5
        around = {
            0: f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}"',
            1: f'<rect x="{x - r + 1:.1f}" y="{y - r + 1:.1f}" width="8" height="8"',
            2: f'<polygon points="{x:.1f},{y - r:.1f} {x + r:.1f},{y + r - 1:.1f} '
               f'{x - r:.1f},{y + r - 1:.1f}"',
            3: f'<polygon points="{x:.1f},{y - r:.1f} {x + r:.1f},{y:.1f} {x:.1f},{y + r:.1f} '
               f'{x - r:.1f},{y:.1f}"',
        }[number % 4]
        self.parts.append(f'{around} fill="{colour}" fill-opacity="0.85">'
                          f"<title>{html.escape(tip)}</title></{around[1:].split()[0]}>")

    def legend(self, names, y):
        x = LEFT
        for number, name in enumerate(names):
            self.mark(x + 5, y - 4, number, name)
            self.text(x + 15, y, name)
            x += 34 + 7 * len(name)

    def finished(self):
        return "\n".join(self.parts + ["</svg>"]) + "\n"


class Logarithmic:
    """Places on a line whose steps are powers of ten."""

    def __init__(self, values, begin, end):
        low, high = math.log10(min(values)), math.log10(max(values))
        # A mark at the very border would be cut off.
        margin = max((high - low) * 0.04, 0.05)
        self.low, self.high, self.begin, self.end = low - margin, high + margin, begin, end

    def __call__(self, value):
        share = (math.log10(value) - self.low) / (self.high - self.low)
        return self.begin + share * (self.end - self.begin)

    def steps(self):
        return [10.0 ** p for p in range(math.ceil(self.low), math.floor(self.high) + 1)]


def against_raw(run):
    """Each workload a line, each strategy a mark at its multiple of raw."""
    names = ("copy-mimalloc", "vec", "shared", "midpoint", "cleave", "cleave-run")
    groups = {key: {n: group[n]["seconds"] / group["raw"]["seconds"] for n in names if n in group}
              for key, group in run.timed.items() if group.get("raw", {}).get("seconds")}
    values = [v for group in groups.values() for v in group.values()]
    if not values:
        return None
    drawing = Drawing(90 + ROW * len(groups), "Time as a multiple of raw (less is better)")
    drawing.legend(names, 42)
    x = Logarithmic(values + [1], LEFT, WIDTH - RIGHT)
    bottom = 62 + ROW * len(groups)
    for step in x.steps():
        drawing.line(x(step), 54, x(step), bottom, "#888888" if step == 1 else "#dddddd")
        drawing.text(x(step), bottom + 16, f"{step:g}", "middle")
    for row, (key, group) in enumerate(groups.items()):
        y = 68 + ROW * row
        drawing.text(LEFT - 8, y + 4, title(key), "end")
        drawing.line(LEFT, y, WIDTH - RIGHT, y)
        for number, name in enumerate(names):
            if name in group:
                drawing.mark(x(group[name]), y, number, f"{name}: {group[name]:.2f} x raw")
    return drawing.finished()


def allocations(run):
    """Nanoseconds of one array that is made, touched and freed, over its size."""
    names = [n for n in (*MALLOCS, "cleave") if any(n in g for g in run.allocations.values())]
    points = {n: [(alloc_size(w)[0], per_repeat(g[n]) * 1e9)
                  for (w, _), g in run.allocations.items() if n in g] for n in names}
    values = [ns for line in points.values() for _, ns in line if ns > 0]
    if not values:
        return None
    drawing = Drawing(360, "One array made, touched and freed, in nanoseconds (less is better)")
    drawing.legend([MALLOCS.get(n, n) for n in names], 42)
    sizes = sorted({size for line in points.values() for size, _ in line})
    x = Logarithmic(sizes, LEFT - 110, WIDTH - RIGHT)
    y = Logarithmic(values, 320, 60)
    for step in y.steps():
        drawing.line(LEFT - 110, y(step), WIDTH - RIGHT, y(step))
        drawing.text(LEFT - 118, y(step) + 4, f"{step:g}", "end")
    for (workload, _) in run.allocations:
        size, text = alloc_size(workload)
        drawing.text(x(size), 340, text, "middle", 10)
    for number, name in enumerate(names):
        line = [(x(size), y(ns)) for size, ns in points[name]]
        drawing.path(line, COLOURS[number])
        for place, (_, ns) in zip(line, points[name]):
            drawing.mark(*place, number, f"{MALLOCS.get(name, name)}: {ns:.1f} ns")
    return drawing.finished()


def bars(heading, rows, marker=None, end=None):
    """rows: (label, number of its colour, value, text). A marker is a value with a line."""
    most = end or max(value for _, _, value, _ in rows) * 1.12
    drawing = Drawing(50 + 18 * len(rows), heading)
    across = (WIDTH - RIGHT - 60 - LEFT) / most
    for row, (label, number, value, text) in enumerate(rows):
        y = 34 + 18 * row
        drawing.text(LEFT - 8, y + 11, label, "end")
        drawing.bar(LEFT, y, min(value, most) * across, 13, COLOURS[number], f"{label}: {text}")
        drawing.text(LEFT + min(value, most) * across + 5, y + 11, text)
    if marker:
        x = LEFT + marker * across
        drawing.line(x, 28, x, 34 + 18 * len(rows), "#cc0000", 1, "4 3")
    return drawing.finished()


def memory(run):
    rows = [(f"{key[0]}, {name}", 4 if name.startswith("cleave") else 0, measure(r) / 1e6,
             f"{measure(r) / 1e6:.2f} MB")
            for key, group in run.kept.items() for name, r in group.items()
            if name in ("copy", "copy-mimalloc", "vec", "shared", "midpoint", "cleave")]
    if not rows:
        return None
    return bars("Resident memory when a piece of each array is kept (less is better)", rows)


def programs(found):
    alone, two = by_threads(found, 1), by_threads(found, 2)
    rows = []
    for name, r in alone.items():
        rows.append((name, 0, r["ratio"]["cpu"], times(r["ratio"]["cpu"])))
        if name in two:
            rows.append(("2 threads", 5, two[name]["ratio"]["wall"],
                         times(two[name]["ratio"]["wall"])))
    if not rows:
        return None
    return bars("Time of each program as a multiple of its twin's (line: the goal)", rows,
                marker=MOST_TIME)


def draw(run, found):
    """{file name: SVG} of what there is something to draw of."""
    charts = {"workloads.svg": against_raw(run), "allocations.svg": allocations(run),
              "memory.svg": memory(run), "programs.svg": programs(found) if found else None}
    return {name: text for name, text in charts.items() if text}
