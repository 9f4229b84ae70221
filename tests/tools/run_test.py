# run_test.py -- `cleave run`: what reaches the program, what comes back, and what a second
# run need not do again.
import os
import pty
import signal
import subprocess
import time

import program
import tool


def with_usual_signals():
    """Shells have their background jobs ignore some."""
    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, signal.SIG_DFL)


PASS_ON = 'echo "$@" >> "$log"; exec $compiler "$@"'


class Run(program.Case):
    def test_a_program_prints(self):
        self.program("hello.bend", 'IO.print("hello")')
        self.prints("hello", "hello.bend")

    def test_a_value_is_shown(self):
        self.write("value.bend", b"import Base\n\ndef main() -> Nat:\n  7n\n")
        self.prints("7n", "value.bend")

    def test_arguments_reach_the_program_as_they_are(self):
        self.write("args.bend", b"""import Base

def main() -> IO(Unit):
  do IO<Unit>:
    args : List<String> <- IO.args()
    IO.print(String.join(args, "|"))
""")
        self.prints("", "args.bend")
        self.prints("one|two", "args.bend", "one", "two")
        words = ["-x", "--threads", "[a,b]", "", "--", "\u00e9", "a b", "$HOME", "--check"]
        self.prints("|".join(words), "args.bend", "--", *words)
        self.prints("1|-2", "args.bend", "1", "--threads", "2", "--", "-2")
        self.prints("[a,b]", "args.bend", "[a,b]")

    def test_the_exit_code_is_that_of_the_program(self):
        self.program("die.bend", 'IO.die(Unit, 3, "no more")')
        done = self.run_tool("run", "die.bend")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (3, b"", b"no more\n"))

    def test_a_stop_at_run_time_is_code_1(self):
        self.program("stop.bend", "IO.print(Nat.show(Nat.pow(2n, 48n)))")
        done = self.run_tool("run", "stop.bend")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (1, b"", b"bend: a Nat past the largest immediate 2^48-1\n"))

    def test_a_program_without_main_is_checked(self):
        self.write("library.bend", b"import Base\n\ndef one() -> U32:\n  1\n")
        self.assertEqual(self.succeed("run", "library.bend").stdout, b"")

    def test_a_wrong_program_is_code_1(self):
        self.program("wrong.bend", "IO.print(nothing)")
        done = self.run_tool("run", "wrong.bend")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertTrue(done.stderr.startswith(b"Error:\n"), done.stderr)
        self.assertNotIn(b"\x1b", done.stderr)

    def test_mistakes_on_the_command_line(self):
        self.program("hello.bend", 'IO.print("hello")')
        for arguments, word in (([], "FILE"), (["hello.bend", "--typo"], "--typo"),
                                (["hello.bend", "--threads", "0"], "--threads"),
                                (["hello.bend", "--threads", "many"], "--threads"),
                                (["hello.bend", "--format", "xml"], "--format"), (["--"], "FILE")):
            with self.subTest(arguments=arguments):
                self.fail_with(2, [word], "run", *arguments)

    def test_files_that_are_no_program(self):
        os.mkdir(self.path("folder.bend"))
        self.fail_with(1, ["'missing.bend'"], "run", "missing.bend")
        self.fail_with(1, ["'folder.bend'"], "run", "folder.bend")
        self.fail_with(1, ["''"], "run", "")
        with open(self.path("huge.bend"), "wb") as file:
            file.truncate((16 << 20) + 1)
        self.fail_with(1, ["'huge.bend'", "16 MiB"], "run", "huge.bend")
        for name, data in (("binary.bend", bytes(range(256)) * 50), ("zeros.bend", bytes(1000))):
            self.write(name, data)
            done = self.run_tool("run", name)
            self.assertEqual((done.returncode, done.stdout), (1, b""), name)

    def test_an_unreadable_file(self):
        if os.geteuid() == 0:
            self.skipTest("root reads every file")
        self.program("secret.bend", 'IO.print("secret")')
        os.chmod(self.path("secret.bend"), 0)
        self.fail_with(1, ["'secret.bend'", "denied"], "run", "secret.bend")

    def test_names_that_look_like_something_else(self):
        for name in ("my program.bend", "it's $HOME `x`.bend", "a\nb.bend", "\u00e9\u4e2d.bend",
                     "[a].bend", "[a,b]", "%s;#.bend", "no_ending"):
            with self.subTest(name=name):
                self.program(name, 'IO.print("{}")'.format("x" + str(len(name))))
                self.prints("x" + str(len(name)), name)
        self.program("-x.bend", 'IO.print("dash")')
        self.prints("dash", "--", "-x.bend")

    def test_standard_streams_may_be_closed(self):
        self.program("hello.bend", 'IO.print("hello")')
        for closed in ("0<&-", "2>&-", "0<&- 2>&-"):
            done = subprocess.run(["sh", "-c", f'exec "$@" {closed}', "sh", tool.command, "run",
                                   "hello.bend"], cwd=self.folder, env=self.environment,
                                  stdout=subprocess.PIPE, timeout=tool.patience, check=False)
            self.assertEqual((done.returncode, done.stdout), (0, b"hello\n"), closed)

    def test_options_reach_the_program(self):
        self.program("hello.bend", 'IO.print("hello")')
        self.prints("hello", "hello.bend", "--check", "--threads", "2")
        done = self.run_tool("run", "hello.bend", "--stats")
        self.assertEqual((done.returncode, done.stdout), (0, b"hello\n"))
        self.assertIn(b"allocations", done.stderr)

    def test_records_the_heap(self):
        self.program("hello.bend", 'IO.print("hello")')
        done = self.run_tool("run", "hello.bend", "--trace", "hello.trace")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, b"hello\n", b""))
        with open(self.path("hello.trace"), "rb") as file:
            self.assertEqual(file.read(8), b"CLEAVETR")
        # Places are named as in the program, and not as in the C++ that it became.
        text = self.succeed("trace", "hello.trace").stdout
        self.assertIn(b" run_program\n", text)
        self.assertNotIn(b"cleave::", text)

    def test_json_goes_to_standard_error(self):
        self.program("wrong.bend", "IO.print(nothing)")
        done = self.run_tool("run", "wrong.bend", "--format=json")
        self.assertEqual((done.returncode, done.stdout[:1], done.stderr[:1]), (1, b"", b"{"))


class SecondRun(program.Case):
    def test_needs_no_compiler(self):
        self.program("hello.bend", 'IO.print("second")')
        self.prints("second", "hello.bend")
        self.without_compiler()
        self.prints("second", "hello.bend", "--threads", "2")

    def test_finds_another_program_in_another_folder(self):
        os.mkdir(self.path("other"))
        self.program("same.bend", 'IO.print("here")')
        self.program("other/same.bend", 'IO.print("there")')
        self.prints("here", "same.bend")
        os.chdir(self.folder)
        there = dict(self.environment)
        done = subprocess.run([tool.command, "run", "same.bend"], cwd=self.path("other"), env=there,
                              stdout=subprocess.PIPE, timeout=tool.patience, check=False)
        self.assertEqual(done.stdout, b"there\n")

    def test_sees_a_change(self):
        self.program("change.bend", 'IO.print("before")')
        self.prints("before", "change.bend")
        self.program("change.bend", 'IO.print("after!")')
        self.prints("after!", "change.bend")

    def test_sees_a_change_of_an_import(self):
        os.mkdir(self.path("parts"))
        part = 'import Base\n\ndef word() -> String:\n  "{}"\n'
        self.write("parts/word.bend", part.format("before").encode())
        self.write("main.bend", b"import Base\nimport ./parts/word.bend as W\n\n"
                                b"def main() -> IO(Unit):\n  IO.print(W.word())\n")
        self.prints("before", "main.bend")
        self.write("parts/word.bend", part.format("after!").encode())
        self.prints("after!", "main.bend")
        os.remove(self.path("parts/word.bend"))
        done = self.run_tool("run", "main.bend")
        self.assertEqual((done.returncode, done.stdout), (1, b""))

    def test_compiles_only_what_means_something_else(self):
        self.fake_compiler(PASS_ON)
        self.program("main.bend", 'IO.print("one")')
        self.prints("one", "main.bend")
        self.assertEqual(self.calls(), 1)
        self.program("main.bend", 'IO.print("one")\n# a comment')
        self.prints("one", "main.bend")
        self.program("copy.bend", 'IO.print("one")')
        self.prints("one", "copy.bend")
        self.assertEqual(self.calls(), 1)
        self.program("main.bend", 'IO.print("two")')
        self.prints("two", "main.bend")
        self.assertEqual(self.calls(), 2)

    def test_a_new_compiler_is_another_one(self):
        self.fake_compiler(PASS_ON)
        self.program("main.bend", 'IO.print("compilers")')
        self.prints("compilers", "main.bend")
        self.fake_compiler(PASS_ON + "  # version 2")
        self.prints("compilers", "main.bend")
        self.assertEqual(self.calls(), 1)

    def test_runs_at_the_same_time_compile_once(self):
        self.own_cache()
        self.fake_compiler(PASS_ON)
        self.program("main.bend", 'IO.print("at once")')
        runs = [subprocess.Popen([tool.command, "run", "main.bend"], cwd=self.folder,
                                 env=self.environment, stdout=subprocess.PIPE)
                for _ in range(4)]
        for one in runs:
            output, _ = one.communicate(timeout=tool.patience)
            self.assertEqual((one.returncode, output), (0, b"at once\n"))
        self.assertEqual(self.calls(), 1)
        self.assertEqual(self.files_in_cache("work"), [])


class Compiler(program.Case):
    def setUp(self):
        super().setUp()
        self.program("main.bend", f'IO.print("{self.id()}")')

    def test_none(self):
        self.without_compiler()
        self.fail_with(1, ["no C++ compiler", "install"], "run", "main.bend")

    def test_one_that_is_not_there(self):
        self.environment["CXX"] = "/nowhere/g++ -O0"
        self.fail_with(1, ["'/nowhere/g++ -O0'", "CXX"], "run", "main.bend")

    def test_one_that_fails(self):
        self.own_cache()
        self.fake_compiler('echo "what is this?"; exit 1')
        done = self.fail_with(1, ["internal error", "'main.bend'", "report"], "run", "main.bend")
        log = done.stderr.decode().split("are in '")[1].split("'")[0]
        with open(log, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("what is this?", text)
        self.assertIn("ended with 1", text)
        # The command works as it stands there.
        source = os.path.join(os.path.dirname(log), "program.cpp")
        self.assertIn(source, text)
        self.assertTrue(os.path.exists(source))

    def test_one_that_is_killed(self):
        self.own_cache()
        self.fake_compiler("kill -9 $$")
        self.fail_with(1, ["internal error"], "run", "main.bend")

    def test_one_that_finds_no_onetbb(self):
        self.fake_compiler('echo "/usr/bin/ld: cannot find -ltbb"; exit 1')
        self.fail_with(1, ["libtbb-dev"], "run", "main.bend")

    def test_one_with_options(self):
        self.environment["CXX"] = program.compiler() + " -fno-exceptions"
        self.prints(self.id(), "main.bend")

    def test_one_that_says_a_lot(self):
        self.fake_compiler('head -c 5000000 /dev/zero; exec $compiler "$@"')
        self.prints(self.id(), "main.bend")

    def test_compiled_headers_that_are_damaged(self):
        cache = self.own_cache()
        self.fake_compiler(PASS_ON)
        self.prints(self.id(), "main.bend")
        for folder, _, names in os.walk(os.path.join(cache, "headers")):
            for name in names:
                if name.endswith(".gch"):
                    with open(os.path.join(folder, name), "r+b") as file:
                        file.truncate(1000)
        self.program("other.bend", 'IO.print("other")')
        self.prints("other", "other.bend")

    def test_a_signal_ends_the_compiler_too(self):
        self.own_cache()
        self.fake_compiler('echo started >> "$log"; exec sleep 1000')
        for stop in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            self.write("log", b"")
            with subprocess.Popen([tool.command, "run", "main.bend"], cwd=self.folder,
                                  env=self.environment,
                                  preexec_fn=with_usual_signals) as child:
                self.wait_until(lambda: b"started" in self.read("log"))
                child.send_signal(stop)
                self.assertEqual(child.wait(timeout=tool.patience), -stop)
            self.assertEqual(self.files_in_cache("work"), [])


class Cache(program.Case):
    def setUp(self):
        super().setUp()
        self.cached = self.own_cache()
        self.program("main.bend", f'IO.print("{self.id()}")')

    def only(self, part):
        """The path of the one file there."""
        names = self.files_in_cache(part)
        self.assertEqual(len(names), 1)
        return os.path.join(self.cached, part, names[0])

    def test_a_program_that_was_changed_is_made_again(self):
        self.prints(self.id(), "main.bend")
        with open(self.only("programs"), "rb") as file:
            whole = file.read()
        middle = len(whole) // 2
        for damaged in (b"", whole[:-1], whole[:100], whole[:-41], b"#!/bin/sh\necho no\n",
                        whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:]):
            with open(self.only("programs"), "wb") as file:
                file.write(damaged)
            self.prints(self.id(), "main.bend")

    def test_a_record_that_makes_no_sense_is_not_used(self):
        self.prints(self.id(), "main.bend")
        with open(self.only("sources"), "rb") as file:
            whole = file.read()
        for damaged in (b"", b"\n\n\n\n", whole[:-5], whole[:20], b"\xff" * 1000,
                        whole.replace(b"sources 1", b"sources 2")):
            with open(self.only("sources"), "wb") as file:
                file.write(damaged)
            self.prints(self.id(), "main.bend")

    def test_what_was_not_used_for_long_makes_room(self):
        os.mkdir(os.path.join(self.cached, "programs"))
        for name, age in (("old", 3000), ("older", 4000), ("new", 0)):
            place = os.path.join(self.cached, "programs", name)
            with open(place, "wb") as file:
                file.truncate(200 << 20)
            os.utime(place, (time.time() - age,) * 2)
        self.prints(self.id(), "main.bend")
        names = self.files_in_cache("programs")
        self.assertIn("new", names)
        self.assertNotIn("old", names)
        self.assertNotIn("older", names)
        self.assertEqual(len(names), 2)

    def unwritable(self, place):
        os.mkdir(self.path("temporary"))
        self.environment.update(CLEAVE_CACHE=place, TMPDIR=self.path("temporary"))
        for _ in range(2):
            self.prints(self.id(), "main.bend")
            self.assertEqual(os.listdir(self.path("temporary")), [])

    def test_a_cache_that_cannot_be_made(self):
        self.unwritable("/proc/cleave")

    def test_a_cache_that_is_a_file(self):
        self.write("file", b"")
        self.unwritable(self.path("file"))

    def test_a_cache_that_others_may_write_to(self):
        os.mkdir(self.path("open"))
        os.chmod(self.path("open"), 0o777)
        self.unwritable(self.path("open"))
        self.assertEqual(os.listdir(self.path("open")), [])

    def test_a_cache_that_cannot_be_written(self):
        if os.geteuid() == 0:
            self.skipTest("root writes everywhere")
        self.prints(self.id(), "main.bend")
        os.chmod(self.cached, 0o500)
        self.unwritable(self.cached)
        self.without_compiler()
        self.prints(self.id(), "main.bend")

    def test_the_usual_places(self):
        for name, place in (("XDG_CACHE_HOME", "cleave"), ("HOME", ".cache/cleave")):
            self.environment.pop("CLEAVE_CACHE")
            self.environment.pop("XDG_CACHE_HOME", None)
            os.mkdir(self.path(name))
            self.environment[name] = self.path(name)
            self.prints(self.id(), "main.bend")
            folder = os.path.join(self.path(name), place)
            self.assertEqual(len(os.listdir(os.path.join(folder, "programs"))), 1)
            self.assertEqual(os.stat(folder).st_mode & 0o777, 0o700)
            self.environment["CLEAVE_CACHE"] = ""

    def test_a_program_that_was_stopped_leaves_nothing(self):
        self.write("loop.bend", b"import Base\n\n@unsafe\ndef loop(n: U32) -> U32:\n"
                                b"  loop(U32.inc(n))\n\ndef main() -> U32:\n  loop(0)\n")
        with subprocess.Popen([tool.command, "run", "loop.bend"], cwd=self.folder,
                              env=self.environment,
                              preexec_fn=with_usual_signals) as child:
            self.wait_until(lambda: self.files_in_cache("sources"))
            child.send_signal(signal.SIGTERM)
            self.assertEqual(child.wait(timeout=tool.patience), -signal.SIGTERM)
        self.assertEqual(self.files_in_cache("work"), [])


class Terminal(program.Case):
    def on_terminal(self, *arguments, said=None, then=None, **settings):
        """What the command says on a terminal that is its standard error. When it has said
        these bytes, `then` is called."""
        master, slave = pty.openpty()
        environment = {**self.environment, "TERM": "xterm", **settings}
        with subprocess.Popen([tool.command, *arguments], cwd=self.folder, env=environment,
                              stdout=subprocess.DEVNULL, stderr=slave) as child:
            os.close(slave)
            text = b""
            while True:
                try:
                    part = os.read(master, 4096)
                except OSError:
                    break
                if not part:
                    break
                text += part
                if said is not None and said in text:
                    said = None
                    then()
            child.wait(timeout=tool.patience)
        os.close(master)
        return text

    def test_errors_have_colours(self):
        self.program("wrong.bend", "IO.print(nothing)")
        self.assertIn(b"\x1b[", self.on_terminal("check", "wrong.bend"))
        self.assertNotIn(b"\x1b[", self.on_terminal("check", "wrong.bend", NO_COLOR="1"))
        self.assertIn(b"\x1b[", self.on_terminal("check", "wrong.bend", NO_COLOR=""))
        self.assertNotIn(b"\x1b[", self.on_terminal("check", "wrong.bend", TERM="dumb"))

    def test_a_program_without_main_is_told_of(self):
        self.write("library.bend", b"import Base\n\ndef one() -> U32:\n  1\n")
        self.assertIn(b"'library.bend' has no main", self.on_terminal("run", "library.bend"))

    def test_a_text_may_be_as_long_as_a_file(self):
        self.program("long.bend", 'IO.print(Nat.show(String.length("' + "a" * 1000000 + '")))\n'
                                  '    IO.print(String.drop("' + "é" * 500000 + 'end", 500000n))')
        self.prints("1000000\nend", "long.bend", "--check")

    def test_a_slow_compiler_is_told_of_and_forgotten(self):
        # It waits until that was told, or for 200 seconds.
        self.fake_compiler('case "$*" in *program.cpp*) for i in $(seq 4000); do '
                           'test -e "${log%log}told" && break; sleep 0.05; done ;; esac; '
                           'exec $compiler "$@"')
        self.program("slow.bend", 'IO.print("slow")')
        told = b"compiling 'slow.bend'"
        text = self.on_terminal("run", "slow.bend", said=told, then=lambda: self.write("told", b""))
        self.assertIn(told, text)
        self.assertTrue(text.endswith(b"\r\x1b[K"), text)
        self.assertEqual(self.on_terminal("run", "slow.bend"), b"")


if __name__ == "__main__":
    tool.main()
