# Each target makes its own .venv when there is none; it needs Python 3.11+, a C++ compiler and make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RESULTS ?= results
INSTALLED := $(VENV)/installed

# As an activated environment does: the build looks for meson, ninja and cython here.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# By its full path, so that an import rebuilds ext/ in a shell that did not activate .venv, too.
export CYTHON := $(CURDIR)/$(BIN)/cython

.DEFAULT_GOAL := help
.PHONY: help install reproduce test lab bench report record peers mutants check layers sdist-check sanitize format clean

help:  ## Show this help
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 18

install: $(INSTALLED)  ## Make .venv and install the project into it

$(INSTALLED): pyproject.toml ext/build_backend.py ext/rebuild_on_import.py
	@command -v $(PYTHON) >/dev/null || { echo "no $(PYTHON): install Python 3.11 or newer, or name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is $$($(PYTHON) -V): Python 3.11 or newer is needed; name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "$(PYTHON) has no venv: install it (Debian, Ubuntu: apt-get install python3-venv)" >&2; exit 1; }
	@command -v $${CXX:-c++} >/dev/null || { echo "no C++ compiler ($${CXX:-c++}): install one (Debian, Ubuntu: apt-get install g++ python3-dev; macOS: xcode-select --install)" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'meson-python>=0.17' 'meson>=1.4' 'ninja>=1.11' 'cython>=3.1' 'regex>=2024.5.15'
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[lab,test]'
	touch $@

reproduce: $(INSTALLED)  ## Run all stages, draw the figures, execute the notebooks, into results/reproduce
	$(BIN)/bpe-lab reproduce --out $(RESULTS)/reproduce --force

test: $(INSTALLED)  ## Run the tests
	$(BIN)/python -m pytest --numprocesses logical --dist worksteal --durations 10

lab: $(INSTALLED)  ## Open the notebooks in JupyterLab
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks

bench: $(INSTALLED)  ## Measure every suite, into results/bench; BENCH=--resume goes on, BENCH=--force begins anew
	$(BIN)/bpe-lab bench all --out $(RESULTS)/bench $(BENCH)

report: $(INSTALLED)  ## Write one page of all that was measured, results/bench/report.html
	$(BIN)/bpe-lab report --results $(RESULTS)/bench

record: $(INSTALLED)  ## Measure every suite for data/recorded/bench, execute notebook 09 on it; BENCH=--resume goes on
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[peers]'
	$(BIN)/bpe-lab bench all --out $(RESULTS)/record $(BENCH)
	$(BIN)/bpe-lab report --results $(RESULTS)/record
	mkdir -p data/recorded/bench
	cp $(RESULTS)/record/*.jsonl $(RESULTS)/record/figures/ladder.png data/recorded/bench
	$(BIN)/python -m bpe_lab.bench.readme README.md data/recorded/bench/ladder.jsonl
	BPE_LAB_RESULTS=data/recorded/bench $(BIN)/python -m bpe_lab.lessons.execute notebooks/09_scoreboard.ipynb

TEXT ?= $(RESULTS)/texts/english.txt

peers: $(INSTALLED)  ## Time the public trainers beside ours on TEXT=FILE, into results/peers
	@test -f $(TEXT) || { echo "no $(TEXT): name a text, make peers TEXT=FILE, or make one: $(BIN)/python -m bpe_lab.bench.texts --help" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[peers]'
	$(BIN)/python -m bpe_lab.bench.peers --text $(TEXT) --vocab-size 32000 --threads 1,2 --repeats 5 --out $(RESULTS)/peers
	$(BIN)/python -m bpe_lab.bench.core_figures --text $(TEXT) --out $(RESULTS)/peers

mutants: $(INSTALLED)  ## Break one promise at a time, in a copy, and see its test fail; TESTS=WORD chooses
	$(BIN)/python tests/mutants.py $(TESTS)

check: $(INSTALLED)  ## Lint, check the types and which room imports which
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[check]'
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/cython-lint ext
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/python tools/layers.py

layers: $(INSTALLED)  ## Print the rooms of the package and what they import; TREE=FOLDER, those of another checkout
	$(BIN)/python -m pip install --quiet --disable-pip-version-check grimp
	$(BIN)/python tools/layers.py $(TREE)

sdist-check: $(INSTALLED)  ## Build the sdist, install it where there is no checkout, and train there
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'build>=1.2'
	$(BIN)/python tools/check_sdist.py

comma := ,
SANITIZE := build/sanitize
CHECK_NATIVE := ext/tests/check_native.cpp ext/tests/portable_scanner.cpp
# In one of the programs memory can fail: GNU's linker puts our own malloc in its place.
WRAPPED := malloc calloc _Znwm
FAILING_MEMORY := $(if $(filter Linux,$(shell uname)),-DBPE_LAB_FAILING_MEMORY ext/tests/failing_memory.cpp $(WRAPPED:%=-Wl$(comma)--wrap=%))
CXX_CHECKED = $${CXX:-c++} -std=c++17 -O1 -g -fno-omit-frame-pointer -Wall -Wextra -Werror -I$(SANITIZE) -Iext

sanitize: $(INSTALLED)  ## Check the C++ under the address, undefined-behaviour and thread sanitizers
	mkdir -p $(SANITIZE)
	$(BIN)/python ext/unicode_classes.py $(SANITIZE)/unicode_classes.hpp
	$(CXX_CHECKED) -fopenmp -D_GLIBCXX_ASSERTIONS -fsanitize=address,undefined -fno-sanitize-recover=all $(FAILING_MEMORY) $(CHECK_NATIVE) -o $(SANITIZE)/check_address
	$(SANITIZE)/check_address 4
	$(CXX_CHECKED) -fopenmp -c ext/tests/check_native.cpp -fsanitize=thread -o $(SANITIZE)/check_native.o
	$(CXX_CHECKED) -pthread -fsanitize=thread $(SANITIZE)/check_native.o ext/tests/portable_scanner.cpp ext/tests/openmp_on_threads.cpp -o $(SANITIZE)/check_thread
	TSAN_OPTIONS=halt_on_error=1 $(SANITIZE)/check_thread 2
	$(CXX_CHECKED) -Wno-unknown-pragmas $(CHECK_NATIVE) -fsanitize=address,undefined -fno-sanitize-recover=all -o $(SANITIZE)/check_no_openmp
	$(SANITIZE)/check_no_openmp 1
	@echo "sanitize: nothing found"

format: $(INSTALLED)  ## Format the Python files
	$(BIN)/python -m pip install --quiet --disable-pip-version-check ruff
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:  ## Remove .venv, builds and results
	rm -rf $(VENV) build dist results .pytest_cache .mypy_cache .ruff_cache .hypothesis
