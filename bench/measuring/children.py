"""Runs commands and says what each took by itself, or how many instructions it has."""
import dataclasses
import os
import re
import shutil
import statistics
import subprocess
import tempfile

# A program that hangs must not hang the measurement.
LONGEST = 300


class Failed(Exception):
    """A command did not do what it should; the text says which and what."""


@dataclasses.dataclass
class Sample:
    wall: float
    cpu: float
    resident: int
    page_faults: int
    output: str


def environment(threads=1, **more):
    """Ours, with what decides about a program's speed set; None takes a name away."""
    changed = {**os.environ, "CLEAVE_THREADS": str(threads), "CLEAVE_CHECK": None, **more}
    return {name: value for name, value in changed.items() if value is not None}


def run(launcher, command, env):
    """Runs a command through bench/programs/launch.cpp."""
    with tempfile.NamedTemporaryFile("r", encoding="utf-8") as line:
        done = ended([launcher, line.name, *command], env)
        fields = line.read().split()
    if done.returncode != 0 or len(fields) != 6:
        raise Failed(f"{command[0]}: cannot be run: {done.stderr.strip()}")
    wall, user, of_system = map(float, fields[:3])
    kilobytes, faults, status = map(int, fields[3:])
    if status != 0:
        raise Failed(f"{command[0]} ended with {os.waitstatus_to_exitcode(status)}: "
                     f"{done.stderr.strip()[-300:]}")
    return Sample(wall, user + of_system, kilobytes * 1024, faults, done.stdout)


def ended(command, env):
    """The command as it ended, with what it printed."""
    try:
        return subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        raise Failed(f"{command[-1]}: took longer than {LONGEST} s") from None
    except OSError as error:
        raise Failed(f"{command[0]}: {error.strerror}") from None


def can_count():
    return shutil.which("valgrind") is not None


def count_instructions(command, env):
    """All instructions of a command, its start included, and what it printed."""
    done = ended(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", *command], env)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode != 0 or not found:
        raise Failed(f"{command[0]} under valgrind: {done.stderr.strip()[-300:]}")
    return int(found.group(1)), done.stdout


def spread(values):
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def in_turns(sides, rounds):
    """Calls each side once a round, forth and back, so that a slow minute hits all alike.

    sides: {name: function without arguments}. Returns {name: [result of each round]}.
    """
    results = {name: [] for name in sides}
    for number in range(rounds):
        order = list(sides) if number % 2 == 0 else list(reversed(sides))
        for name in order:
            results[name].append(sides[name]())
    return results


def sum_up(samples):
    return {
        "cpu": spread([s.cpu for s in samples]),
        "wall": spread([s.wall for s in samples]),
        "resident": int(statistics.median(s.resident for s in samples)),
        "page_faults": int(statistics.median(s.page_faults for s in samples)),
    }
