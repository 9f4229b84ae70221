# doctor_test.py -- `cleave doctor` on this machine, on machines made of files, and
# where nothing can be read.
import json
import os
import resource

import tool

warned = ("warn", True)
fine = ("ok", False)


class Doctor(tool.Case):
    def rows(self, *arguments, **options):
        listed = json.loads(self.succeed("doctor", "--json", *arguments, **options).stdout)
        for row in listed:
            self.assertEqual(list(row), ["name", "value", "state", "advice"])
            self.assertIn(row["state"], ("ok", "warn", "unknown"))
            self.assertEqual(row["value"] is None, row["state"] == "unknown")
            self.assertEqual(row["advice"] is None, row["state"] != "warn")
        return {row["name"]: row for row in listed}

    def machine(self, files):
        """A directory that stands in for / with these files."""
        for path, data in files.items():
            os.makedirs(os.path.dirname(self.path("root/" + path)), exist_ok=True)
            self.write("root/" + path, data if isinstance(data, bytes) else data.encode())
        return self.rows("--root", self.path("root"))

    def check(self, files, name, value, expected):
        row = self.machine(files)[name]
        self.assertEqual((row["value"], (row["state"], row["advice"] is not None)),
                         (value, expected))

    def test_this_machine(self):
        rows = self.rows()
        self.assertEqual(rows["kernel"]["value"].split()[:2],
                         [os.uname().sysname, os.uname().release])
        self.assertEqual(rows["cores"]["value"].split()[0], str(len(os.sched_getaffinity(0))))
        page = resource.getpagesize() // 1024
        self.assertEqual(rows["page size"]["value"], f"{page} KiB")
        self.assertEqual(len(rows), 16)

    def test_the_table_has_the_same_rows(self):
        text = self.succeed("doctor").stdout.decode()
        for name in self.rows():
            self.assertRegex(text, rf"(?m)^{name}  .*  (ok|warn|unknown)$")

    def test_nothing_can_be_read(self):
        rows = self.rows("--root", self.path("nowhere"))
        for name in ("memory", "memory available", "control group memory", "overcommit",
                     "commit limit", "mappings", "huge pages", "huge page defrag"):
            self.assertEqual(rows[name]["state"], "unknown", name)

    def test_files_that_make_no_sense(self):
        for junk in (b"", b"\n", b"\xff\xfe\0", b"[", b"]", b"][", b"99999999999999999999999999",
                     b"-1", b"[\xff]", b"MemTotal:\nMemAvailable: x kB\n:::::\n0::", b"x" * 100000):
            with self.subTest(junk=junk[:20]):
                self.machine({path: junk for path in (
                    "proc/meminfo", "proc/self/cgroup", "proc/sys/vm/overcommit_memory",
                    "proc/sys/vm/overcommit_ratio", "proc/sys/vm/max_map_count",
                    "sys/kernel/mm/transparent_hugepage/enabled",
                    "sys/kernel/mm/transparent_hugepage/defrag", "sys/fs/cgroup/memory.max")})

    def test_directories_in_place_of_files(self):
        os.makedirs(self.path("root/proc/meminfo"))
        os.makedirs(self.path("root/proc/sys/vm/max_map_count"))
        rows = self.rows("--root", self.path("root"))
        self.assertEqual(rows["memory"]["state"], "unknown")
        self.assertEqual(rows["mappings"]["state"], "unknown")

    def test_overcommit(self):
        file = "proc/sys/vm/overcommit_memory"
        self.check({file: "0\n"}, "overcommit", "0, a guess", fine)
        self.check({file: "1\n"}, "overcommit", "1, always", fine)
        self.check({file: "2\n", "proc/sys/vm/overcommit_ratio": "50\n"}, "overcommit",
                   "2, strict, ratio 50 %", warned)

    def test_a_commit_limit_binds_in_strict_mode_only(self):
        memory = "MemTotal: 8388608 kB\nCommitLimit:  4194304 kB\nCommitted_AS: 4193792 kB\n"
        for mode, expected in (("0\n", fine), ("2\n", warned)):
            self.check({"proc/meminfo": memory, "proc/sys/vm/overcommit_memory": mode},
                       "commit limit", "4.0 GiB, 512 KiB left", expected)
        # More promised than the limit leaves nothing, not a huge number.
        self.check({"proc/meminfo": "CommitLimit: 1024 kB\nCommitted_AS: 2048 kB\n"},
                   "commit limit", "1.0 MiB, 0 KiB left", warned)

    def test_memory(self):
        memory = "MemTotal:  2097152 kB\nMemFree: 1 kB\nMemAvailable: 102400 kB\n"
        self.check({"proc/meminfo": memory}, "memory", "2.0 GiB", fine)
        self.check({"proc/meminfo": memory}, "memory available", "100.0 MiB", warned)

    def test_mappings(self):
        file = "proc/sys/vm/max_map_count"
        self.check({file: "65530\n"}, "mappings", "at most 65530", fine)
        self.check({file: "100\n"}, "mappings", "at most 100", warned)

    def test_huge_pages(self):
        folder = "sys/kernel/mm/transparent_hugepage/"
        self.check({folder + "enabled": "always [madvise] never\n"}, "huge pages", "madvise", fine)
        self.check({folder + "enabled": "always madvise [never]\n"}, "huge pages", "never", warned)
        self.check({folder + "defrag": "always defer [never]\n"}, "huge page defrag", "never",
                   warned)

    def test_the_least_limit_of_a_control_group_and_those_around_it(self):
        memory = {"proc/meminfo": "MemTotal: 8388608 kB\n", "proc/self/cgroup": "0::/a/b\n"}
        name = "control group memory"
        self.check(memory, name, "unlimited", fine)
        self.check({**memory, "sys/fs/cgroup/a/b/memory.max": "max\n"}, name, "unlimited", fine)
        self.check({**memory, "sys/fs/cgroup/a/memory.max": "1073741824\n"}, name, "1.0 GiB",
                   warned)
        self.check({**memory, "sys/fs/cgroup/a/b/memory.max": "536870912\n"}, name, "512.0 MiB",
                   warned)

    def test_control_groups_of_the_first_version(self):
        memory = {"proc/meminfo": "MemTotal: 8388608 kB\n",
                  "proc/self/cgroup": "12:cpu,cpuacct:/x\n7:memory:/box\n0::/\n"}
        name = "control group memory"
        self.check({**memory, "sys/fs/cgroup/memory/box/memory.limit_in_bytes":
                    "9223372036854771712\n"}, name, "unlimited", fine)
        self.check({**memory, "sys/fs/cgroup/memory/box/memory.limit_in_bytes": "268435456\n"},
                   name, "256.0 MiB", warned)

    def test_limits_of_this_process(self):
        if tool.sanitized():
            self.skipTest("sanitizers need more address space")
        small = 256 << 20
        rows = self.rows(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (small, small)))
        self.assertEqual((rows["address space limit"]["value"],
                          rows["address space limit"]["state"]), ("256.0 MiB", "warn"))
        self.assertEqual(rows["heap reservation"]["state"], "warn")


if __name__ == "__main__":
    tool.main()
