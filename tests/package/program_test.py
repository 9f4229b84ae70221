# program_test.py -- the installed tool compiles and runs a program with the installed tree
# alone, also where that was moved.
#
#   program_test.py PREFIX BINDIR INCLUDEDIR     (the last two relative to PREFIX)
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """import Base

def sum(a: Array<U32>) -> U32:
  match a:
    case ALeaf{x}: x
    case ANode{l, r}:
      p q = sum(l) sum(r)
      (p + q : U32)

def main() -> IO(Unit):
  IO.print(U32.show(sum([3 : U32*16n])))
"""


def main():
    prefix, bindir, includedir = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        tree = os.path.join(folder, "moved tree")
        shutil.copytree(prefix, tree, symlinks=True)
        with open(os.path.join(folder, "sum.bend"), "w", encoding="utf-8") as file:
            file.write(PROGRAM)
        environment = dict(os.environ, CLEAVE_CACHE=os.path.join(folder, "cache"))

        def run(*options):
            return subprocess.run([os.path.join(tree, bindir, "cleave"), "run", "sum.bend", *options],
                                  cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                  timeout=600, check=False)

        for options in ([], ["--threads", "2", "--check"]):
            done = run(*options)
            assert (done.returncode, done.stdout) == (0, "48\n"), done
        # Nothing outside is used: without its headers it cannot work.
        shutil.rmtree(os.path.join(tree, includedir, "cleave"))
        done = run()
        assert done.returncode == 1 and "a part of Cleave is missing" in done.stdout, done


if __name__ == "__main__":
    main()
