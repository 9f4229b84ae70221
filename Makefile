# Each target installs the Debian packages that it misses, configures, builds and
# runs. All it does stands in CMakePresets.json and scripts/.
#
#   make demo         run programs, sort a real word list, the short benchmark table
#   make test         every test and check, with the invariants checked at run time
#   make build        build/release/bin/cleave and build/release/lib/libcleave.*
#   make bench        the full benchmarks
#   make soak         the tests with random steps, SOAK_STEPS=20000000 each
#   make fuzz         libFuzzer on each target for FUZZ_SECONDS=300
#   make install      to PREFIX=/usr/local
#   make docs-check   do the documents name what exists?
#   make clean

PREFIX ?= /usr/local
WORDS ?= /usr/share/dict/words
SOAK_STEPS ?= 20000000
FUZZ_SECONDS ?= 300

.PHONY: help demo test build bench soak fuzz install docs-check clean

help:
	@sed -n 's/^#   //p' Makefile

demo: build
	for program in fork_tree to_list merge_sort histogram life; do \
	  echo "== $$program" && \
	  build/release/bin/cleave run examples/programs/$$program.bend --threads 2 --stats || exit 1; \
	done
	build/release/bin/cleave sort $(WORDS) -o build/words.sorted --stats
	build/release/bin/cleave bench --quick

test:
	scripts/install_packages build
	cmake --workflow --preset dev

build:
	scripts/install_packages build
	cmake --preset release
	cmake --build --preset product

bench:
	scripts/install_packages bench
	cmake --preset release
	cmake --build --preset product
	build/release/bin/cleave bench --all --peers --json > build/bench.json
	python3 scripts/performance_report.py build/bench.json

soak:
	scripts/install_packages build
	CLEAVE_TEST_STEPS=$(SOAK_STEPS) cmake --workflow --preset soak

fuzz:
	scripts/install_packages ci
	cmake --preset fuzz
	FUZZ_SECONDS=$(FUZZ_SECONDS) cmake --build --preset fuzz --target all fuzz

install: build
	cmake --install build/release --strip --prefix $(PREFIX)

docs-check:
	python3 scripts/check_docs.py

clean:
	rm -rf build
