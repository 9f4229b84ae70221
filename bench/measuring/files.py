"""Sorting a file of lines: `cleave sort` beside the sort of coreutils, where there is one."""
import filecmp
import pathlib
import random
import shutil
import tempfile

from measuring import children
from measuring.children import Failed

LINES, QUICK_LINES = 1_000_000, 20_000


def make_lines(path, count):
    """Lines of 8 to 40 letters that are the same each time."""
    numbers = random.Random(1)
    letters = "abcdefghijklmnopqrstuvwxyz"
    with path.open("w", encoding="ascii") as file:
        for _ in range(count):
            file.write("".join(numbers.choices(letters, k=numbers.randrange(8, 41))) + "\n")


def measure(places, settings, say):
    """A result for each number of threads. Both are given all lines by name and write a file."""
    if not shutil.which("sort"):
        return []
    results = []
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        lines, ours, theirs = folder / "lines", folder / "ours", folder / "theirs"
        make_lines(lines, QUICK_LINES if settings.quick else LINES)
        for threads in settings.threads:
            say(f"sorting a file: {threads} thread{'s' * (threads > 1)}")
            # In the order of bytes, which is the one that cleave sort has.
            env = children.environment(threads, LC_ALL="C")
            commands = {
                "cleave": [places.tool, "sort", lines, "-o", ours, "--threads", str(threads)],
                "coreutils": ["sort", lines, "-o", theirs, f"--parallel={threads}", "-S", "50%"],
            }
            samples = children.in_turns(
                {name: lambda command=command: children.run(places.launcher, command, env)
                 for name, command in commands.items()}, settings.rounds)
            if not filecmp.cmp(ours, theirs, shallow=False):
                raise Failed("cleave sort and sort write different files")
            summed = {name: children.sum_up(taken) for name, taken in samples.items()}
            results.append({
                "bytes": lines.stat().st_size,
                "threads": threads,
                "rounds": settings.rounds,
                **summed,
                "ratio": summed["cleave"]["wall"]["median"] / summed["coreutils"]["wall"]["median"],
            })
    return results
