#!/usr/bin/env python3
"""Each rule of scripts/check_layers.py is broken once and must be seen."""
import unittest

from tree import TreeTest

CMAKE = """
cleave_layer(base NEEDS)
cleave_layer(os   NEEDS base)   # a comment (with brackets)
cleave_layer(heap NEEDS os PUBLIC cleave/heap.hpp
                                  cleave/run.hpp)
if(TOOLS)
  cleave_own_layer(lang NEEDS base LINK fmt::fmt MADE made.cpp)
  cleave_own_layer(runtime NEEDS heap PUBLIC cleave/runtime/program.hpp)
endif()
cleave_addon(walk LAYER heap PACKAGE TBB LINK TBB::tbb PUBLIC cleave/walk.hpp)
"""


class CheckLayers(TreeTest):
    script = "check_layers"
    good = {
        "CMakeLists.txt": CMAKE,
        "include/cleave/heap.hpp": "#include <cstddef>\n",
        "include/cleave/run.hpp": "#include <cleave/heap.hpp>\n",
        "include/cleave/walk.hpp": "#include <cleave/run.hpp>\n#include <tbb/task.h>\n",
        "src/base/check.hpp": "",
        "src/os/memory.hpp": "#include \"base/check.hpp\"\n#include <sys/mman.h>\n",
        "src/heap/heap.cpp": "#include <cleave/heap.hpp>\n#include \"os/memory.hpp\"\n"
                             "#include \"base/check.hpp\"\n",
        "include/cleave/runtime/program.hpp": "#include <cleave/heap.hpp>\n",
        "src/lang/parser.cpp": "#include \"base/check.hpp\"\n",
        "src/lang/front_end.hpp": "#include \"lang/tree.hpp\"\n",
        "src/lang/tree.hpp": "",
        "src/lang/token.hpp": "",
        "src/runtime/start.cpp": "#include <cleave/runtime/program.hpp>\n",
        "tests/heap/heap_test.cpp": "#include \"os/memory.hpp\"\n#include \"support/model.hpp\"\n"
                                    "#include <unistd.h>\n",
        "tests/support/model.hpp": "",
        "tools/cleave/main.cpp": "#include <cleave/heap.hpp>\n#include \"messages.hpp\"\n"
                                 "#include \"lang/front_end.hpp\"\n#include \"lang/tree.hpp\"\n",
        "tools/cleave/messages.hpp": "",
    }

    def test_a_good_tree_has_no_errors(self):
        self.expect()

    def test_an_include_points_up(self):
        self.write("src/base/check.hpp", "\n  #  include \"heap/arena.hpp\"\n")
        self.write("src/heap/arena.hpp", "")
        self.expect("src/base/check.hpp:2: base may not include heap (heap/arena.hpp)")

    def test_an_include_points_up_at_a_public_header(self):
        self.write("src/os/memory.hpp", "#include <cleave/run.hpp>\n")
        self.expect("src/os/memory.hpp:1: os may not include heap (cleave/run.hpp)")

    def test_an_include_points_sideways(self):
        self.write("src/lang/parser.cpp", "#include \"os/memory.hpp\"\n")
        self.expect("src/lang/parser.cpp:1: lang may not include os (os/memory.hpp)")

    def test_an_include_that_is_not_there(self):
        self.write("src/heap/heap.cpp", "#include \"os/nothing.hpp\"\n#include <cleave/no.hpp>\n")
        self.expect("src/heap/heap.cpp:1: there is no os/nothing.hpp",
                    "src/heap/heap.cpp:2: no public header cleave/no.hpp")

    def test_a_public_header_includes_a_private_one(self):
        self.write("include/cleave/run.hpp", "#include \"os/memory.hpp\"\n")
        self.expect("include/cleave/run.hpp:1: a public header includes private os/memory.hpp")

    def test_a_public_header_is_not_listed(self):
        self.write("include/cleave/new.hpp", "")
        self.expect("include/cleave/new.hpp: is in no layer's PUBLIC list in CMakeLists.txt")

    def test_a_listed_header_does_not_exist(self):
        (self.root / "include/cleave/walk.hpp").unlink()
        self.expect("CMakeLists.txt: include/cleave/walk.hpp does not exist")

    def test_a_tool_looks_inside(self):
        self.write("tools/cleave/main.cpp", "#include \"base/check.hpp\"\n")
        self.expect("tools/cleave/main.cpp:1: tools sees include/ only, not base/check.hpp")

    def test_a_tool_goes_past_the_door(self):
        self.write("tools/cleave/main.cpp", "#include \"lang/token.hpp\"\n")
        self.expect("tools/cleave/main.cpp:1: tools sees include/ only, not lang/token.hpp")

    def test_the_door_is_for_tools_alone(self):
        self.write("examples/view.cpp", "#include \"lang/front_end.hpp\"\n")
        self.expect("examples/view.cpp:1: examples sees include/ only, not lang/front_end.hpp")

    def test_a_layer_of_its_own_points_up(self):
        self.write("src/heap/heap.cpp", "#include <cleave/runtime/program.hpp>\n")
        self.expect("src/heap/heap.cpp:1: heap may not include runtime (cleave/runtime/program.hpp)")

    def test_a_c_test_looks_inside(self):
        self.write("tests/capi/run_test.c", "#include \"base/check.hpp\"\n")
        self.expect("tests/capi/run_test.c:1: tests sees include/ only, not base/check.hpp")

    def test_a_system_header_outside_os(self):
        self.write("src/heap/heap.cpp", "#include <sys/mman.h>\n#include <pthread.h>\n")
        self.expect("src/heap/heap.cpp:1: <sys/mman.h> is for src/os alone",
                    "src/heap/heap.cpp:2: <pthread.h> is for src/os alone")

    def test_a_folder_that_is_no_layer(self):
        self.write("src/util/misc.cpp", "")
        self.expect("src/util/misc.cpp: src/util is no layer in CMakeLists.txt")

    def test_a_layer_that_needs_a_later_one(self):
        self.write("CMakeLists.txt", CMAKE.replace("os   NEEDS base)", "os NEEDS base lang)"))
        self.expect("CMakeLists.txt: layer os needs lang, not declared above it")

    def test_a_file_that_is_too_long(self):
        self.write("tools/cleave/messages.hpp", "\n" * 600)
        self.expect()
        self.write("tools/cleave/messages.hpp", "\n" * 601)
        self.expect("tools/cleave/messages.hpp: 601 lines; the limit is 600")


if __name__ == "__main__":
    unittest.main()
