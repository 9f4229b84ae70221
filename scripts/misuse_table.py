#!/usr/bin/env python3
"""Tries six misuses with several allocators and prints the table of docs/reliability.md.

Each cell is a process that does one misuse and then goes on allocating and freeing: once with
runs of 64 bytes, once of 1 MiB. *named* means that it was stopped with a text that says what is
wrong, *stopped* that it was ended by a signal without one, *silent* that it ran to its end.

usage: scripts/misuse_table.py LIBCLEAVE.a [TITLE=LIBRARY.so ...]
Allocators that Debian has are found; others are given by the shared library to load.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = ROOT / "tests/checked/planted/misuses.cpp"
MISUSES = {
    "twice": "the same run is freed twice",
    "size": "freed with twice its size",
    "stranger": "memory that is not the allocator's is freed",
    "after_free": "a byte is written after the free",
    "past_end": "the byte behind the end is written",
    "leak": "never freed",
}
SIZES = (64, 1 << 20)


def library(name):
    """Where the shared library of a Debian package lies, or None."""
    found = sorted(pathlib.Path("/usr/lib").glob(f"*/{name}"))
    return found[0] if found else None


def compiled(folder, name, *flags):
    program = folder / name
    subprocess.run(["g++", "-std=c++20", "-O1", "-fsized-deallocation", "-w", PROGRAM, "-o", program,
                    f"-I{ROOT}/include", *flags], check=True)
    return program


def outcome(program, misuse, size, variables):
    environment = {**os.environ, "PATH": "/nowhere", **variables}
    done = subprocess.run([program, misuse, str(size)], env=environment, capture_output=True,
                          timeout=60)
    if done.returncode == 0:
        # An allocator that only warns has not stopped it, but has named it.
        return "named" if done.stderr.strip() else "silent"
    return "named" if done.stderr.strip() else "stopped"


def cell(program, misuse, variables):
    found = [outcome(program, misuse, size, variables) for size in SIZES]
    return found[0] if found[0] == found[1] else f"{found[0]} / {found[1]}"


def main():
    others = [word.partition("=") for word in sys.argv[2:]]
    if len(sys.argv) < 2 or not all(file for _, _, file in others) or shutil.which("g++") is None:
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ours = compiled(folder, "ours", "-DMISUSES_OF_CLEAVE", sys.argv[1], "-pthread")
        theirs = compiled(folder, "theirs")
        columns = [("Cleave, checked", ours, {"CLEAVE_CHECK": "1"}), ("Cleave", ours, {}),
                   ("glibc", theirs, {})]
        for title, file in (("mimalloc", "libmimalloc.so.2"), ("jemalloc", "libjemalloc.so.2")):
            if (found := library(file)) is not None:
                columns.append((title, theirs, {"LD_PRELOAD": str(found)}))
        for title, _, file in others:
            # The loader only warns of a library that is not there.
            columns.append((title, theirs, {"LD_PRELOAD": str(pathlib.Path(file).resolve(True))}))
        print("| misuse | " + " | ".join(title for title, _, _ in columns) + " |")
        print("|---" * (len(columns) + 1) + "|")
        for misuse, text in MISUSES.items():
            row = [cell(program, misuse, variables) for _, program, variables in columns]
            print(f"| {text} | " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
