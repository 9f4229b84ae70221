#!/usr/bin/env python3
"""Makes the pictures of docs/seeing.md: runs the examples with a recording, and draws the heap
of each at its peak.

usage: scripts/seeing_pictures.py BUILD-FOLDER

The folder is one of build/, with the tool and the examples in it. The pictures go to
docs/seeing/.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Name of the picture, the example with its words, and the moment.
PICTURES = (
    ("gather", ["gather"], "peak"),
    ("keys", ["keys"], "peak"),
    ("keys_detached", ["keys", "detached"], "peak"),
)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    build = pathlib.Path(sys.argv[1]).resolve()
    folder = ROOT / "docs/seeing"
    folder.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        for name, words, moment in PICTURES:
            recording = name + ".trace"
            subprocess.run([build / "examples" / words[0], *words[1:]], check=True,
                           cwd=temporary, stdout=subprocess.DEVNULL,
                           env={**os.environ, "CLEAVE_TRACE": recording})
            subprocess.run([build / "bin/cleave", "map", recording, "--at", moment,
                            "--svg", folder / f"{name}.svg"], cwd=temporary, check=True)
            print(f"docs/seeing/{name}.svg")


if __name__ == "__main__":
    main()
