"""The workloads of `cleave bench`, timed, and counted under callgrind."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from measuring import children
from measuring.children import Failed

# How often the work is done when it is counted, and of which workloads: short ones, on one thread.
COUNTED = ((4, ("walk", "map", "to-list")), (100, ("split-once",)), (2000, ("small", "window")))
# A strategy of each peer, by which one sees that it was there.
PEERS = {"copy-mimalloc": "mimalloc", "copy-jemalloc": "jemalloc", "copy-tbb": "oneTBB's allocator",
         "copy-snmalloc": "snmalloc", "bytes": "Rust's bytes", "parlaylib-sort": "ParlayLib",
         "immer": "immer"}


def bench(tool, options, before=()):
    """What `cleave bench` prints as JSON; its progress goes to our standard error."""
    command = [*before, tool, "bench", *options, "--json"]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=sys.stderr, text=True)
    except OSError as error:
        raise Failed(f"{tool}: {error.strerror}") from None
    if done.returncode != 0:
        raise Failed(f"{tool} bench ended with {done.returncode}")
    return json.loads(done.stdout)


def absent(results):
    """The peers that did not take part in a run of all workloads."""
    seen = {r["strategy"] for r in results}
    return [peer for strategy, peer in PEERS.items() if strategy not in seen]


def measure(places, settings, say):
    say("the workloads of cleave bench")
    options = ["--quick"] if settings.quick else ["--all", "--peers"]
    return bench(places.tool, [*settings.names, *options])


def count(places, say):
    """{workload: {strategy: instructions of one repetition}}.

    Empty if there is no bench/programs/count.cpp here, which needs valgrind's headers.
    """
    counter = places.built / "count"
    if not counter.exists():
        return {}
    say("the workloads: counting instructions")
    counts = {}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for part in pool.map(lambda counted: count_some(counter, *counted), COUNTED):
            counts.update(part)
    return counts


def count_some(counter, repeats, names):
    with tempfile.TemporaryDirectory() as folder:
        # jemalloc needs room, see restart_with_room_for_peers() in bench/strategies/memory.hpp.
        # Peers of their sources are compiled for this processor, whose newest instructions valgrind
        # does not know.
        env = children.environment(1, GLIBC_TUNABLES="glibc.rtld.optional_static_tls=16384",
                                   CLEAVE_PEERS=None)
        done = children.ended(
            ["valgrind", "--tool=callgrind", "--collect-atstart=no",
             f"--callgrind-out-file={folder}/counted", counter, str(repeats), *names], env)
        if done.returncode != 0:
            raise Failed(f"{counter} under valgrind: {done.stderr.strip()[-300:]}")
        counts = {}
        # In the order in which they were written: the last one of a name is not a warming up.
        for path in sorted(pathlib.Path(folder).iterdir(), key=number_of):
            text = path.read_text(encoding="utf-8")
            name = re.search(r"^desc: Trigger: Client Request: (\S+) (\S+)$", text, re.M)
            total = re.search(r"^(?:summary|totals): (\d+)", text, re.M)
            if name and total:
                workload, strategy = name.groups()
                counts.setdefault(workload, {})[strategy] = int(total.group(1)) / repeats
    return counts


def number_of(path):
    """Of a file that callgrind wrote: counted.1, counted.2, ..."""
    return int(path.suffix[1:]) if path.suffix[1:].isdigit() else 0
