#!/usr/bin/env python3
"""Fails when the documents, or a comment in the sources, name what is not there.

Read are README.md, CONTRIBUTING.md, CHANGELOG.md, docs/, the other .md files of
the tree, and the comments of every source and script. Each of these must exist:

  - a path that begins with a folder of the project, such as docs/design/heap.md
    (a * stands for anything), and where a link in a document leads, with its
    heading;
  - cleave::name and cleave::name::more: each part is a word of the C++ sources,
    or the whole is a CMake target;
  - cl_name and CL_NAME: a word of include/cleave.h or include/cleave_collector.h;
  - CLEAVE_NAME: a word of the sources or of the build;
  - in code of a document: `make target`, `--preset name`;
  - in docs/guide/library.md: Type.name, a def of src/lang/base/. Each of those is there
    as well, but for helpers: with a third part, or the part `raw`.

usage: scripts/check_docs.py [ROOT]
"""
import os
import pathlib
import re
import sys

FOLDERS = ("bench", "bindings", "cmake", "docs", "examples", "include", "scripts", "src", "tests",
           "tools", r"\.ci")
C_LIKE = (".hpp", ".cpp", ".h", ".c", ".cu", ".cuh")
HASH = (".py", ".cmake", ".sh")

PATH = re.compile(r"(?<![\w./<>~-])((?:%s)/[\w.*/-]*[\w*/])" % "|".join(FOLDERS))
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+)\)|!\[[^\]]*\]\(([^)\s]+)\)")
CXX_NAME = re.compile(r"\bcleave(?:::~?\w+)+")
C_NAME = re.compile(r"\b(?:cl|CL)_\w+")
MACRO = re.compile(r"\bCLEAVE_\w+")
MAKE = re.compile(r"\bmake(?: +-\S+)* +([a-z][\w-]*)")
PRESET = re.compile(r"--preset[ =]([\w-]+)")
BASE_DEF = re.compile(r"^(?:@native )?def ([\w.]+)", re.M)
BASE_NAME = re.compile(r"\b[A-Z]\w*(?:\.[a-z]\w*)+")
COMMENT = {
    "c": re.compile(r"//[^\n]*|/\*.*?\*/", re.S),
    "hash": re.compile(r"^\s*#[^\n]*", re.M),
}


def code_of(text):
    """The code of a document: fenced and indented blocks, and `spans`."""
    fenced = re.findall(r"^```[^\n]*\n(.*?)^```", text, re.M | re.S)
    rest = re.sub(r"^```[^\n]*\n.*?^```", "", text, flags=re.M | re.S)
    indented = re.findall(r"^(?: {4}|\t)[^\n]*", rest, re.M)
    return "\n".join(fenced + indented + re.findall(r"`([^`\n]+)`", rest))


def anchor(heading):
    """The fragment that a heading gets when the document is shown."""
    text = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return text.replace(" ", "-")


def files_of(root):
    """The files of the project: nothing that was built, nothing hidden but .ci."""
    for folder, folders, names in os.walk(root):
        folders[:] = [f for f in folders if (f == ".ci" or f[0] != ".") and f != "__pycache__"
                      and pathlib.Path(folder, f) != root / "build"]
        yield from (pathlib.Path(folder, name) for name in names)


class Check:
    def __init__(self, root):
        self.root = root
        self.errors = []
        self.files = sorted(files_of(root))
        cxx = [f for f in self.files if f.suffix in C_LIKE]
        build = [f for f in self.files
                 if f.suffix in (".cmake", ".in") or f.name in ("CMakeLists.txt", "CMakePresets.json")]
        self.cxx_words = self.words(cxx)
        self.c_words = self.words([f for f in cxx if f.name in ("cleave.h", "cleave_collector.h")])
        self.build_text = "\n".join(f.read_text() for f in build)
        self.all_words = self.cxx_words | self.words(build) | self.words(
            [f for f in self.files if f.name == "Makefile" or ".ci" in f.parts])
        rules = re.findall(r"^([\w -]+):", (root / "Makefile").read_text(), re.M)
        self.targets = {name for names in rules for name in names.split()}
        self.presets = set(re.findall(r'"name": *"([\w-]+)"', self.build_text))

    def words(self, files):
        """Every word of the code; comments are what is checked, so they do not count."""
        found = set()
        for file in files:
            kind = "c" if file.suffix in C_LIKE else "hash"
            found.update(re.findall(r"\w+", COMMENT[kind].sub(" ", file.read_text())))
        return found

    def run(self):
        for file in self.files:
            if file.suffix == ".md":
                text = file.read_text()
                self.check_links(file, text)
                self.check_commands(file, text)
                self.check_names(file, text)
            elif file.suffix in C_LIKE:
                self.check_comments(file, COMMENT["c"])
            elif file.suffix in HASH or file.name in ("CMakeLists.txt", "Makefile"):
                self.check_comments(file, COMMENT["hash"])
        self.check_library()
        return self.errors

    def check_library(self):
        """The page about Base, where T stands for each kind of number."""
        page = self.root / "docs/guide/library.md"
        base = self.root / "src/lang/base"
        defs = {name for file in base.glob("*.bend") for name in BASE_DEF.findall(file.read_text())}
        text = page.read_text() if page.exists() else ""
        listed = set()
        for match in BASE_NAME.finditer(text):
            name = match[0]
            names = [kind + name[1:] for kind in ("U32", "Nat", "F32")] if name[:2] == "T." else [name]
            listed.update(names)
            if not defs.issuperset(names):
                self.report(page, text, match.start(), f"Base has no {name}")
        for name in sorted(defs - listed):
            parts = name.split(".")
            if "raw" not in parts and (len(parts) == 2 or parts[1] == "atomic"):
                self.report(page, text, 0, f"{name} of Base is not listed")

    def report(self, file, text, place, problem):
        line = text.count("\n", 0, place) + 1
        self.errors.append(f"{file.relative_to(self.root)}:{line}: {problem}")

    def check_comments(self, file, pattern):
        text = file.read_text()
        # All that is no comment becomes blank, so that lines keep their numbers.
        kept, last = [], 0
        for match in pattern.finditer(text):
            kept.append(re.sub(r"[^\n]", " ", text[last:match.start()]))
            kept.append(match[0])
            last = match.end()
        self.check_names(file, "".join(kept))

    def check_names(self, file, text):
        for match in PATH.finditer(text):
            if not self.path_exists(match[1]):
                self.report(file, text, match.start(), f"there is no {match[1]}")
        for match in CXX_NAME.finditer(text):
            parts = match[0].replace("~", "").split("::")[1:]
            if match[0] not in self.build_text and not self.cxx_words.issuperset(parts):
                self.report(file, text, match.start(), f"there is no {match[0]}")
        for match in C_NAME.finditer(text):
            if match[0] not in self.c_words:
                self.report(file, text, match.start(), f"include/cleave.h has no {match[0]}")
        for match in MACRO.finditer(text):
            if match[0] not in self.all_words:
                self.report(file, text, match.start(), f"nothing reads {match[0]}")

    def path_exists(self, path):
        return any(self.root.glob(path.rstrip("/"))) if "*" in path else (self.root / path).exists()

    def check_links(self, file, text):
        for match in LINK.finditer(text):
            target, _, fragment = (match[1] or match[2]).partition("#")
            if re.match(r"\w+:", target):
                continue
            place = (file.parent / target).resolve() if target else file
            if not place.exists():
                self.report(file, text, match.start(), f"the link to {target} leads nowhere")
            elif fragment and place.suffix == ".md":
                headings = re.findall(r"^#+ +(.*)$", place.read_text(), re.M)
                if fragment not in map(anchor, headings):
                    self.report(file, text, match.start(), f"{target} has no heading #{fragment}")

    def check_commands(self, file, text):
        code = code_of(text)
        for name in dict.fromkeys(MAKE.findall(code)):
            if name not in self.targets:
                self.report(file, text, text.find(f"make {name}"), f"Makefile has no target {name}")
        for name in dict.fromkeys(PRESET.findall(code)):
            if name not in self.presets:
                self.report(file, text, text.find(name), f"there is no preset {name}")


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    if len(sys.argv) < 2:
        root = root.parent.parent
    check = Check(root)
    errors = check.run()
    print("\n".join(errors) or f"documents ok: {len(check.files)} files read")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
