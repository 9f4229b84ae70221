"""Programs of examples/programs/ beside their twins in bench/twins/, in the same rounds.

Both take the same argument and must print the same. Times and memory are of programs as a user
gets them: for this processor, from `cleave build` and from the C++ compiler at -O3. Valgrind
does not know the newest instructions, so both are counted as built for an x86-64 with AVX2.
"""
import concurrent.futures
import os
import platform
import re
import time

from measuring import children
from measuring.children import Failed

# Programs that are to be compared with each other as well take turns in the same rounds.
TOGETHER = (("fork_tree", "fork_tree_shared"),)
COUNTED_FOR = "-march=x86-64-v3" if platform.machine() == "x86_64" else ""


class Size:
    def __init__(self, argument, counted):
        self.argument, self.counted = argument, counted


def read_sizes(path):
    """{name: Size} of the lines "name argument counted" that are no comments."""
    sizes = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if words:
            name, argument, counted = words
            sizes[name] = Size(argument, counted)
    return sizes


class Places:
    """Where everything is."""

    def __init__(self, root, build):
        self.root, self.build = root, build
        self.tool = build / "bin" / "cleave"
        self.launcher = build / "bench" / "programs" / "launch"
        self.built = build / "bench" / "programs"

    def source(self, name):
        return self.root / "examples" / "programs" / f"{name}.bend"

    def program(self, name, counted=False):
        return self.built / ("counted" if counted else "") / f"{name}.program"

    def twin(self, name, counted=False):
        return self.build / "bench" / "twins" / ("counted" if counted else "") / name


def compiler(build):
    found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$",
                      (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.M)
    return found.group(1) if found else "c++"


def compile_program(places, name, cache, counted=False, source=None):
    """Returns the seconds that it took; an empty `cache` makes that what a first run takes."""
    binary = places.program(name, counted)
    binary.parent.mkdir(parents=True, exist_ok=True)
    with_cxx = compiler(places.build)
    options = ["--portable"] if counted else []
    env = children.environment(CLEAVE_CACHE=cache,
                               CXX=f"{with_cxx} {COUNTED_FOR}" if counted else with_cxx)
    before = time.monotonic()
    command = [places.tool, "build", source or places.source(name), "-o", binary, *options]
    done = children.ended(command, env)
    if done.returncode != 0:
        raise Failed(f"{name} does not build: {done.stderr.strip()[-600:]}")
    return time.monotonic() - before


def same_output(outputs):
    """The one thing that all sides printed."""
    first = next(iter(outputs.values()))
    for side, output in outputs.items():
        if output != first:
            raise Failed(f"{side} prints {output[:80]!r}, and {next(iter(outputs))} "
                         f"{first[:80]!r}")
    return first


def measure_group(places, names, sizes, threads, rounds, small):
    """The programs of a group and their twins, all in the same rounds."""
    def side(binary, name):
        argument = sizes[name].counted if small else sizes[name].argument
        env = children.environment(threads)
        return lambda: children.run(places.launcher, [binary, argument], env)

    sides = {}
    for name in names:
        sides[name, "program"] = side(places.program(name), name)
        sides[name, "twin"] = side(places.twin(name), name)
    samples = children.in_turns(sides, rounds)
    for name in names:
        same_output({f"{name}, {kind} ({number})": sample.output
                     for kind in ("program", "twin")
                     for number, sample in enumerate(samples[name, kind])})
    for name in names:
        program, twin = (children.sum_up(samples[name, kind]) for kind in ("program", "twin"))
        yield {
            "name": name,
            "threads": threads,
            "rounds": rounds,
            "argument": sizes[name].counted if small else sizes[name].argument,
            "program": program,
            "twin": twin,
            "ratio": {
                "cpu": program["cpu"]["median"] / twin["cpu"]["median"],
                "wall": program["wall"]["median"] / twin["wall"]["median"],
                "resident": program["resident"] / twin["resident"],
            },
        }


def count(places, name, size, cache):
    """{argument, program, twin, ratio} in instructions, on one thread."""
    compile_program(places, name, cache, counted=True)
    env = children.environment(1)
    program, printed = children.count_instructions(
        [places.program(name, counted=True), size.counted], env)
    twin, expected = children.count_instructions(
        [places.twin(name, counted=True), size.counted], env)
    same_output({f"{name}, program": printed, f"{name}, twin": expected})
    return {"argument": size.counted, "program": program, "twin": twin, "ratio": program / twin}


def groups_of(names):
    """The names, those together that are to be measured together."""
    groups = []
    for name in names:
        wanted = next((set(group) for group in TOGETHER if name in group), {name})
        group = [other for other in names if other in wanted]
        if group not in groups:
            groups.append(group)
    return groups


def measure(places, names, sizes, settings, cache, say):
    """{"results": [...], "build": {name: seconds}, "instructions": {name: ...},
    "failed": {name: why}}."""
    found = {"results": [], "build": {}, "instructions": {}, "failed": {}}
    for name in names:
        say(f"{name}: compiling")
        try:
            found["build"][name] = compile_program(places, name, cache)
        except Failed as error:
            found["failed"][name] = str(error)
    names = [name for name in names if name not in found["failed"]]
    for group in groups_of(names):
        for threads in settings.threads:
            say(f"{', '.join(group)}: {threads} thread{'s' * (threads > 1)}, "
                f"{settings.rounds} rounds")
            try:
                found["results"] += measure_group(places, group, sizes, threads, settings.rounds,
                                                  settings.quick)
            except Failed as error:
                found["failed"].update((name, str(error)) for name in group)
    if settings.instructions:
        # Counts do not change when something else runs, so all processors are used.
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            counts = {name: pool.submit(count, places, name, sizes[name], cache) for name in names}
            for name, future in counts.items():
                say(f"{name}: counting instructions")
                try:
                    found["instructions"][name] = future.result()
                except Failed as error:
                    found["failed"][name] = str(error)
    return found
