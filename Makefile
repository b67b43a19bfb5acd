# Every target does its own set-up first: on a bare Debian `make demo` and `make test` are all there is to type.
JOBS ?= $(shell nproc)
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.PHONY: help demo test test-slow bench asan tsan lint format install clean

cxx_files = $$(git ls-files -co --exclude-standard '*.hpp' '*.cpp')
tidy_files = $$(git ls-files -co --exclude-standard 'expose/*.cpp' ':!expose/simd/')
build = cmake --preset $(1) >/dev/null && cmake --build --preset $(1) -j $(JOBS)

help:            ## this list
	@grep -hE '^[a-z-]+:.*##' Makefile | sed -E 's/^([a-z-]+):[^#]*## */\1\t/' | expand -t 14

demo:            ## find the anomalies in a real table
	@tools/setup build
	@$(call build,release) --target demo
	@build/release/demo examples/breastw.csv

test:            ## build and run every test
	@tools/setup build
	@$(call build,release)
	@ctest --preset release -j 2
	@echo "make test: every test passed"

test-slow: asan tsan  ## what takes longer: the tests under the sanitizers

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

bench:           ## speed
	@tools/setup build
	@$(call build,release)
	@cmake --build --preset release --target bench

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

install:         ## install into PREFIX (default /usr/local)
	@tools/setup build
	@$(call build,release)
	@cmake --install build/release --prefix $(or $(PREFIX),/usr/local)

clean:           ## remove everything that was built
	@rm -rf build
