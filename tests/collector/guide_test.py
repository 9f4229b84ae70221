# guide_test.py -- compiles and runs each program of docs/collector.md.
#
#   guide_test.py COMPILER "FLAGS" LIBRARY INCLUDE DOCUMENT.md
#
# A program is a block that begins with ```cpp. What it prints has to be what its lines
# `// prints TEXT` say. All of them are compiled at the same time, two by two.
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile

STEPS = 10


def run(number, block, compiler, flags, library, include, folder):
    """Returns what is wrong with this program, or an empty text."""
    source = os.path.join(folder, f"step{number}.cpp")
    program = os.path.join(folder, f"step{number}")
    with open(source, "w", encoding="utf-8") as file:
        file.write(block)
    command = [compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-I", include, source,
               library, "-pthread", "-o", program, *flags.split()]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode != 0:
        return made.stderr
    ran = subprocess.run([program], capture_output=True, text=True)
    wanted = "".join(f"{line}\n" for line in re.findall(r"^// prints (.*)$", block, re.M))
    if ran.returncode != 0 or ran.stdout != wanted:
        return f"ended with {ran.returncode}\nprinted:\n{ran.stdout}{ran.stderr}wanted:\n{wanted}"
    return ""


def main():
    if len(sys.argv) != 6:
        sys.exit("usage: guide_test.py COMPILER FLAGS LIBRARY INCLUDE DOCUMENT.md")
    compiler, flags, library, include, document = sys.argv[1:]
    with open(document, encoding="utf-8") as file:
        blocks = re.findall(r"^```cpp\n(.*?)^```", file.read(), re.M | re.S)
    if len(blocks) != STEPS:
        sys.exit(f"{document} has {len(blocks)} programs, not {STEPS}")
    failed = False
    with tempfile.TemporaryDirectory() as folder, \
         concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        tasks = [pool.submit(run, number, block, compiler, flags, library, include, folder)
                 for number, block in enumerate(blocks, 1)]
        for number, task in enumerate(tasks, 1):
            wrong = task.result()
            print(f"step {number}: {wrong or 'ok'}")
            failed = failed or bool(wrong)
    return failed


if __name__ == "__main__":
    sys.exit(main())
