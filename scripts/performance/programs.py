"""What the programs took beside their twins: tables, and goals that are met or not."""
import math

from performance.text import megabytes, seconds, table, yes_no

MOST_TIME, MOST_MEMORY, EQUAL = 1.3, 1.2, 1.05
# Seconds until a small program runs: the first time, and when it was compiled before.
FIRST_RUN, SECOND_RUN = 2, 0.05


def mean(ratios):
    """The geometric mean."""
    return math.exp(sum(map(math.log, ratios)) / len(ratios))


def times(ratio):
    return f"{ratio:.2f}"


def by_threads(programs, threads):
    return {r["name"]: r for r in programs["results"] if r["threads"] == threads}


def range_of(spread):
    return f"{seconds(spread['least'])} to {seconds(spread['most'])}"


def met(r):
    return r["ratio"]["cpu"] <= MOST_TIME and r["ratio"]["resident"] <= MOST_MEMORY


def one_thread_table(programs):
    rows = []
    for name, r in by_threads(programs, 1).items():
        counted = programs["instructions"].get(name)
        rows.append([
            name, r["argument"],
            seconds(r["twin"]["cpu"]["median"]), seconds(r["program"]["cpu"]["median"]),
            range_of(r["program"]["cpu"]), times(r["ratio"]["cpu"]),
            megabytes(r["twin"]["resident"]), megabytes(r["program"]["resident"]),
            times(r["ratio"]["resident"]),
            f"{r['twin']['page_faults']} / {r['program']['page_faults']}",
            times(counted["ratio"]) if counted else "-", yes_no(met(r))])
    return table(["program", "argument", "twin", "program", "least to most", "x time",
                  "twin's memory", "program's", "x memory", "page faults", "x instructions",
                  "met"], rows)


def more_threads_table(programs, threads):
    alone = by_threads(programs, 1)
    rows = []
    for name, r in by_threads(programs, threads).items():
        def speed_up(side):
            if name not in alone:
                return "-"
            return times(alone[name][side]["wall"]["median"] / r[side]["wall"]["median"])
        rows.append([
            name, seconds(r["twin"]["wall"]["median"]), seconds(r["program"]["wall"]["median"]),
            range_of(r["program"]["wall"]), times(r["ratio"]["wall"]), times(r["ratio"]["cpu"]),
            times(r["ratio"]["resident"]), speed_up("twin"), speed_up("program")])
    return table(["program", "twin", "program", "least to most", "x time", "x processor time",
                  "x memory", "twin, times one thread", "program, times one thread"], rows)


def start_table(start):
    what = {"first_run": "`cleave run`, never compiled before",
            "second_run": "`cleave run` again",
            "program": "a program of `cleave build` that prints one line",
            "twin": "a C++ program that prints one line"}
    return table(["start", "time", "least to most", "memory", "page faults"], [
        [text, seconds(start[kind]["wall"]["median"]), range_of(start[kind]["wall"]),
         megabytes(start[kind]["resident"]), str(start[kind]["page_faults"])]
        for kind, text in what.items()])


def goals(programs, start):
    """(what, goal, seen, met) of every goal that this run says something about."""
    alone = by_threads(programs, 1) if programs else {}
    for key, what, limit in (("cpu", "time", MOST_TIME), ("resident", "memory", MOST_MEMORY)):
        if alone:
            ratios = {name: r["ratio"][key] for name, r in alone.items()}
            worst = max(ratios, key=ratios.get)
            above = sum(ratio > limit for ratio in ratios.values())
            yield (f"programs, {what}", f"at most {limit} x the twin's",
                   f"mean {times(mean(ratios.values()))}, {above} of {len(ratios)} above, "
                   f"most {times(ratios[worst])} ({worst})", above == 0)
    if {"fork_tree", "fork_tree_shared"} <= alone.keys():
        halves, shared = alone["fork_tree"], alone["fork_tree_shared"]
        pairs = [halves["ratio"]["cpu"], shared["ratio"]["cpu"],
                 halves["program"]["cpu"]["median"] / shared["program"]["cpu"]["median"]]
        yield ("fork_tree, fork_tree_shared", "at most 1.05 x their twin's, and of each other",
               ", ".join(map(times, pairs)),
               all(r <= EQUAL for r in pairs) and pairs[2] >= 1 / EQUAL)
    if start:
        for kind, what, limit in (("first_run", "first run", FIRST_RUN),
                                  ("second_run", "second run", SECOND_RUN)):
            seen = start[kind]["wall"]["median"]
            yield (f"{what} of a small program", f"under {seconds(limit)}", seconds(seen),
                   seen < limit)


def sections(programs, start):
    """(heading, text) of each table."""
    if programs and by_threads(programs, 1):
        yield "Programs beside their twins, one thread", one_thread_table(programs)
    for threads in sorted({r["threads"] for r in programs["results"]} - {1}) if programs else ():
        yield (f"Programs beside their twins, {threads} threads",
               more_threads_table(programs, threads))
    if programs and programs["build"]:
        compiled = programs["build"]
        slowest = max(compiled, key=compiled.get)
        yield ("Compiling the programs",
               f"{len(compiled)} programs: {seconds(min(compiled.values()))} to "
               f"{seconds(compiled[slowest])} ({slowest}).\n")
    if programs and programs["failed"]:
        yield "What failed", "".join(f"- {name}: {why.splitlines()[0]}\n"
                                     for name, why in programs["failed"].items())
    if start:
        yield "Until a program starts", start_table(start)


def file_goals(files):
    for r in files:
        yield (f"sorting a file, {r['threads']} thread{'s' * (r['threads'] > 1)}",
               "ahead of coreutils", times(r["ratio"]), r["ratio"] < 1)


def file_sections(files):
    if files:
        yield "Sorting a file of lines", table(
            ["file", "threads", "coreutils", "cleave sort", "least to most", "x time",
             "x memory"],
            [[megabytes(r["bytes"]), str(r["threads"]),
              seconds(r["coreutils"]["wall"]["median"]), seconds(r["cleave"]["wall"]["median"]),
              range_of(r["cleave"]["wall"]), times(r["ratio"]),
              times(r["cleave"]["resident"] / r["coreutils"]["resident"])] for r in files])
