# guide_test.py -- runs each program of a document: the blocks that begin with ```bend.
#
#   guide_test.py PATH-OF-CLEAVE DOCUMENT.md
#
# A block is written to a file of its own and run as program_test.py does it. A block whose
# first line is "# NAME.bend" gets that name, so that later ones may import it; the others are
# called step.bend.
import os
import re
import sys
import tempfile

import program_test


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: guide_test.py PATH-OF-CLEAVE DOCUMENT.md")
    cleave = os.path.abspath(sys.argv[1])
    with open(sys.argv[2], encoding="utf-8") as file:
        blocks = re.findall(r"^```bend\n(.*?)^```", file.read(), re.M | re.S)
    if not blocks:
        sys.exit(f"{sys.argv[2]} has no program")
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for block in blocks:
            named = re.match(r"# (\S+\.bend)\n", block)
            path = os.path.join(folder, named[1] if named else "step.bend")
            with open(path, "w", encoding="utf-8") as file:
                file.write(block)
            if not program_test.agrees(cleave, path, ["--check", "--check --threads 2"]):
                failed = True
                print(block)
    return failed


if __name__ == "__main__":
    sys.exit(main())
