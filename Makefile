# SPDX-License-Identifier: BSD-3-Clause
# The commands of every day. Each one is a script, or a line of CMake; presets are in CMakePresets.json.
#
#   PREFIX, DESTDIR     for install and uninstall
#   SYMBOLS=yes         for install: keeps symbols and debug information, which are stripped otherwise
#   FUZZ_SECONDS        for fuzz: how long each fuzzer runs
.DEFAULT_GOAL := help
PREFIX ?= /usr/local
DESTDIR ?=
SYMBOLS ?=
FUZZ_SECONDS ?= 600

.PHONY: help demo test test-all build install uninstall package package-python dist format tidy fuzz models kernel-test cluster-test cards-test clean

help: ## This list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-15s %s\n", $$1, $$2}' Makefile

demo: build ## Installs what is missing, builds, runs two jobs and a measurement
	@scripts/demo

test: ## Installs what is missing, builds, runs the tests and checks, sanitizers and fuzzers included
	@scripts/install-deps test
	@scripts/test

test-all: ## The same on the whole matrix, long models, clang's optimised build and clang-tidy
	@scripts/install-deps test
	@scripts/test all

build: ## Installs what is missing and builds build/release
	@scripts/install-deps build
	@scripts/build release

install: build ## Installs to PREFIX (/usr/local), below DESTDIR if that is given; SYMBOLS=yes keeps symbols
	@DESTDIR='$(DESTDIR)' $(if $(filter yes,$(SYMBOLS)),SYNCLINE_KEEP_SYMBOLS=1) scripts/install build/release '$(PREFIX)'

uninstall: ## Removes what the last install has put to PREFIX, below DESTDIR
	@DESTDIR='$(DESTDIR)' scripts/uninstall build/release '$(PREFIX)'

package: build ## Makes the Debian packages, in build/packages
	@scripts/install-deps package
	@scripts/package build/release

package-python: package ## Makes python3-syncline beside them, with tools of the Python package index
	@scripts/install-deps python
	@scripts/package-python

dist: ## Makes the source tarball of this commit, its SHA-256 and its Spack repository, in build/dist
	@scripts/dist

format: ## Formats all C, C++ and Go files in place
	@scripts/install-deps test
	@scripts/format

tidy: ## clang-tidy on all sources
	@scripts/install-deps test
	@scripts/build clang
	@scripts/tidy

fuzz: ## Runs each fuzzer for FUZZ_SECONDS (600)
	@scripts/install-deps test
	@scripts/fuzz $(FUZZ_SECONDS)

models: ## Model-checks the protocols with spin (scripts/models long: larger ones)
	@scripts/install-deps test
	@scripts/models

kernel-test: ## Boots Linux 6.1 and 6.12 (Debian 12, 13) in an emulator and runs on them what depends on the kernel
	@scripts/install-deps test
	@scripts/test kernel

cluster-test: ## Boots three emulated machines with the packages and runs jobs over all of them
	@scripts/install-deps test
	@scripts/test cluster

cards-test: ## Boots Linux 6.1 and 6.12 with several kinds of network cards and runs jobs over each of them
	@scripts/install-deps test
	@scripts/test cards

clean: ## Removes build/
	rm -rf build
