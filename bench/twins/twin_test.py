# twin_test.py -- runs a twin, on one thread and on two, and compares what it prints with the
# lines behind #| in its program.
#
#   twin_test.py PATH-OF-TWIN FILE.bend
import os
import subprocess
import sys


def main():
    twin, program = sys.argv[1:]
    with open(program, encoding="utf-8") as file:
        lines = file.read().split("\n")
    expected = [line[2:].rstrip() for line in lines if line.startswith("#|")]
    failed = False
    for threads in "1", "2":
        done = subprocess.run([twin], env={**os.environ, "CLEAVE_THREADS": threads},
                              stdout=subprocess.PIPE, text=True, check=True)
        observed = [line.rstrip() for line in done.stdout.split("\n")]
        if observed != expected + [""]:
            failed = True
            print(f"FAILED with {threads} threads: expected {expected}, observed {observed}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
