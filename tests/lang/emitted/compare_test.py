# compare_test.py -- runs a program, which must leave nothing and print what a file has.
#
#   compare_test.py PROGRAM EXPECTED
#
# Once on one thread and once on two. Standard error counts, and so does an exit code that
# is not 0: it is the last line, "exit N".
import os
import subprocess
import sys

program, expected = sys.argv[1:]
with open(expected, encoding="utf-8") as file:
    wanted = file.read()
for threads in ("1", "2"):
    environment = {**os.environ, "CLEAVE_CHECK": "1", "CLEAVE_THREADS": threads}
    done = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment, timeout=300, check=False)
    printed = done.stdout.decode("utf-8", "replace")
    if done.returncode != 0:
        printed += f"exit {done.returncode}\n"
    if printed != wanted:
        sys.exit(f"{threads} threads: printed\n{printed}and not\n{wanted}")
