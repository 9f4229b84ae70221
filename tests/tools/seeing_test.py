# seeing_test.py -- types the commands of docs/seeing.md, and compares what they print.
#
#   seeing_test.py CLEAVE EXAMPLES-FOLDER docs/seeing.md
#
# A block that begins with ```console holds commands, behind "$ ", and what they print. All run in
# one folder, in their order. Times differ from run to run, and count as equal; the name of a function
# may have its types, if the compiler did not put it into its caller; "..." stands for any lines.
import os
import re
import subprocess
import sys
import tempfile

TIME = re.compile(r"\b\d+(\.\d+)? (ns|us|ms|s)\b")
TYPES = re.compile(r"\(anonymous namespace\)::|\([\w :&*<>,]*\)(?= at )")
FOLDERS = re.compile(r"(?<![\w.])/[\w./-]+/")


def plain(line):
    return FOLDERS.sub("", TYPES.sub("", TIME.sub("TIME", line))).rstrip()


def matches(wanted, printed):
    """Whether the lines are the wanted ones, where "..." is any number of lines."""
    if not wanted:
        return not printed
    if wanted[0] == "...":
        return any(matches(wanted[1:], printed[i:]) for i in range(len(printed) + 1))
    return bool(printed) and wanted[0] == printed[0] and matches(wanted[1:], printed[1:])


def commands_of(document):
    """Pairs of a command and the lines behind it."""
    found = []
    for block in re.findall(r"^```console\n(.*?)^```", document, re.M | re.S):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append((line[2:], []))
            else:
                found[-1][1].append(line)
    return found


def main():
    if len(sys.argv) != 4:
        sys.exit("usage: seeing_test.py CLEAVE EXAMPLES-FOLDER DOCUMENT.md")
    command, examples, document = map(os.path.abspath, sys.argv[1:])
    path = os.pathsep.join([os.path.dirname(command), examples, os.environ["PATH"]])
    with open(document, encoding="utf-8") as file:
        commands = commands_of(file.read())
    failed = len(commands) == 0
    with tempfile.TemporaryDirectory() as folder:
        for words, wanted in commands:
            done = subprocess.run(["bash", "-c", words], cwd=folder, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False,
                                  env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8"})
            right = matches([plain(line) for line in wanted],
                            [plain(line) for line in done.stdout.splitlines()])
            print(f"$ {words}: {'ok' if right else 'printed'}")
            if not right:
                print(done.stdout + "wanted\n" + "\n".join(wanted))
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
