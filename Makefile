# Every target does its own set-up first: on a bare Debian `make demo` and `make test` are all there is to type.
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 60
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-command test-python test-wheel test-arm instruction-counts python-matrix bench experiments asan tsan fuzz lint \
  format docs wheel install clean

cxx_files = $$(git ls-files -co --exclude-standard '*.hpp' '*.cpp')
tidy_files = $$(git ls-files -co --exclude-standard 'expose/*.cpp' 'io/*.cpp' ':!expose/simd/')
build = cmake --preset $(1) >/dev/null && cmake --build --preset $(1) -j $(JOBS)

help:            ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):[^#]*## */\1\t/' | expand -t 20

demo:            ## find the anomalies in a real table and a real stream
	@tools/setup build
	@$(call build,release) --target expose_command
	@examples/demo.sh build/release/expose build/demo

# One build for all: the Python package stands beside the command, and pyarrow's library reads parquet for it.
test:            ## build and run every test: C++, command line, Python
	@tools/setup build package
	@cmake --preset release -DEXPOSE_BUILD_PYTHON=ON -DEXPOSE_PYTHON=$(CURDIR)/.venv-py/bin/python >/dev/null
	@cmake --build --preset release -j $(JOBS)
	@ctest --preset release -j 2
	@tools/python_tests
	@echo "make test: every test passed"

test-slow: test-command test-python test-wheel python-matrix asan tsan test-arm instruction-counts docs  ## what takes longer: kills, a browser, gigabytes, the wheel, other versions, the sanitizers, another processor, the length of the loops, the site

# As root a browser has no sandbox; it opens files of ours alone.
test-command:    ## the command killed at 400 moments, watched for days in small, and its report in a browser
	@tools/setup build browser
	@$(call build,release) --target expose_command
	@python3 -B tests/slow/kill_test.py build/release/expose
	@python3 -B tests/slow/watch_memory_test.py build/release/expose
	@python3 -B tests/cli/report_in_browser_test.py build/release/expose $$(command -v chromium)
	@echo "make test-command: every test passed"

asan:            ## the tests under the address and undefined-behaviour sanitizers
	@tools/setup build
	@$(call build,asan)
	@ctest --preset asan -j 2
	@echo "make asan: every test passed"

# The thread sanitizer of g++ 12 cannot live with the address randomization of newer kernels; setarch turns it off
# where that is allowed.
tsan:            ## the tests with several threads under the thread sanitizer
	@tools/setup build
	@$(call build,tsan)
	@if setarch -R true 2>/dev/null; then setarch -R ctest --preset tsan; else ctest --preset tsan; fi
	@echo "make tsan: every test passed"

# The bits must be those of the golden file on every processor. What only measures accuracy, or is about threads, would
# take too long under an emulator.
test-arm:        ## the core's tests, bits included, on 64-bit ARM (cross-compiled, run under qemu)
	@tools/setup build arm
	@cmake --preset arm >/dev/null && cmake --build --preset arm -j $(JOBS) --target base_test simd_test map_test score_test
	@for room in base simd map score; do \
	  qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH=/usr/lib/aarch64-linux-gnu \
	    build/arm/tests/$${room}_test --gtest_brief=1 --gtest_filter='-Accuracy.*:SpectralMeasure.*:*Pool*:*Thread*'; done
	@echo "make test-arm: every test passed"

# Time is noisy, instructions are not. `tools/instruction_counts.py --write` renews what they are compared with.
instruction-counts: ## the instructions of the inner loops, against those of bench/instruction_counts.json
	@tools/setup build counts
	@$(call build,release) --target instruction_counts_bench
	@tools/instruction_counts.py

test-python:     ## the Python tests that take gigabytes or minutes
	@tools/python_tests -m slow

test-wheel: wheel ## the Python tests against the wheel, in an environment of its own
	@tools/wheel_test build/wheels/expose-*.whl

python-matrix: wheel ## the Python adapters beside the oldest and the newest NumPy, scikit-learn, PyOD and River
	@WHEEL=$$(echo build/wheels/expose-*.whl) tools/python_matrix

# What a fuzzer has learned stays in build/fuzz/corpus, and an input that it found guilty beside it.
fuzz:            ## hostile bytes for the readers, FUZZ_SECONDS each (default 60)
	@tools/setup build fuzz
	@$(call build,fuzz)
	@for fuzzer in build/fuzz/fuzz/fuzz_*; do \
	  mkdir -p build/fuzz/corpus/$${fuzzer##*/}; \
	  $$fuzzer -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=20 -print_final_stats=1 \
	    -artifact_prefix=build/fuzz/ build/fuzz/corpus/$${fuzzer##*/}; \
	done
	@echo "make fuzz: nothing found"

bench:           ## speed: the loops alone, then beside scikit-learn, NumPy, PyOD and River (some minutes)
	@tools/setup build python
	@$(call build,release)
	@cmake --build --preset release --target bench
	@mkdir -p build/bench
	@.venv/bin/python bench/side_by_side.py --json build/bench/side_by_side.json --plots build/bench
	@if [ -n "$${EXPOSE_DATA:-}" ]; then .venv/bin/python bench/command.py; fi
	@.venv/bin/python -m pip install --quiet --disable-pip-version-check .
	@.venv/bin/python bench/python_stream.py --json build/bench/python_stream.json

experiments:     ## accuracy and p-values on the tables of DATA (default $EXPOSE_DATA/adbench); takes a while
	@tools/setup build python
	@$(call build,release) --target detect_rows
	@data="$(or $(DATA),$${EXPOSE_DATA:+$$EXPOSE_DATA/adbench})"; \
	 [ -n "$$data" ] || { echo "make experiments: name a folder of .npz files, DATA=DIR" >&2; exit 2; }; \
	 mkdir -p build/experiments; \
	 .venv/bin/python experiments/quality.py --data "$$data" --json build/experiments/quality.json; \
	 .venv/bin/python experiments/ablation.py --data "$$data"; \
	 .venv/bin/python experiments/calibration.py --data "$$data" --json build/experiments/calibration.json \
	   --plot build/experiments/calibration.png

lint:            ## formatting, layering, static analysis
	@tools/setup build lint
	@clang-format --dry-run -Werror $(cxx_files)
	@tools/layering.py
	@cmake --preset dev >/dev/null
	@printf '%s\n' $(tidy_files) | xargs -r -n 1 -P $(JOBS) clang-tidy -p build/dev --quiet
	@echo "make lint: nothing to complain about"

format:          ## format the C++ code in place
	@tools/setup lint
	@clang-format -i $(cxx_files)

docs:            ## the site, with the reference of the Python package, in build/site
	@tools/setup docs
	@mkdir -p build
	@.venv-docs/bin/python tools/make_site.py build

wheel:           ## the Python package as a wheel, with the command and all libraries inside, in build/wheels
	@tools/build_wheel

install:         ## install into PREFIX (default /usr/local)
	@tools/setup build
	@$(call build,release)
	@cmake --install build/release --prefix $(or $(PREFIX),/usr/local)

clean:           ## remove everything that was built
	@rm -rf build
