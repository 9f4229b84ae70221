# program_test.py -- runs one program and compares what it prints with what its comments say.
#
#   program_test.py PATH-OF-CLEAVE FILE.bend "OPTIONS OF CLEAVE RUN"...
#
# The program is run once for each string of options, each time in its own folder and under
# its bare name. The lines of the file that begin with #| are the expected output, standard
# error included, with "exit N" as the last line of a program that ends with another code
# than 0. Blanks at the ends of lines, and empty lines at both ends, do not count. The words
# of a line that begins with #$ are the arguments of the program, those of a line that begins
# with #% are NAME=VALUE, for its environment. A line "#= NAME: N" says that the number which
# `cleave run --stats` gives under this name is N at most. A line "#- SANITIZER: REASON" says
# where the program cannot run; "#- check: REASON" leaves the option --check out.
import difflib
import os
import shlex
import signal
import subprocess
import sys

# Seconds; only for a program that hangs.
PATIENCE = 600
# The exit code that says so to ctest.
SKIPPED = 77


def tidy(text):
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def read(path):
    """The expected output, the arguments and the environment."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        lines = file.read().split("\n")
    expected = "\n".join(line[2:] for line in lines if line.startswith("#|"))
    arguments = [word for line in lines if line.startswith("#$") for word in shlex.split(line[2:])]
    settings = [word for line in lines if line.startswith("#%") for word in shlex.split(line[2:])]
    environment = {**os.environ, **dict(word.split("=", 1) for word in settings)}
    return tidy(expected), arguments, environment


def limits_in(path):
    """The largest numbers that the statistics may give, by their names."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        lines = [line[2:].rpartition(":") for line in file if line.startswith("#=")]
    return {name.strip(): int(most) for name, _, most in lines}


def reason_against(path, names):
    """Why the program cannot run under one of these, if so."""
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        for line in file:
            name, colon, reason = line.removeprefix("#-").partition(":")
            if line.startswith("#-") and colon and name.strip() in names:
                return reason.strip()
    return None


def run(command, folder, environment):
    # A session of its own, so that what hangs is ended with all that it has started.
    with subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          start_new_session=True) as child:
        try:
            output, _ = child.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            output, _ = child.communicate()
            output += b"\n(stopped: it did not end)"
    text = tidy(output.decode("utf-8", errors="surrogateescape"))
    if child.returncode != 0:
        code = child.returncode if child.returncode > 0 else 128 - child.returncode
        text = tidy(f"{text}\nexit {code}")
    return text


def agrees(cleave, file, all_options):
    """Runs the program once for each string of options; prints where it differs."""
    folder, name = os.path.split(file)
    expected, arguments, environment = read(file)
    good = True
    if reason := reason_against(file, ["check"]):
        print(f"SKIP: --check: {reason}")
        all_options = [options.replace("--check", "") for options in all_options]
    for options in all_options:
        command = [cleave, "run", name, *shlex.split(options), "--", *arguments]
        observed = run(command, folder, environment)
        if observed == expected:
            continue
        good = False
        print(f"FAILED in {folder}: {shlex.join(command)}")
        for line in difflib.unified_diff(expected.split("\n"), observed.split("\n"),
                                         "expected", "observed", lineterm=""):
            print(line)
    return good


def stays_within(cleave, file):
    """Runs the program for its statistics, if it limits them; prints what is too large."""
    limits = limits_in(file)
    if not limits:
        return True
    folder, name = os.path.split(file)
    _, arguments, environment = read(file)
    output = run([cleave, "run", name, "--stats", "--", *arguments], folder, environment)
    found = dict(line.rpartition(": ")[::2] for line in output.split("\n"))
    wrong = [f"{name}: {found.get(name)}, and not {most} at most" for name, most in limits.items()
             if name not in found or int(found[name]) > most]
    if wrong:
        print(f"FAILED in {folder}: {name}", *wrong, sep="\n")
    return not wrong


def main():
    if len(sys.argv) < 3:
        sys.exit("usage: program_test.py PATH-OF-CLEAVE FILE.bend [OPTIONS]...")
    sys.stdout.reconfigure(errors="surrogateescape")
    cleave, file = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    if reason := reason_against(file, os.environ.get("CLEAVE_SANITIZE", "").split(",")):
        print(f"SKIP: {reason}")
        return SKIPPED
    good = agrees(cleave, file, sys.argv[3:] or [""])
    return not (stays_within(cleave, file) and good)


if __name__ == "__main__":
    sys.exit(main())
