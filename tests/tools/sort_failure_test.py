# sort_failure_test.py -- what `cleave sort` does when it cannot: one clear line,
# exit code 1, and the output as it was.
import os
import resource
import signal
import stat
import subprocess
import time

import tool


class SortFailure(tool.Case):
    def setUp(self):
        super().setUp()
        self.write("in", b"b\na\n")

    def names(self):
        return sorted(os.listdir(self.folder))

    def unchanged_by(self, *words, files=("in",), **options):
        """Sorting over an old file fails, and leaves the old file and nothing else."""
        self.write("out", b"old")
        before = self.names()
        self.fail_with(1, words, "sort", *files, "-o", "out", **options)
        self.assertEqual(self.read("out"), b"old")
        self.assertEqual(self.names(), before)

    def test_a_missing_file(self):
        self.unchanged_by("'no such'", "No such file", files=("in", "no such"))

    def test_a_name_with_a_newline_stays_on_one_line(self):
        self.unchanged_by("'no\\nsuch\\x1b'", files=("no\nsuch\x1b",))

    def test_a_directory(self):
        os.mkdir(self.path("folder"))
        self.unchanged_by("'folder'", "Is a directory", files=("folder",))
        self.fail_with(1, ["'folder'", "Is a directory"], "sort", "in", "-o", "folder")

    def test_a_read_that_fails(self):
        # Address 0 of a process is never mapped.
        self.unchanged_by("cannot read '/proc/self/mem'", files=("/proc/self/mem",))

    def test_a_size_that_is_not_a_multiple(self):
        for kind, size in (("u32", 4), ("u64", 8), ("f64", 8)):
            self.write("whole", bytes(size))
            self.write("odd", bytes(size + 1))
            self.write("out", b"old")
            self.fail_with(1, ["'odd'", f"{size + 1} bytes", f"multiple of {size}"], "sort",
                           "--type", kind, "whole", "odd", "-o", "out")
            # Each file is complete, also if all together would be.
            self.write("rest", bytes(size - 1))
            self.fail_with(1, ["'odd'"], "sort", "--type", kind, "odd", "rest", "-o", "out")
            self.assertEqual(self.read("out"), b"old")
            self.fail_with(1, ["standard input"], "sort", "--type", kind, "-", input=b"1")

    def skip_unless_a_user_without_rights_can_run_it(self):
        os.chmod(self.folder, 0o777)
        try:
            subprocess.run([tool.command, "--version"], user=65534, check=True,
                           stdout=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError):
            self.skipTest("the command cannot be run by a user without rights")

    def test_no_more_threads_may_be_started(self):
        if os.geteuid() != 0:
            self.skipTest("only root can take on a user who has no other processes")
        if tool.sanitized():
            self.skipTest("the check for leaks starts a thread")
        self.skip_unless_a_user_without_rights_can_run_it()
        self.write("big", b"".join(b"%06d\n" % i for i in reversed(range(100000))))
        limit = lambda: resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
        seen = self.stats("sort", "big", "-o", "out", user=65534, preexec_fn=limit)
        self.assertEqual(seen["threads"], 1)
        self.assertTrue(self.read("out") == b"".join(b"%06d\n" % i for i in range(100000)))

    def test_no_permission(self):
        self.write("secret", b"x\n")
        self.write("out", b"old")
        os.chmod(self.path("secret"), 0)
        options = {}
        if os.geteuid() == 0:
            self.skip_unless_a_user_without_rights_can_run_it()
            options["user"] = 65534
        else:
            os.chmod(self.path("out"), 0o444)
        os.chmod(self.folder, 0o555)
        self.addCleanup(os.chmod, self.folder, 0o755)
        self.fail_with(1, ["'secret'", "Permission denied"], "sort", "secret", **options)
        self.fail_with(1, ["'out'", "Permission denied"], "sort", "in", "-o", "out", **options)
        self.fail_with(1, ["'new'", "Permission denied"], "sort", "in", "-o", "new", **options)
        self.assertEqual(self.read("out"), b"old")

    def test_a_place_that_does_not_exist(self):
        self.fail_with(1, ["'no/out'", "No such file"], "sort", "in", "-o", "no/out")

    def test_a_full_device(self):
        self.fail_with(1, ["'/dev/full'", "No space left"], "sort", "in", "-o", "/dev/full")
        with open("/dev/full", "wb") as full:
            self.fail_with(1, ["standard output", "No space left"], "sort", "in", stdout=full)

    def test_a_full_disk(self):
        os.mkdir(self.path("disk"))
        if os.geteuid() != 0 or subprocess.run(
                ["mount", "-t", "tmpfs", "-o", "size=1m", "none", self.path("disk")],
                stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest("a small file system cannot be mounted here")
        self.addCleanup(subprocess.run, ["umount", self.path("disk")], check=True)
        self.write("disk/out", b"old")
        self.write("big", b"".join(b"%06d\n" % i for i in range(400000)))
        self.fail_with(1, ["'disk/out'", "No space left"], "sort", "big", "-o", "disk/out")
        self.assertEqual(self.read("disk/out"), b"old")
        self.assertEqual(os.listdir(self.path("disk")), ["out"])

    def test_a_limit_on_the_size_of_files(self):
        self.write("big", b"".join(b"%06d\n" % i for i in range(400000)))
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))
        self.unchanged_by("'out'", "File too large", files=("big",), preexec_fn=limit)

    def test_not_enough_memory(self):
        self.write("big", b"".join(b"%06d\n" % i for i in range(400000)))
        self.write("out", b"old")
        # The text takes 2.8 MB, its records 6.4 MB, and the merge as much again.
        limits = ["1MB", "4MB"] + (["12MB"] if tool.cores() > 1 else [])
        for limit in limits:
            with self.subTest(limit=limit):
                self.fail_with(1, ["memory", "--memory"], "sort", "big", "-o", "out", "--memory",
                               limit)
        self.assertEqual(self.read("out"), b"old")
        self.assertEqual(self.names(), ["big", "in", "out"])
        self.succeed("sort", "big", "-o", "out", "--memory", "64MB")

    def test_a_file_that_claims_to_be_huge(self):
        with open(self.path("sparse"), "wb") as file:
            try:
                file.truncate(1 << 42)
            except OSError as error:
                self.skipTest(f"no file of 4 TiB can be made here: {error}")
        self.unchanged_by("not enough memory", files=("sparse",))

    def test_a_small_address_space(self):
        if tool.sanitized():
            self.skipTest("sanitizers need more address space")
        lines = [b"%06d\n" % i for i in range(400000)]
        self.random.shuffle(lines)
        self.write("big", b"".join(lines))
        limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (256 << 20, 256 << 20))
        self.succeed("sort", "big", "-o", "out", preexec_fn=limit)
        self.assertTrue(self.read("out") == b"".join(sorted(lines)))
        with open(self.path("bigger"), "wb") as file:
            file.truncate(300 << 20)
        self.unchanged_by("not enough memory", files=("bigger",), preexec_fn=limit)

    def test_a_reader_that_goes_away(self):
        self.write("big", b"".join(b"%06d\n" % i for i in range(400000)))
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            done = self.run_tool("sort", "big", stdout=pipe)
        self.assertEqual((done.returncode, done.stderr), (1, b""))

    def test_closed_standard_streams(self):
        close = lambda number: lambda: os.close(number)
        self.fail_with(1, ["standard output", "Bad file descriptor"], "sort", "in",
                       preexec_fn=close(1))
        self.fail_with(1, ["standard input"], "sort", "-", preexec_fn=close(0))
        done = self.run_tool("sort", "in", "-o", "out", preexec_fn=close(2))
        self.assertEqual(done.returncode, 0)
        self.assertEqual(self.read("out"), b"a\nb\n")

    def catches(self, process, number):
        """Whether the process has a handler for the signal."""
        with open(f"/proc/{process.pid}/status", encoding="utf-8") as file:
            caught = next(line for line in file if line.startswith("SigCgt:"))
        return int(caught.split()[1], 16) >> (number - 1) & 1 == 1

    def test_a_signal_leaves_nothing_behind(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            self.write("out", b"old")
            before = self.names()
            # Under nohup, or behind a shell's &, a signal would be ignored here, and stay so there.
            default = lambda number=number: signal.signal(number, signal.SIG_DFL)
            process = subprocess.Popen([tool.command, "sort", "-", "-o", "out"], cwd=self.folder,
                                       stdin=subprocess.PIPE, preexec_fn=default)
            # The handler is set right after the file beside the output was made; then
            # it waits for its input.
            while not self.catches(process, number):
                self.assertIsNone(process.poll())
                time.sleep(0.01)
            self.assertNotEqual(self.names(), before)
            process.send_signal(number)
            self.assertEqual(process.wait(tool.patience), -number)
            process.stdin.close()
            self.assertEqual(self.names(), before)
            self.assertEqual(self.read("out"), b"old")


class SortOutput(tool.Case):
    def setUp(self):
        super().setUp()
        self.write("in", b"b\na\n")

    def mode(self, name):
        return stat.S_IMODE(os.stat(self.path(name)).st_mode)

    def test_a_new_file_has_the_usual_mode(self):
        self.succeed("sort", "in", "-o", "out", preexec_fn=lambda: os.umask(0o027))
        self.assertEqual(self.mode("out"), 0o640)

    def test_a_replaced_file_keeps_its_mode(self):
        self.write("out", b"old")
        os.chmod(self.path("out"), 0o604)
        self.succeed("sort", "in", "-o", "out")
        self.assertEqual((self.read("out"), self.mode("out")), (b"a\nb\n", 0o604))

    def test_a_link_stays_a_link(self):
        os.mkdir(self.path("far"))
        self.write("far/real", b"old")
        os.symlink("far/real", self.path("link"))
        self.succeed("sort", "in", "-o", "link")
        self.assertTrue(os.path.islink(self.path("link")))
        self.assertEqual(self.read("far/real"), b"a\nb\n")
        self.assertEqual(os.listdir(self.path("far")), ["real"])

    def test_a_pipe_or_device_is_written_as_it_is(self):
        self.succeed("sort", "in", "-o", "/dev/null")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.assertEqual(self.succeed("sort", "in", "-o", "/dev/stdout").stdout, b"a\nb\n")

    def test_sync_writes_the_same(self):
        self.succeed("sort", "in", "-o", "out", "--sync")
        self.assertEqual(self.read("out"), b"a\nb\n")
        self.assertEqual(self.succeed("sort", "in", "--sync").stdout, b"a\nb\n")


if __name__ == "__main__":
    tool.main()
