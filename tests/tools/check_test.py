# check_test.py -- `cleave check`: what is wrong, where, in words and in JSON.
import json

import program
import tool

WRONG = b"""import Base

def twice(a: Array<U32>) -> Array<U32> & Array<U32>:
  (a, a)

def unknown() -> U32:
  nothing

def main() -> U32:
  1
"""


class Check(program.Case):
    def setUp(self):
        super().setUp()
        # Checking needs none.
        self.without_compiler()

    def test_a_good_program_is_not_worth_a_word(self):
        self.program("main.bend", 'IO.print("good")')
        self.assertEqual(self.succeed("check", "main.bend").stdout, b"")

    def test_an_error_names_its_place(self):
        self.write("wrong.bend", WRONG)
        done = self.run_tool("check", "wrong.bend")
        text = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertTrue(text.startswith("Error:\n"), text)
        self.assertIn("- expected : ", text)
        self.assertIn("- observed : ", text)
        self.assertIn("Location: ", text)
        self.assertIn("\n7>|   nothing\n", text)
        self.assertRegex(text, r"\n  \|   \^+\n")

    def test_json_has_the_same(self):
        self.write("wrong.bend", WRONG)
        done = self.run_tool("check", "wrong.bend", "--format=json")
        self.assertEqual((done.returncode, done.stderr), (1, b""))
        found = json.loads(done.stdout)
        self.assertEqual(found["count"], len(found["diagnostics"]))
        first = found["diagnostics"][0]
        self.assertEqual((first["file"], first["line"], first["column"]), ("wrong.bend", 7, 3))
        self.assertEqual((first["end_line"], first["end_column"], first["def"]),
                         (7, 10, "unknown"))

    def test_json_of_a_good_program(self):
        self.program("main.bend", 'IO.print("good")')
        found = json.loads(self.succeed("check", "main.bend", "--format", "json").stdout)
        self.assertEqual(found, {"diagnostics": [], "count": 0, "warnings": [], "notes": []})

    def test_a_double_use_names_both(self):
        self.write("twice.bend", WRONG.replace(b"  nothing", b"  1"))
        done = self.run_tool("check", "twice.bend", "--format=json")
        self.assertEqual(done.returncode, 1)
        (error,) = json.loads(done.stdout)["diagnostics"]
        self.assertIn("a (consumed more than once)", error["observed"] + error["message"])
        self.assertEqual((error["line"], error["column"]), (4, 7))
        places = [(remark["line"], remark["column"]) for remark in error["remarks"]]
        self.assertIn((4, 4), places)

    def test_json_of_names_that_are_no_text(self):
        name = b"\xff\xfe.bend"
        with open(self.folder.encode() + b"/" + name, "wb") as file:
            file.write(b"def \xff\xfe\x00")
        done = self.run_tool("check", name, "--format=json")
        self.assertEqual(done.returncode, 1)
        self.assertGreater(json.loads(done.stdout)["count"], 0)

    def test_a_skipped_proof_is_a_note(self):
        self.write("proof.bend", b"import Base\n\nlaw same:\n  for n: Nat\n  {n == n : Nat}\n\n"
                                 b"def same(n):\n  {==}\n\ndef main() -> U32:\n  1\n")
        done = self.run_tool("check", "proof.bend")
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertTrue(done.stderr.startswith(b"note: "), done.stderr)

    def test_files_that_cannot_be_read(self):
        self.fail_with(1, ["'missing.bend'"], "check", "missing.bend")
        self.fail_with(1, ["'.'"], "check", ".")

    def test_mistakes_on_the_command_line(self):
        for arguments in ([], ["a.bend", "b.bend"], ["a.bend", "--format", "xml"]):
            with self.subTest(arguments=arguments):
                self.fail_with(2, ["cleave check --help"], "check", *arguments)


if __name__ == "__main__":
    tool.main()
