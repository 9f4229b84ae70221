#!/usr/bin/env python3
"""Each rule of scripts/check_docs.py is broken once and must be seen."""
import unittest

from tree import TreeTest

README = """# Sample

Read [the heap](docs/heap.md#what-is-free), docs/heap.md and `src/*.cpp`. Make sure
that `cleave::run::cut`, `cleave::cleave`, `cl_run_cut` and CLEAVE_CHECKED are there.

    make test
    cmake --workflow --preset dev
"""


class CheckDocs(TreeTest):
    script = "check_docs"
    good = {
        "README.md": README,
        "docs/heap.md": "# Heap\n\n## What is free\n\nSee [above](../README.md).\n",
        "include/cleave/run.hpp": "// run.hpp -- see docs/heap.md.\n"
                                  "namespace cleave { class run { run cut(int at); }; }\n",
        "include/cleave.h": "cl_run cl_run_cut(cl_run from);\n",
        "src/run.cpp": "/* tests of this:\n   none in src/run.cpp */\n",
        "CMakeLists.txt": "option(CLEAVE_CHECKED)\nadd_library(cleave::cleave ALIAS x)\n",
        "CMakePresets.json": '{ "name": "dev" }\n',
        "Makefile": "demo test:\n\ttrue\n",
    }

    def add(self, text):
        """Puts a line at the end of the README; it is line 9."""
        self.write("README.md", README + "\n" + text + "\n")

    def test_a_good_tree_has_no_errors(self):
        self.expect()

    def test_a_path_in_a_document(self):
        self.add("Read docs/arena.md.")
        self.expect("README.md:9: there is no docs/arena.md")

    def test_a_pattern_that_matches_nothing(self):
        self.add("Read docs/*.txt.")
        self.expect("README.md:9: there is no docs/*.txt")

    def test_a_path_in_a_comment(self):
        self.write("src/run.cpp", "int docs;\n/* one\n   two: docs/no.md */\n// src/no.cpp\n")
        self.expect("src/run.cpp:3: there is no docs/no.md", "src/run.cpp:4: there is no src/no.cpp")

    def test_a_path_in_a_script(self):
        self.write("cmake/a.cmake", "# Like docs/heap.md.\n# Like docs/b.md.\n")
        self.expect("cmake/a.cmake:2: there is no docs/b.md")

    def test_code_is_not_read_for_paths(self):
        self.write("src/run.cpp", "const char* path = \"docs/no.md\";\n")
        self.expect()

    def test_what_was_built_is_not_read(self):
        self.write("build/dev/a.md", "Read docs/no.md.")
        self.expect()

    def test_a_link_that_leads_nowhere(self):
        self.add("[here](heap.md)")
        self.expect("README.md:9: the link to heap.md leads nowhere")

    def test_a_heading_that_is_not_there(self):
        self.add("[here](docs/heap.md#what-is-live)")
        self.expect("README.md:9: docs/heap.md has no heading #what-is-live")

    def test_a_cpp_name(self):
        self.add("`cleave::run::split`")
        self.expect("README.md:9: there is no cleave::run::split")

    def test_a_cpp_name_that_only_a_comment_knows(self):
        self.write("src/run.cpp", "// split\n")
        self.add("`cleave::run::split`")
        self.expect("README.md:9: there is no cleave::run::split")

    def test_a_c_name(self):
        self.add("`cl_run_split`")
        self.expect("README.md:9: include/cleave.h has no cl_run_split")

    def test_an_option_that_nothing_reads(self):
        self.add("`-DCLEAVE_FAST=1`")
        self.add("Set CLEAVE_FAST.")
        self.expect("README.md:9: nothing reads CLEAVE_FAST")

    def test_a_make_target(self):
        self.add("`make install`, but we make nothing.")
        self.expect("README.md:9: Makefile has no target install")

    def test_a_preset(self):
        self.add("    cmake --preset asan")
        self.expect("README.md:9: there is no preset asan")

    def test_the_page_of_the_library(self):
        self.write("src/lang/base/all.bend",
                   "@native def U32.add(a: U32) -> U32\n@native def Nat.add(a: Nat) -> Nat\n"
                   "@native def F32.add(a: F32) -> F32\ndef List.map(f):\n  f\n"
                   "def List.map.go(f):\n  f\n@native def List.end.raw(f)\n")
        self.write("docs/guide/library.md", "`T.add`, and `List.map`\n")
        self.expect()
        self.write("docs/guide/library.md", "`T.add`\n`List.fold`\n")
        self.expect("docs/guide/library.md:2: Base has no List.fold",
                    "docs/guide/library.md:1: List.map of Base is not listed")


if __name__ == "__main__":
    unittest.main()
