"""tree.py -- a small project in a temporary folder, for the tests of the checks."""
import importlib.util
import pathlib
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def load(name):
    """The script scripts/NAME.py as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class TreeTest(unittest.TestCase):
    """Each test starts from the files in `good`, in which a check finds nothing."""

    script = ""
    good = {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.module = load(self.script)
        for name, text in self.good.items():
            self.write(name, text)

    def write(self, name, text):
        file = self.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def errors(self):
        return self.module.Check(self.root).run()

    def expect(self, *errors):
        self.assertEqual(self.errors(), list(errors))
