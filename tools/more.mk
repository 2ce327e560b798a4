# Targets for whoever changes the project. Included by the Makefile; `make help-more` lists them.

.PHONY: help-more report book-check experiments peers check-patterns dist-check test-pythons test-lowest format

help-more:  ## Show this help
	@grep -hE '^[a-z-]+:.*## ' tools/more.mk ext/sanitize.mk | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 21

report: $(INSTALLED)  ## Write one page of all that was measured, results/bench/report.html
	$(BIN)/bpe-lab report --results $(RESULTS)/bench

book-check: book  ## Check its links and addresses, open each page in Chromium without a network, keep pictures
	$(PIP) --quiet playwright
	$(BIN)/python tools/check_book.py $(RESULTS)/book --looks $(RESULTS)/book-look

# Gigabytes of text, made where they can be seen and deleted. One after the other, whatever -j says.
experiments: export BPE_LAB_CACHE := $(CURDIR)/$(RESULTS)/texts
experiments: PART ?= openwebtext peers
experiments: EXPERIMENT := $(BIN)/bpe-lab bench --out $(RESULTS)/experiments --resume --repeats 9
experiments: openwebtext := openwebtext --scale full
experiments: 4gb := $(RESULTS)/texts/4gb.txt
experiments: peers := --out $(RESULTS)/experiments --file $(RESULTS)/texts/4gb.txt --threads 2 --vocab-size 32000 --time-budget 3600
experiments: $(INSTALLED)  ## Run the published experiments at their own size, for hours; PART=peers does a part
	set -e; $(foreach part,$(filter-out peers,$(PART)),$(EXPERIMENT) $($(part));)
	$(if $(filter peers,$(PART)),test -f $(4gb) || $(BIN)/bpe-lab corpus make openwebtext --size 4GB --out $(4gb))
	$(if $(filter peers,$(PART)),$(MAKE) record-peers ON="$(peers)")
	$(BIN)/python -m bpe_lab.bench.recorded $(RESULTS)/experiments data/recorded/experiments

peers: $(INSTALLED)  ## Time public trainers and the core on TEXT=FILE, into results/peers; BENCH=--resume goes on
	@test -f "$(TEXT)" || { echo "name a text: make peers TEXT=FILE" >&2; exit 1; }
	$(PIP) --quiet --editable '.[peers]'
	$(BIN)/bpe-lab bench peers core --file "$(TEXT)" --threads 1,2 --vocab-size 32000 --repeats 5 --time-budget 60 --out $(RESULTS)/peers $(BENCH)

check-patterns: $(INSTALLED)  ## Cut millions of strings by every pattern, natively and by `regex`, in minutes; PATTERN=o200k does one
	$(BIN)/python tests/deep_patterns.py $(PATTERN)

dist-check: $(CHECKS_INSTALLED)  ## Build sdist and wheel, install the wheel where there is no checkout and no compiler, train there
	$(BIN)/python tools/check_dist.py

test-pythons: $(INSTALLED)  ## Run the tests and dist-check on each of Python 3.11 to 3.14 that is found
	$(PIP) --quiet nox
	$(BIN)/nox $(NOX)

test-lowest: $(INSTALLED)  ## Run the tests with the lowest versions of all packages that pyproject.toml allows, on Python 3.11
	$(PIP) --quiet nox
	$(BIN)/nox -s lowest $(NOX)

format: $(INSTALLED)  ## Format the Python files
	$(PIP) --quiet ruff
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

include ext/sanitize.mk

# What a Mac has, as far as it can be had elsewhere: clang with its own C++ library, no OpenMP; `zig` has a Mac's headers.
.PHONY: test-clang train-clang
# Debian's libc++ brings an unwinder of its own: that of gcc goes first, for other packages (matplotlib) throw with it.
CLANG := CC=clang CXX=clang++ CXXFLAGS=-stdlib=libc++ LDFLAGS=-lgcc_s
CLANG_SETTINGS = -Csetup-args=-Dopenmp=disabled -Cbuild-dir=build/$@
ONLY_CLANG := $(VENV)/only-clang
FIRST_MERGES := train --corpus stories --vocab-size 1000 --quiet --json | grep -o '"merges_sha256": "[0-9a-f]*"'

test-clang: $(SANITIZE)/unicode_classes.hpp $(INSTALLED)  ## Compile the C++ for a Mac, by zig; run the tests built with clang, libc++ and without OpenMP
	$(PIP) --quiet ziglang
	set -e; $(foreach part,$(PARTS),$(BIN)/python -m ziglang c++ -target aarch64-macos -std=c++17 -Wall -Wextra -Werror \
	-Wno-unknown-pragmas -I$(SANITIZE) -c ext/$(part).cpp -o $(SANITIZE)/mac_$(part).o;)
	$(CLANG) $(MAKE) test-all VENV=$(VENV)/clang BUILD_SETTINGS='$(CLANG_SETTINGS)'

# Not by tools/ninja: it waits for no build, being in a folder of its own.
train-clang: $(INSTALLED)  ## Build the same into an empty environment, without tests: it must make the merges of the build that is here
	$(BIN)/python -m venv --clear $(ONLY_CLANG)
	env -u NINJA $(CLANG) $(ONLY_CLANG)/bin/python -m pip install --quiet --disable-pip-version-check $(CLANG_SETTINGS) .
	$(ONLY_CLANG)/bin/bpe-lab doctor
	made=$$($(ONLY_CLANG)/bin/bpe-lab $(FIRST_MERGES)) && test "$$made" = "$$($(BIN)/bpe-lab $(FIRST_MERGES))" && echo "train-clang: $$made, as here"

# Debian for arm64, each instruction emulated by qemu: as root; the kernel runs arm64 programs where binfmt_misc is mounted.
.PHONY: arm-wheel
ARM64 := build/arm64
IN_ARM64 := chroot $(ARM64) env -u NINJA HOME=/opt PATH=/opt/env/bin:/usr/bin:/bin
arm-wheel: $(INSTALLED)  ## Build the wheel for arm64 in an emulated Debian, make the merges of this build there and run test_rules: half an hour, as root
	@command -v debootstrap qemu-aarch64-static >/dev/null || { echo "install debootstrap and qemu-user-static" >&2; exit 1; }
	test -e /proc/sys/fs/binfmt_misc/qemu-aarch64 || { mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc || true; cat /usr/lib/binfmt.d/qemu-aarch64.conf > /proc/sys/fs/binfmt_misc/register; }
	test -x $(ARM64)/usr/bin/g++ || debootstrap --arch=arm64 --variant=minbase --include=python3-venv,python3-dev,g++,ca-certificates bookworm $(ARM64)
	cp /etc/resolv.conf $(ARM64)/etc/
	cp /etc/ssl/certs/ca-certificates.crt $(ARM64)/etc/ssl/certs/
	rm -rf $(ARM64)/opt/bpe_lab $(ARM64)/opt/check && mkdir $(ARM64)/opt/bpe_lab $(ARM64)/opt/check
	git archive HEAD | tar -x -C $(ARM64)/opt/bpe_lab
	git archive HEAD tests pyproject.toml | tar -x -C $(ARM64)/opt/check
	test -x $(ARM64)/opt/env/bin/pip || $(IN_ARM64) python3 -m venv /opt/env
	$(IN_ARM64) pip install --quiet 'meson-python>=0.18' 'meson>=1.4' 'ninja>=1.11' 'cython>=3.1' 'regex>=2024.5.15' 'pytest>=9.0' hypothesis
	$(IN_ARM64) pip wheel --quiet --no-build-isolation --no-deps --wheel-dir /opt/wheels /opt/bpe_lab
	$(IN_ARM64) sh -c 'pip install --quiet --force-reinstall /opt/wheels/bpe_lab-*.whl'
	made=$$($(IN_ARM64) bpe-lab $(FIRST_MERGES)) && test "$$made" = "$$($(BIN)/bpe-lab $(FIRST_MERGES))" && echo "arm-wheel: $$made, as here"
	$(IN_ARM64) sh -c 'cd /opt/check && python -m pytest -q tests/test_rules.py'
