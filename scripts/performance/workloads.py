"""What the results of `cleave bench` say: tables, and goals that are met or not."""
from performance.text import megabytes, seconds, table

# Not rivals of cleave: bounds that no heap can go below, what is for one thread
# only, and cleave itself.
NOT_RIVALS = {"limit", "raw", "midpoint-plain", "cleave", "cleave-run", "cleave-sort"}
MALLOCS = {"copy": "glibc", "copy-mimalloc": "mimalloc", "copy-jemalloc": "jemalloc",
           "copy-tbb": "oneTBB", "copy-snmalloc": "snmalloc"}
ORDER = ("limit", "raw", "copy", "copy-mimalloc", "copy-jemalloc", "copy-tbb", "copy-snmalloc",
         "vec", "vec-mimalloc", "bytes", "immer", "shared", "midpoint-plain", "midpoint",
         "cleave", "cleave-run")
# These share a column.
OF_ONE_WORKLOAD = {"std-sort", "std-sort-par", "parlaylib-sort", "cleave-sort", "deque"}


class Run:
    """The results by workload (and threads), in the order of the file."""

    def __init__(self, results):
        self.groups = {}
        for r in results:
            self.groups.setdefault((r["workload"], r["threads"]), {})[r["strategy"]] = r

    def of(self, kinds):
        return {k: g for k, g in self.groups.items() if kinds(k[0])}

    def find(self, workload, strategy, threads=1):
        return self.groups.get((workload, threads), {}).get(strategy)

    @property
    def timed(self):
        return self.of(lambda w: not w.startswith(("retention", "alloc-")))

    @property
    def kept(self):
        return self.of(lambda w: w.startswith("retention"))

    @property
    def allocations(self):
        return self.of(lambda w: w.startswith("alloc-"))


def strategies(groups):
    """All of the groups' strategies: the known ones in order, and then others."""
    names = list(dict.fromkeys(name for group in groups.values() for name in group))
    return sorted(names, key=lambda n: ORDER.index(n) if n in ORDER else len(ORDER))


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


def against(group, names=None):
    """How cleave stands to its best rival, and who that is."""
    ours, other = group.get("cleave"), rival(group)
    text = ratio(ours, other)
    if text == "-":
        return text
    name = other["strategy"]
    return f"{text} ({names.get(name, name) if names else name})"


def values_table(groups, text, with_raw):
    everywhere = [name for name in strategies(groups) if name not in OF_ONE_WORKLOAD]
    others = [name for name in strategies(groups) if name in OF_ONE_WORKLOAD]
    head = ["workload"] + everywhere + (["others"] if others else [])
    head += (["cleave / raw"] if with_raw else []) + ["cleave / best other"]
    rows = []
    for key, group in groups.items():
        row = [title(key)] + [text(measure(group[n])) if n in group else "-" for n in everywhere]
        if others:
            row.append(", ".join(f"{n} {text(measure(group[n]))}" for n in others if n in group)
                       or "-")
        if with_raw:
            row.append(ratio(group.get("cleave"), group.get("raw")))
        rows.append(row + [against(group)])
    return table(head, rows)


def raw_table(groups):
    """Each strategy as a multiple of raw."""
    groups = {key: group for key, group in groups.items() if "raw" in group}
    names = [n for n in strategies(groups) if n != "raw" and n not in OF_ONE_WORKLOAD]
    return table(["workload"] + names, [
        [title(key)] + [ratio(group.get(n), group["raw"]) for n in names]
        for key, group in groups.items()])


def alloc_size(workload):
    size = workload.removeprefix("alloc-")
    units = {"k": (1 << 10, "KiB"), "m": (1 << 20, "MiB")}
    factor, unit = units.get(size[-1], (1, "B"))
    number = size.rstrip("km")
    return int(number) * factor, f"{number} {unit}"


def per_repeat(r):
    return r["seconds"] / r["repeats"]


def alloc_table(groups):
    names = [n for n in [*MALLOCS, "cleave", "cleave-run"] if any(n in g for g in groups.values())]
    rows = [[alloc_size(workload)[1]]
            + [seconds(per_repeat(group[n])) if n in group else "-" for n in names]
            + [against(group, MALLOCS)]
            for (workload, _), group in groups.items()]
    return table(["size"] + [MALLOCS.get(n, n) for n in names] + ["cleave / best other"], rows)


def spread_table(groups):
    """The rivals with more than a page fault or two in a round, and ours always."""
    rows = []
    for key, group in groups.items():
        for name, r in group.items():
            if name in ("raw", "cleave", "cleave-sort") or r["page_faults"] > r["repeats"]:
                rows.append([title(key), name, seconds(r["seconds"]), seconds(r["seconds_min"]),
                             seconds(r["seconds_max"]), str(r["page_faults"])])
    return table(["workload", "strategy", "median", "least", "most", "page faults"], rows)


def instructions_table(counts):
    """counts: {workload: {strategy: instructions of one repetition}}."""
    names = strategies(counts)
    return table(["workload"] + names + ["cleave / raw"], [
        [workload] + [f"{group[n]:,.0f}".replace(",", " ") if n in group else "-" for n in names]
        + [f"{group['cleave'] / group['raw']:.2f}" if group.get("raw") and group.get("cleave")
           else "-"]
        for workload, group in counts.items()])


def goals(run):
    """(what, goal, seen, met) of every goal that this run says something about."""
    for workload, threads, limit in (
            ("fork-tree", 1, 1.05), ("fork-tree", 2, 1.1), ("walk-1", 1, 2), ("walk-4", 1, 2),
            ("walk-16", 1, 2), ("map", 1, 1.5), ("to-list", 1, 1.5), ("small", 1, 2)):
        r = run.find(workload, "cleave", threads)
        if r and r["ratio_to_raw"] is not None:
            seen = r["ratio_to_raw"]
            yield title((workload, threads)), f"at most {limit} x raw", f"{seen:.2f}", seen <= limit
    if r := run.find("split-once", "cleave"):
        seen = per_repeat(r)
        yield "split-once", "at most 15 ns a round", seconds(seen), seen <= 15e-9
    one, two = (run.find("sort", "cleave-sort", threads) for threads in (1, 2))
    if one and two:
        seen = one["seconds"] / two["seconds"]
        yield "sort, 2 threads", "at least 1.8 x one thread", f"{seen:.2f}", seen >= 1.8
    for threads in (1, 2):
        ours = run.find("sort", "cleave-sort", threads)
        for name, text in (("std-sort-par", "std::sort with TBB's policy"),
                           ("parlaylib-sort", "ParlayLib")):
            other = run.find("sort", name, threads)
            if ours and other:
                yield (title(("sort", threads)), f"ahead of {text}", ratio(ours, other),
                       ours["seconds"] < other["seconds"])
    group = run.groups.get(("handoff", 2), {})
    # Views take no memory from an allocator in the measured time.
    views = ("shared", "midpoint")
    for text, among in (
            ("ahead of every allocator", {n: r for n, r in group.items() if n not in views}),
            ("as fast as midpoint views", {n: r for n, r in group.items()
                                           if n in ("cleave", "midpoint")})):
        if "cleave" in among and rival(among):
            yield (title(("handoff", 2)), text, against(among),
                   measure(among["cleave"]) < measure(rival(among)))
    for workload, limit in (("retention-16k", 4.6e6), ("retention-64", 1.1e6)):
        r = run.find(workload, "cleave")
        if r and r["rss_bytes"] is not None:
            seen = r["rss_bytes"]
            yield workload, f"at most {limit / 1e6} MB", megabytes(seen), seen <= limit
    for (workload, _), group in run.allocations.items():
        # The goal names the allocators that a system brings; the table has the others too.
        ours, other = group.get("cleave"), rival({n: r for n, r in group.items()
                                                  if n != "copy-snmalloc"})
        if ours and other:
            # Equal means within the spread that a quiet machine shows.
            yield (workload, f"as fast as {MALLOCS.get(other['strategy'])}, within 5 %",
                   ratio(ours, other), ours["seconds"] <= other["seconds"] * 1.05)


def sections(results, counts):
    """(heading, text) of each table."""
    run = Run(results)
    if run.timed:
        yield "Time", values_table(run.timed, seconds, with_raw=True)
        yield "Time as a multiple of raw", raw_table(run.timed)
        yield "Spread and page faults", spread_table(run.timed)
    if counts:
        yield "Instructions of one repetition", instructions_table(counts)
    if run.kept:
        yield ("Resident memory after a piece of each array is kept",
               values_table(run.kept, megabytes, with_raw=False))
    if run.allocations:
        yield "One array made, touched and freed", alloc_table(run.allocations)
