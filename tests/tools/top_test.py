# top_test.py -- `cleave top` on processes that show themselves, that do not, that end meanwhile,
# and on files that nobody should trust; its keys, in a terminal of the test's own.
import fcntl
import json
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import tool

program = None


def file_of(process):
    return f"/dev/shm/cleave-top.{process}"


class Child:
    """A process that shows itself, and obeys."""

    def __init__(self, case, shows=True):
        environment = {**os.environ, "CLEAVE_TOP": "1" if shows else "0"}
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        env=environment, text=True)
        self.pid = str(self.process.pid)
        case.addCleanup(self.end)
        assert self.process.stdout.readline() == "ready\n"

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def ask(self, line):
        self.tell(line)
        return self.process.stdout.readline().strip()

    def end(self):
        if self.process.returncode is None:
            self.process.kill()
            self.process.communicate()


class Screen:
    """The tool in a terminal; what it wrote, and keys for it."""

    def __init__(self, case, *arguments, columns=100, rows=40, **environment):
        self.case = case
        self.pid, self.terminal = pty.fork()
        if self.pid == 0:
            os.execve(tool.command, [tool.command, *arguments],
                      {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8", **environment})
        self.resize(columns, rows)
        self.text = ""
        case.addCleanup(self.kill)

    def resize(self, columns, rows):
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def press(self, keys):
        os.write(self.terminal, keys.encode())

    def read(self):
        """False at the end."""
        if not select.select([self.terminal], [], [], tool.patience)[0]:
            self.case.fail("nothing comes any more:\n" + self.text)
        try:
            got = os.read(self.terminal, 65536)
        except OSError:
            got = b""
        self.text += got.decode(errors="replace")
        return got != b""

    def wait_for(self, word):
        """Reads until the word comes, and forgets what came before."""
        end = time.monotonic() + tool.patience
        while word not in self.text:
            if time.monotonic() > end or not self.read():
                self.case.fail(f"no {word!r} in:\n{self.text}")
        at = self.text.index(word) + len(word)
        before, self.text = self.text[:at], self.text[at:]
        return before

    def rest(self):
        """All until the end, and the exit code."""
        while self.read():
            pass
        _, status = os.waitpid(self.pid, 0)
        self.pid = 0
        return self.text, os.waitstatus_to_exitcode(status)

    def kill(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.terminal)


class Top(tool.Case):
    def once(self, process, *arguments):
        return json.loads(self.succeed("top", process, "--once", "--json", *arguments).stdout)

    def until(self, happened):
        end = time.monotonic() + tool.patience
        while not happened():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)

    def shown(self, child):
        """Waits until the process shows what it has now: the second look from here."""
        self.until(lambda: self.run_tool("top", child.pid, "--once").returncode == 0)
        return self.once(child.pid)

    def test_exact_numbers_of_a_process(self):
        child = Child(self)
        child.ask("allocate 100000 3")
        child.ask("allocate 112 50")
        seen = self.shown(child)
        self.assertEqual(seen["process"], int(child.pid))
        self.assertEqual(seen["program"], os.path.basename(program)[:15])
        heap = seen["heap"]
        self.assertEqual(heap["live_bytes"], 300000 + 50 * 112)
        self.assertEqual((heap["allocations"], heap["frees"]), (53, 0))
        self.assertEqual(heap["held_limit_bytes"], 128 << 20)
        self.assertEqual(heap["reserved_bytes"], 256 << 20)
        row = next(row for row in heap["classes"] if row["slot_bytes"] == 112)
        self.assertEqual(row["slots_used"], 50)
        child.ask("free")
        heap = self.shown(child)["heap"]
        self.assertEqual((heap["live_bytes"], heap["frees"]), (0, 53))

    def test_a_picture_for_scripts(self):
        child = Child(self)
        child.ask("allocate 1048576 8")
        self.shown(child)
        for arguments in ([child.pid], [child.pid, "--once"]):
            text = self.succeed("top", *arguments, env={**os.environ, "LC_ALL": "C"}).stdout
            self.assertTrue(text.isascii())
            self.assertNotIn(b"\033", text)
            self.assertRegex(text.decode(), r"(?m)^live +8\.0 MiB  #+")
            self.assertRegex(text.decode(), r"(?m)^peak .* limit 128\.0 MiB$")

    def test_the_list(self):
        children = [Child(self), Child(self)]
        children[1].ask("allocate 5000 1")
        for child in children:
            self.shown(child)
        rows = {row["process"]: row for row in json.loads(self.succeed("top", "--json").stdout)}
        self.assertEqual(rows[int(children[1].pid)]["heap"]["live_bytes"], 5000)
        self.assertIn(int(children[0].pid), rows)
        text = self.succeed("top").stdout.decode()
        self.assertRegex(text, rf"(?m)^ *{children[1].pid}  .* 4\.9 KiB ")

    def test_a_process_that_does_not_show_itself(self):
        child = Child(self, shows=False)
        for arguments in ([], ["--once"], ["--json"], ["--once", "--json"]):
            self.fail_with(1, [f"process {child.pid}", "CLEAVE_TOP=1"], "top", child.pid, *arguments)

    def test_a_process_that_is_not_there(self):
        child = Child(self)
        child.end()
        self.fail_with(1, [f"there is no process {child.pid}"], "top", child.pid)

    def test_command_lines_that_make_no_sense(self):
        for arguments in (["x"], ["0"], ["-1"], ["99999999999999999999"], ["1", "2"],
                          ["1", "--interval", "0"], ["1", "--interval", "x"], ["--typo"]):
            with self.subTest(arguments=arguments):
                self.fail_with(2, ["cleave top --help"], "top", *arguments)
        self.fail_with(2, ["PID", "1 to 2147483647"], "top", "abc")

    def test_a_killed_process_leaves_nothing_for_long(self):
        child = Child(self)
        self.shown(child)
        child.end()
        self.assertTrue(os.path.exists(file_of(child.pid)))
        self.fail_with(1, ["there is no process"], "top", child.pid)
        self.assertNotIn(child.pid, self.succeed("top").stdout.decode())
        self.assertFalse(os.path.exists(file_of(child.pid)))

    def test_a_process_that_becomes_another_program(self):
        child = Child(self)
        self.shown(child)
        child.tell("exec")
        self.until(lambda: self.run_tool("top", child.pid, "--once").returncode == 1)
        self.fail_with(1, ["does not show its heap"], "top", child.pid)
        self.assertNotIn(child.pid, self.succeed("top").stdout.decode())

    def test_a_child_of_fork_is_not_its_parent(self):
        child = Child(self)
        self.shown(child)
        second = child.ask("fork")
        self.addCleanup(os.kill, int(second), signal.SIGKILL)
        self.fail_with(1, ["does not show its heap"], "top", second)
        self.shown(child)

    def test_files_that_nobody_should_trust(self):
        other = Child(self, shows=False)
        good = Child(self)
        self.shown(good)
        with open(file_of(good.pid), "rb") as file:
            whole = file.read()
        path = file_of(other.pid)
        self.addCleanup(lambda: os.path.lexists(path) and os.unlink(path))
        for data in (b"", b"cleavtop", whole[:-1], whole, bytes(len(whole)), b"\xff" * len(whole)):
            with open(path, "wb") as file:
                file.write(data)
            self.fail_with(1, ["does not show its heap"], "top", other.pid)
            # Locked, but not by the process that it names.
            with open(path, "r+b") as file:
                fcntl.lockf(file, fcntl.LOCK_EX)
                self.fail_with(1, ["does not show its heap"], "top", other.pid)
                self.assertNotIn(other.pid, self.succeed("top").stdout.decode())
        os.unlink(path)
        os.symlink(file_of(good.pid), path)
        self.fail_with(1, ["does not show its heap"], "top", other.pid)
        os.unlink(path)
        os.mkfifo(path)
        self.fail_with(1, ["does not show its heap"], "top", other.pid)
        self.succeed("top")

    def test_contents_that_no_heap_wrote(self):
        # A process that locks its own file, so that only the contents are wrong.
        code = ("import fcntl, os, sys\n"
                "file = open(f'/dev/shm/cleave-top.{os.getpid()}', 'w+b')\n"
                "fcntl.lockf(file, fcntl.LOCK_EX)\n"
                "for line in sys.stdin:\n"
                "    file.seek(0); file.truncate(); file.write(bytes.fromhex(line)); file.flush()\n"
                "    print('done', flush=True)\n")
        good = Child(self)
        self.shown(good)
        with open(file_of(good.pid), "rb") as file:
            whole = file.read()
        liar = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE,
                                stdout=subprocess.PIPE, text=True)
        self.addCleanup(lambda: (liar.kill(), liar.communicate()))
        path = file_of(liar.pid)
        self.addCleanup(lambda: os.path.exists(path) and os.unlink(path))
        cases = {b"": "does not hold", whole: "does not hold", whole[:100]: "does not hold",
                 bytes(len(whole)): "does not hold", os.urandom(len(whole)): "does not hold",
                 whole + bytes(8): "does not hold",
                 whole[:8] + struct.pack("<Q", 2) + whole[16:]: "another version"}
        for data, words in cases.items():
            liar.stdin.write(data.hex() + "\n")
            liar.stdin.flush()
            self.assertEqual(liar.stdout.readline(), "done\n")
            self.fail_with(1, [words], "top", str(liar.pid))
            self.succeed("top")

    def test_keys(self):
        child = Child(self)
        child.ask("allocate 112 10")
        child.ask("allocate 1024 100")
        self.shown(child)
        screen = Screen(self, "top", child.pid, "--interval", "0.2")
        screen.wait_for("\033[?1049h")
        screen.wait_for("every 0.2 s")
        screen.wait_for("slot*")
        screen.press("s")
        screen.wait_for("bytes*")
        screen.press("s")
        screen.wait_for("spare*")
        screen.press("-")
        screen.wait_for("every 0.4 s")
        screen.press("+")
        screen.wait_for("every 0.2 s")
        screen.press("p")
        screen.wait_for("paused")
        child.ask("allocate 65536 1024")
        screen.press("\033[A")
        screen.press("h")
        screen.wait_for("held   memory")
        screen.press("h")
        # The picture is still the old one, until it goes on.
        self.assertNotIn("64.1 MiB", screen.wait_for("slot"))
        screen.press("p")
        screen.wait_for("64.1 MiB")
        screen.wait_for("█")
        screen.press("q")
        text, code = screen.rest()
        self.assertEqual(code, 0)
        self.assertTrue(text.endswith("\033[?25h\033[?1049l"), repr(text[-80:]))

    def test_another_size(self):
        child = Child(self)
        self.shown(child)
        screen = Screen(self, "top", child.pid, "--interval", "60", columns=60)
        screen.wait_for("h help")
        screen.resize(33, 12)
        os.kill(screen.pid, signal.SIGWINCH)
        # Twelve lines from the top, of at most 33 columns.
        screen.wait_for("\033[H")
        last = screen.wait_for("\033[J")
        while "h help" in last:
            last = screen.wait_for("\033[J")
        self.assertEqual(last.count("\r\n"), 11)
        screen.press("q")
        self.assertEqual(screen.rest()[1], 0)

    def test_no_colours_when_they_are_not_wanted(self):
        child = Child(self)
        self.shown(child)
        for environment, coloured in (({}, True), ({"NO_COLOR": "1"}, False)):
            screen = Screen(self, "top", child.pid, "--interval", "60", **environment)
            text = screen.wait_for("h help")
            self.assertEqual("\033[1m" in text, coloured, repr(text))
            screen.press("q")
            self.assertEqual(screen.rest()[1], 0)

    def test_a_terminal_that_knows_no_sequences_gets_one_picture(self):
        child = Child(self)
        self.shown(child)
        text, code = Screen(self, "top", child.pid, TERM="dumb").rest()
        self.assertEqual(code, 0)
        self.assertIn(f"cleave top  {child.pid}", text)
        self.assertNotIn("\033", text)

    def test_a_process_that_ends_while_it_is_watched(self):
        child = Child(self)
        self.shown(child)
        screen = Screen(self, "top", child.pid, "--interval", "0.1")
        screen.wait_for("h help")
        child.tell("exit")
        child.process.wait()
        text, code = screen.rest()
        self.assertEqual(code, 0)
        self.assertIn("\033[?1049l", text)
        self.assertTrue(text.endswith(f"process {child.pid} has ended\r\n"), repr(text[-200:]))

    def test_signals_give_the_terminal_back(self):
        child = Child(self)
        self.shown(child)
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            screen = Screen(self, "top", child.pid)
            screen.wait_for("h help")
            os.kill(screen.pid, number)
            text, code = screen.rest()
            self.assertEqual(code, 0)
            self.assertTrue(text.endswith("\033[?25h\033[?1049l"), repr(text[-80:]))

    def test_a_line_of_json_for_each_look(self):
        child = Child(self)
        child.ask("allocate 4096 1")
        self.shown(child)
        process = subprocess.Popen([tool.command, "top", child.pid, "--json", "-i", "0.1"],
                                   stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        for _ in range(3):
            self.assertEqual(json.loads(process.stdout.readline())["heap"]["live_bytes"], 4096)
        child.end()
        self.assertEqual(process.wait(), 0)


if __name__ == "__main__":
    program = os.path.abspath(sys.argv.pop(2))
    tool.main()
