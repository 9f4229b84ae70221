# Each target installs the Debian packages that it misses, configures, builds and
# runs. All it does stands in CMakePresets.json and scripts/.
#
#   make demo         run programs, sort a real word list, the short benchmark table
#   make test         every test and check, with the invariants checked at run time
#   make build        build/release/bin/cleave and build/release/lib/libcleave.*
#   make bench        the full benchmarks, about ten minutes: tables, and build/bench.json;
#                     with CLEAVE_PEERS=DIR beside the peers whose sources are there
#   make bench-check  a short run beside the pinned ratios of bench/pinned.json
#   make soak         the tests with random steps, SOAK_STEPS=20000000 each
#   make fuzz         libFuzzer on each target for FUZZ_SECONDS=300
#   make shapes       unit tests with 32 bits, libc++, aarch64 (emulated), and without exceptions
#   make haskell      build and test bindings/haskell; HASKELL=0 leaves it out of make test
#   make haskell-soak its long tests, on all runtimes of GHC, SOAK_STEPS=100000 for each
#   make bench-haskell   its measurements, into bindings/haskell/README.md
#   make install      to PREFIX=/usr/local
#   make docs-check   do the documents name what exists?
#   make clean

PREFIX ?= /usr/local
WORDS ?= /usr/share/dict/words
SOAK_STEPS ?= 20000000
FUZZ_SECONDS ?= 300
HASKELL ?= 1

.PHONY: help demo test build bench bench-check soak fuzz shapes install docs-check clean \
  haskell haskell-soak bench-haskell

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
	$(MAKE) haskell

build:
	scripts/install_packages build
	cmake --preset release
	cmake --build --preset product

bench:
	scripts/install_packages bench
	cmake --preset release
	cmake --build --preset product
	cmake --build --preset release --target measuring collector_bench contention
ifneq ($(CLEAVE_PEERS),)
	bench/peers/build $(CLEAVE_PEERS) build/peers
endif
	$(if $(CLEAVE_PEERS),CLEAVE_PEERS=$(CURDIR)/build/peers) \
	  python3 bench/measure.py build/release build/bench.json; \
	  measured=$$?; python3 scripts/performance_report.py build/bench.json && exit $$measured
	build/release/bin/collector_bench
	build/release/bin/contention

# BENCH_CHECK=--print-only says what is slower, and ends well.
bench-check: build
	python3 bench/measure.py build/release build/bench_check.json --only workloads --quick
	python3 scripts/bench_check.py build/bench_check.json $(BENCH_CHECK)

soak:
	scripts/install_packages build
	CLEAVE_TEST_STEPS=$(SOAK_STEPS) cmake --workflow --preset soak

fuzz:
	scripts/install_packages ci
	cmake --preset fuzz
	FUZZ_SECONDS=$(FUZZ_SECONDS) cmake --build --preset fuzz --target all fuzz

shapes:
	scripts/install_packages shapes
	tests/shapes/run

# Where the packages cannot be had there is no GHC, and run says SKIP; in CI that is an error.
haskell:
ifeq ($(HASKELL),0)
	@echo 'SKIP haskell: HASKELL=0'
else
	scripts/install_packages haskell || [ -z "$$CI" ]
	bindings/haskell/run test
endif

haskell-soak:
	scripts/install_packages haskell-soak
	bindings/haskell/run soak

bench-haskell:
	scripts/install_packages haskell
	bindings/haskell/run bench

install: build
	cmake --install build/release --strip --prefix $(PREFIX)

docs-check:
	python3 scripts/check_docs.py

clean:
	rm -rf build
