# emit_test.py -- `cleave emit`: the C++ of a program.
import program
import tool


class Emit(program.Case):
    def setUp(self):
        super().setUp()
        self.without_compiler()

    def test_the_text_is_cpp(self):
        self.program("main.bend", 'IO.print("emitted")')
        text = self.succeed("emit", "main.bend").stdout.decode()
        self.assertIn("#include <cleave/runtime/program.hpp>", text)
        self.assertIn("emitted", text)

    def test_it_is_the_same_each_time(self):
        self.program("main.bend", 'IO.print("emitted")')
        first = self.succeed("emit", "main.bend").stdout
        self.assertIn(b"main.bend", first)
        self.program("copy.bend", 'IO.print("emitted")')
        self.assertEqual(self.succeed("emit", "main.bend").stdout, first)
        self.assertEqual(self.succeed("emit", "copy.bend").stdout,
                         first.replace(b"main.bend", b"copy.bend"))

    def test_a_wrong_program(self):
        self.program("wrong.bend", "IO.print(nothing)")
        done = self.run_tool("emit", "wrong.bend")
        self.assertEqual((done.returncode, done.stdout), (1, b""))
        self.assertTrue(done.stderr.startswith(b"Error:\n"), done.stderr)

    def test_a_program_without_main(self):
        self.write("library.bend", b"import Base\n\ndef one() -> U32:\n  1\n")
        self.fail_with(1, ["no main"], "emit", "library.bend")

    def test_a_closed_pipe(self):
        self.program("main.bend", 'IO.print("emitted")')
        with open("/dev/full", "wb") as full:
            self.fail_with(1, ["standard output"], "emit", "main.bend", stdout=full)


if __name__ == "__main__":
    tool.main()
