# device_test.py -- `--device`: what it warns of, what it needs, and what it copies.
import json
import os
import shutil
import subprocess

import program
import tool

SUM = b"""import Base

def sum(a: Array<U32>) -> U32:
  match a:
    case ALeaf{x}: x
    case ANode{l, r}: (sum(l) + sum(r) : U32)

def double(a: Array<U32>) -> Array<U32>:
  match a:
    case ALeaf{x}: ALeaf{(x * 2 : U32)}
    case ANode{l, r}:
      l r = double(l) double(r)
      ANode{l, r}

def rounds(n: Nat, a: Array<U32>) -> U32:
  match n:
    case 0n: sum!(a)
    case 1n+p: rounds(p, double!(a))

def main() -> U32:
  rounds(5n, [1 : U32*4096n])
"""

TEXT = b"""import Base

def text(n: Nat) -> String: Nat.show(n)

def main() -> IO(Unit):
  IO.print(text!(7n))
"""


def nvcc():
    folder = os.environ.get("CUDA_PATH", "/usr/local/cuda")
    return shutil.which("nvcc") or shutil.which(folder + "/bin/nvcc")


class Device(program.Case):
    def test_all_kinds_are_named(self):
        text = self.succeed("run", "--help").stdout.decode()
        self.assertIn("--device", text)
        self.fail_with(2, ["--device"], "run", "--device", "tpu", "sum.bend")

    def test_the_host_device_computes_the_same(self):
        self.write("sum.bend", SUM)
        self.prints("131072", "sum.bend")
        self.prints("131072", "sum.bend", "--device", "off")
        self.prints("131072", "sum.bend", "--device", "host")

    def test_an_array_is_moved_once(self):
        self.write("sum.bend", SUM)
        done = self.run_tool("run", "--device", "host", "--stats", "sum.bend")
        self.assertIn(b"bytes copied by cuts and joins: 16384\n", done.stderr)
        self.assertIn(b"bytes live at the end: 0\n", done.stderr)

    def test_a_build_runs_without_the_tool(self):
        self.write("sum.bend", SUM)
        self.succeed("build", "sum.bend", "--device", "host", "-o", "sum")
        self.assertEqual(subprocess.check_output([self.path("sum")]), b"131072\n")

    def test_what_no_device_runs_is_said_each_time(self):
        self.write("text.bend", TEXT)
        for _ in range(2):
            done = self.run_tool("run", "--device", "host", "text.bend")
            self.assertEqual((done.returncode, done.stdout), (0, b"7\n"))
            self.assertTrue(done.stderr.startswith(b"Warning:\n"), done.stderr)
            self.assertIn(b"this call runs on the host: text has a String", done.stderr)
            self.assertIn(b"Location: text.bend:6:12\n", done.stderr)
        self.assertEqual(self.succeed("run", "text.bend").stderr, b"")

    def test_a_warning_is_json_too(self):
        self.write("text.bend", TEXT)
        done = self.succeed("check", "--device", "host", "--format", "json", "text.bend")
        found = json.loads(done.stdout)
        self.assertEqual((found["count"], found["diagnostics"]), (0, []))
        only, = found["warnings"]
        self.assertEqual((only["file"], only["line"], only["column"], only["message"]),
                         ("text.bend", 6, 12, "this call runs on the host: text has a String"))

    def test_a_warning_is_no_error(self):
        self.write("text.bend", TEXT)
        done = self.run_tool("check", "--device", "host", "text.bend")
        self.assertEqual((done.returncode, done.stdout), (0, b""))

    # The program is anywhere, and the plugin stands beside libcleave.
    def test_a_program_for_cuda_finds_the_plugin(self):
        plugin = os.path.dirname(tool.command) + "/../lib/libcleave_cuda.so"
        if nvcc() is None or not os.path.exists(plugin):
            self.skipTest("there is no nvcc, or a build without the plugin")
        self.write("sum.bend", SUM)
        self.succeed("build", "sum.bend", "--device", "cuda", "-o", "summed")
        environment = dict(os.environ, LD_DEBUG="libs",
                           PATH=self.folder + os.pathsep + os.environ["PATH"])
        done = subprocess.run([self.path("summed")], env=environment, capture_output=True,
                              check=False)
        self.assertRegex(done.stderr, rb"calling init: .*/libcleave_cuda\.so")
        # One beside the program comes first, also where the program was found by its name.
        shutil.copy(plugin, self.path("libcleave_cuda.so"))
        done = subprocess.run(["sh", "-c", "summed"], cwd="/", env=environment,
                              capture_output=True, check=False)
        self.assertIn(b"calling init: %s/libcleave_cuda.so" % self.folder.encode(), done.stderr)

    def test_cuda_needs_nvcc(self):
        if os.path.exists("/usr/local/cuda/bin/nvcc"):
            self.skipTest("there is one where it is found without PATH")
        self.write("sum.bend", SUM)
        self.fail_with(1, ["nvcc", "CUDA_PATH"], "run", "--device", "cuda", "sum.bend")

    # With a device it would run: the test is for machines without one, such as those of CI.
    def test_cuda_code_compiles(self):
        if nvcc() is None:
            self.skipTest("there is no nvcc")
        self.write("sum.bend", SUM)
        self.succeed("build", "sum.bend", "--device", "cuda", "-o", "sum")
        if os.path.exists("/dev/nvidiactl"):
            self.skipTest("there may be a device")
        done = subprocess.run([self.path("sum")], capture_output=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (2, b""))
        self.assertTrue(done.stderr.startswith(b"bend: "), done.stderr)


if __name__ == "__main__":
    tool.main()
