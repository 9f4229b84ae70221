"""What was measured, and on what: goes beside the numbers, which mean little without it."""
import datetime
import os
import pathlib
import platform
import re
import subprocess


def first_line(command, folder=None):
    """The first line that a command prints, or None if it cannot be had."""
    try:
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.split("\n")[0].strip()


def text_of(path):
    try:
        return pathlib.Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


def processor():
    found = re.search(r"^model name\s*:\s*(.+)$", text_of("/proc/cpuinfo"), re.M)
    return found.group(1).strip() if found else platform.machine()


def memory_bytes():
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def system():
    name = re.search(r'^PRETTY_NAME="(.+)"$', text_of("/etc/os-release"), re.M)
    return f"{name.group(1) if name else platform.system()}, Linux {platform.release()}"


def compiler_of(build):
    """The C++ compiler that a build folder was made with, as it says itself."""
    found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.+)$", text_of(build / "CMakeCache.txt"), re.M)
    path = found.group(1) if found else "c++"
    return first_line([path, "--version"]) or path


def commit_of(root):
    """The commit of the sources, with a + if they have been changed since."""
    commit = first_line(["git", "rev-parse", "--short=12", "HEAD"], root)
    if not commit:
        return None
    return commit + ("+" if first_line(["git", "status", "--porcelain"], root) else "")


def describe(root, build):
    return {
        "processor": processor(),
        "processors": len(os.sched_getaffinity(0)),
        "memory_bytes": memory_bytes(),
        "system": system(),
        "compiler": compiler_of(build),
        "commit": commit_of(root),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d"),
        # Above zero, something else was running when this began.
        "load": round(os.getloadavg()[0], 2),
    }
