# Each target makes its own .venv when there is none; it needs Python 3.11+, a C++ compiler and make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RESULTS ?= results
BUILD_TOOLS := $(VENV)/build_tools
INSTALLED := $(VENV)/installed
TESTS_INSTALLED := $(VENV)/tests_installed
CHECKS_INSTALLED := $(VENV)/checks_installed
BOOK_TOOLS := $(VENV)/book_tools
# Python compiles what is imported, the first time: all that is installed takes pip longer than the rest. BUILD_SETTINGS: of test-clang.
PIP := $(BIN)/python -m pip install --disable-pip-version-check --no-build-isolation --no-compile $(BUILD_SETTINGS)

# As an activated environment does: the build looks for meson, ninja and cython here.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# What an editable install calls when a source has changed.
export NINJA := $(CURDIR)/tools/ninja

.DEFAULT_GOAL := help
.PHONY: help install reproduce test test-all lab book bench record record-peers recorded notebooks check clean

help:  ## Show this help
	@grep -E '^[a-z-]+:.*## ' Makefile | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 18
	@echo "make help-more lists what changes to the project need: sanitizers, peers, distributions"

install: $(INSTALLED)  ## Make .venv and install the project into it

$(BUILD_TOOLS): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "no $(PYTHON): install Python 3.11 or newer, or name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is $$($(PYTHON) -V): Python 3.11 or newer is needed; name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "$(PYTHON) has no venv: install it (Debian, Ubuntu: apt-get install python3-venv)" >&2; exit 1; }
	@command -v $${CXX:-c++} >/dev/null || { echo "no C++ compiler ($${CXX:-c++}): install one (Debian, Ubuntu: apt-get install g++ python3-dev; macOS: xcode-select --install)" >&2; exit 1; }
	@echo 'make install: packages, then ext/ is compiled: a minute or two on two cores'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'meson-python>=0.18' 'meson>=1.4' 'ninja>=1.11' 'cython>=3.1' 'regex>=2024.5.15'
	touch $@

$(INSTALLED): $(BUILD_TOOLS) pyproject.toml
	$(PIP) --editable '.[lab,counts]'
	@touch $@
	@echo '`make lab` opens the course, `.venv/bin/bpe-lab try FILE` judges a trainer'

# It starts a hundred processes, and each would compile what it imports.
reproduce: export PYTHONDONTWRITEBYTECODE :=
reproduce: $(INSTALLED)  ## Run all stages, draw the figures, execute the notebooks, into results/reproduce, in two to six minutes; SCALE=tiny: a smoke test, in seconds
	$(BIN)/bpe-lab reproduce --out $(RESULTS)/reproduce --force $(if $(SCALE),--scale $(SCALE))

$(TESTS_INSTALLED): $(INSTALLED)
	@echo 'make test: first the packages that tests need; the tests take two to four minutes on two cores'
	$(PIP) --quiet --editable '.[test,formats]'
	touch $@

# The tests start hundreds of processes: the first one compiles a module for all.
test test-all: export PYTHONDONTWRITEBYTECODE :=
test: CHOSEN := -m 'not slow'
test test-all: $(TESTS_INSTALLED)
	$(BIN)/python -c "import bpe_lab.experiments"
	$(BIN)/python -m pytest --numprocesses logical --dist worksteal --durations 10 $(CHOSEN)

test:  ## Run the tests but for the longest ones
test-all:  ## Run all tests: the book, JupyterLab, all notebooks, simulated processors, compiled stages of readers, too

# What tools/lab says holds here only, and before the configuration of the user, which stays as it is. With another
# backend in the environment notebooks would show no figures.
lab: $(INSTALLED)  ## Open copies of the notebooks, results/lab/notebooks, in JupyterLab
	env -u MPLBACKEND JUPYTER_CONFIG_PATH="$(CURDIR)/tools/lab$${JUPYTER_CONFIG_PATH:+:$$JUPYTER_CONFIG_PATH}" $(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root)

$(BOOK_TOOLS): $(INSTALLED)
	$(PIP) --quiet --editable '.[book]'
	touch $@

book: $(BOOK_TOOLS)  ## Build the book, all notebooks as one site, into results/book; EXECUTE=1 executes them before
	$(BIN)/python tools/build_book.py $(if $(EXECUTE),--execute) $(RESULTS)/book

bench: $(INSTALLED)  ## Measure all suites but openwebtext, into results/bench; BENCH=--resume goes on, BENCH=--force begins anew
	$(BIN)/bpe-lab bench all --out $(RESULTS)/bench $(BENCH)

# Of the ladder the large text, on which `naive` takes half an hour or more. `peers` with an ordinary install: an editable one
# looks for changed sources whenever it starts.
record-peers: PLAIN := $(VENV)/plain/bin/python
record-peers: ON ?= --out $(RESULTS)/record
record: RECORD := $(BIN)/bpe-lab bench --repeats 9 --out $(RESULTS)/record --resume
record: SUITES ?= ladder counting distinct heaps hashing select waking vocab threads scaling negative ablation processor limit loads peers
record: $(INSTALLED)  ## Measure every suite for data/recorded/bench, in two hours or more; the same command goes on, SUITES=peers does a part
	$(PIP) --quiet --editable '.[peers]'
	$(if $(filter ladder distinct,$(SUITES)),$(RECORD) $(filter ladder distinct,$(SUITES)) --scale full)
	$(if $(filter-out ladder distinct peers,$(SUITES)),$(RECORD) $(filter-out ladder distinct peers,$(SUITES)))
	$(if $(filter peers,$(SUITES)),$(MAKE) record-peers)

record-peers:
	test -x $(PLAIN) || $(BIN)/python -m venv $(VENV)/plain
	$(PLAIN) -m pip install --quiet --disable-pip-version-check '.[lab,peers]'
	BPE_LAB_CHECKOUT="$(CURDIR)" $(VENV)/plain/bin/bpe-lab bench peers --repeats 9 --resume $(ON)

recorded: $(INSTALLED)  ## Copy what make record has measured into data/recorded/bench, and the tables and the figure of the pages
	$(BIN)/python -m bpe_lab.bench.recorded $(RESULTS)/record data/recorded/bench README.md book/numbers.md book/not_in_course.md book/published.md ext/README.md

notebooks: $(TESTS_INSTALLED)  ## Execute all notebooks in place, and say how long each takes
	$(BIN)/python -m bpe_lab.bench.notebooks notebooks/*.ipynb

$(CHECKS_INSTALLED): $(INSTALLED)
	$(PIP) --quiet --editable '.[check]'
	touch $@

check: $(CHECKS_INSTALLED)  ## Lint, check the types and which room imports which
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/cython-lint ext bpe_lab/native.pxd
	$(BIN)/mypy
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows .github/workflows/ci.yml
# The editable install names folders that do not exist: the linter reads the checkout.
	$(BIN)/python -c "import sys; sys.meta_path = [f for f in sys.meta_path if 'Mesonpy' not in type(f).__name__]; from importlinter.cli import lint_imports_command as lint; lint()" --no-logo --no-cache

clean:  ## Remove .venv and builds; results, your own among them, stay
	rm -rf $(VENV) build dist .nox .pytest_cache .mypy_cache .ruff_cache .hypothesis

include tools/more.mk
