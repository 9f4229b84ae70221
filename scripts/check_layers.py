#!/usr/bin/env python3
"""Holds every source file to the layers of the project.

The layers and what each NEEDS are read from the cleave_layer(), cleave_own_layer() and
cleave_addon() lines of CMakeLists.txt, so the build and this check cannot disagree. An
error is

  - a layer that needs one that is not declared above it, or a folder of src/
    that is no layer;
  - an include that points up or sideways, or at a file that is not there;
  - a public header that includes a private one, or stands in no layer's PUBLIC
    list, and a listed one that does not exist;
  - tools, benchmarks, examples or C tests that include anything of src/, but for the
    headers in DOORS and what those include;
  - a header of the operating system outside src/os, tests and tools;
  - a file of more than LIMIT lines.

usage: scripts/check_layers.py [ROOT]
"""
import pathlib
import re
import sys

LIMIT = 600
SOURCES = (".hpp", ".cpp", ".h", ".c", ".cu", ".cuh")
FOLDERS = ("include", "src", "tools", "tests", "bench", "examples")
# Folders of src/ that may ask the operating system, and others that may.
SYSTEM_LAYERS = ("os",)
SYSTEM_FOLDERS = ("tools", "tests", "bench")
# Folders that see the library as its users do.
OUTSIDE = ("tools", "bench", "examples")
# Headers of src/ that the tools may include, with what these include.
DOORS = ("lang/front_end.hpp", "replay/play.hpp")
# Where files outside src/ find each other, beside their own folder.
SHARED = ("tests", "bench", "tools/cleave")

SYSTEM_HEADER = re.compile(
    r"(sys|linux|asm|mach|bits)/.*"
    r"|(unistd|pthread|sched|fcntl|dlfcn|poll|semaphore|ucontext|pwd|grp|termios|syscall|spawn"
    r"|windows|malloc|link|elf|execinfo)\.h"
)
INCLUDE = re.compile(r'\s*#\s*include\s*(?:"([^"]+)"|<([^>]+)>)')
CALL = re.compile(r"^\s*cleave_(layer|own_layer|addon)\(\s*(\w+)(.*?)\)", re.M | re.S)
KEYWORDS = re.compile(r"\b(NEEDS|PUBLIC|SOURCES|LAYER|PACKAGE|LINK|MADE)\b")


def read_layers(text, errors):
    """Returns {layer: all that it may include} and {public header: layer}."""
    allowed, owner = {}, {}
    text = re.sub(r"#.*", "", text)
    for kind, name, body in CALL.findall(text):
        words = KEYWORDS.split(body)
        part = {words[i]: words[i + 1].split() for i in range(1, len(words) - 1, 2)}
        if kind != "addon":
            needs = part.get("NEEDS", [])
            for lower in needs:
                if lower not in allowed:
                    errors.append(f"CMakeLists.txt: layer {name} needs {lower}, not declared above it")
            allowed[name] = {name}.union(*[allowed.get(lower, {lower}) for lower in needs])
        layer = part["LAYER"][0] if kind == "addon" else name
        owner.update({header: layer for header in part.get("PUBLIC", [])})
    return allowed, owner


class Check:
    def __init__(self, root):
        self.root = root
        self.errors = []
        cmake = (root / "CMakeLists.txt").read_text()
        self.allowed, self.owner = read_layers(cmake, self.errors)
        self.open = self.behind_doors()

    def behind_doors(self):
        """The headers in DOORS and all of src/ that they include, directly or not."""
        found, left = set(), [door for door in DOORS if (self.root / "src" / door).exists()]
        while left:
            name = left.pop()
            if name in found:
                continue
            found.add(name)
            text = (self.root / "src" / name).read_text()
            quoted = (match[1] for match in map(INCLUDE.match, text.splitlines()) if match)
            left += [part for part in quoted if part and (self.root / "src" / part).exists()]
        return found

    def run(self):
        for header in self.owner:
            if not (self.root / "include" / header).exists():
                self.errors.append(f"CMakeLists.txt: include/{header} does not exist")
        for folder in FOLDERS:
            for file in sorted((self.root / folder).rglob("*")):
                if file.suffix in SOURCES:
                    self.check_file(file)
        return self.errors

    def check_file(self, file):
        here = file.relative_to(self.root)
        lines = file.read_text().splitlines()
        if len(lines) > LIMIT:
            self.errors.append(f"{here}: {len(lines)} lines; the limit is {LIMIT}")
        layer = self.layer_of(here)
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if match:
                problem = self.problem(here, layer, quoted=match[1], name=match[1] or match[2])
                if problem:
                    self.errors.append(f"{here}:{number}: {problem}")

    def layer_of(self, here):
        """The layer of a file, or None if it stands above all of them."""
        if here.parts[0] == "include":
            layer = self.owner.get("/".join(here.parts[1:]))
            if layer is None:
                self.errors.append(f"{here}: is in no layer's PUBLIC list in CMakeLists.txt")
            return layer
        if here.parts[0] == "src":
            if here.parts[1] not in self.allowed:
                self.errors.append(f"{here}: src/{here.parts[1]} is no layer in CMakeLists.txt")
            return here.parts[1]
        return None

    def problem(self, here, layer, quoted, name):
        """What is wrong with this include, or None."""
        if name in self.owner:
            target = self.owner[name]
        elif name.split("/")[0] == "cleave" or name == "cleave.h":
            return f"no public header {name}"
        elif quoted and self.beside(here, name):
            return None
        elif quoted:
            target = name.split("/")[0]
            if target not in self.allowed or not (self.root / "src" / name).exists():
                return f"there is no {name}"
            if here.parts[0] == "include":
                return f"a public header includes private {name}"
            if here.parts[0] == "tools" and name in self.open:
                return None
            if here.parts[0] in OUTSIDE or here.suffix == ".c":
                return f"{here.parts[0]} sees include/ only, not {name}"
        else:
            return self.system_problem(here, name)
        if layer is not None and target not in self.allowed.get(layer, {target}):
            return f"{layer} may not include {target} ({name})"
        return None

    def beside(self, here, name):
        """True for a file outside src/ and include/ that another one there includes."""
        if here.parts[0] in ("src", "include"):
            return False
        places = (here.parent, *SHARED)
        return any((self.root / place / name).exists() for place in places)

    def system_problem(self, here, name):
        if not SYSTEM_HEADER.fullmatch(name) or here.parts[0] in SYSTEM_FOLDERS:
            return None
        if here.parts[0] == "src" and here.parts[1] in SYSTEM_LAYERS:
            return None
        return f"<{name}> is for src/os alone"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    if len(sys.argv) < 2:
        root = root.parent.parent
    check = Check(root)
    errors = check.run()
    print("\n".join(errors) or f"layers ok: {' '.join(check.allowed)}")
    return bool(errors)


if __name__ == "__main__":
    sys.exit(main())
