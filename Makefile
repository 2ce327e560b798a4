# Each target makes its own .venv when there is none; it needs Python 3.11+, a C++ compiler and make.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
RESULTS ?= results
BUILD_TOOLS := $(VENV)/build_tools
INSTALLED := $(VENV)/installed
BOOK_TOOLS := $(VENV)/book_tools

# As an activated environment does: the build looks for meson, ninja and cython here.
export PATH := $(CURDIR)/$(BIN):$(PATH)
# What an editable install calls when a source has changed.
export NINJA := $(CURDIR)/tools/ninja

.DEFAULT_GOAL := help
.PHONY: help install reproduce test lab book book-check bench report record notebooks experiments peers check check-patterns sdist-check sanitize sanitize-short format clean

help:  ## Show this help
	@grep -E '^[a-z-]+:.*## ' $(firstword $(MAKEFILE_LIST)) | sed -E 's/^([a-z-]+):.*## /make \1\t/' | expand -t 18

install: $(INSTALLED)  ## Make .venv and install the project into it

$(BUILD_TOOLS): pyproject.toml
	@command -v $(PYTHON) >/dev/null || { echo "no $(PYTHON): install Python 3.11 or newer, or name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "$(PYTHON) is $$($(PYTHON) -V): Python 3.11 or newer is needed; name one: make PYTHON=/path/to/python" >&2; exit 1; }
	@$(PYTHON) -c 'import venv, ensurepip' 2>/dev/null || { echo "$(PYTHON) has no venv: install it (Debian, Ubuntu: apt-get install python3-venv)" >&2; exit 1; }
	@command -v $${CXX:-c++} >/dev/null || { echo "no C++ compiler ($${CXX:-c++}): install one (Debian, Ubuntu: apt-get install g++ python3-dev; macOS: xcode-select --install)" >&2; exit 1; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'meson-python>=0.17' 'meson>=1.4' 'ninja>=1.11' 'cython>=3.1' 'regex>=2024.5.15'
	touch $@

$(INSTALLED): $(BUILD_TOOLS) pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[lab,test]'
	touch $@

reproduce: $(INSTALLED)  ## Run all stages, draw the figures, execute the notebooks, into results/reproduce
	$(BIN)/bpe-lab reproduce --out $(RESULTS)/reproduce --force $(if $(SCALE),--scale $(SCALE))

# The tests start hundreds of processes: the first one compiles a module for all.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(INSTALLED)  ## Run the tests
	$(BIN)/python -m pytest --numprocesses logical --dist worksteal --durations 10

# What tools/lab says holds here only, and before the configuration of the user, which stays as it is.
lab: $(INSTALLED)  ## Open copies of the notebooks, results/lab/notebooks, in JupyterLab
	JUPYTER_CONFIG_PATH="$(CURDIR)/tools/lab$${JUPYTER_CONFIG_PATH:+:$$JUPYTER_CONFIG_PATH}" $(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root)

$(BOOK_TOOLS): $(INSTALLED)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[book]'
	touch $@

book: $(BOOK_TOOLS)  ## Build the book, all notebooks as one site, into results/book; EXECUTE=1 executes them before
	$(BIN)/python tools/build_book.py $(if $(EXECUTE),--execute) $(RESULTS)/book

book-check: book  ## Check its links and addresses, open each page in Chromium without a network, keep pictures
	$(BIN)/python -m pip install --quiet --disable-pip-version-check playwright
	$(BIN)/python tools/check_book.py $(RESULTS)/book --looks $(RESULTS)/book-look

bench: $(INSTALLED)  ## Measure every suite, into results/bench; BENCH=--resume goes on, BENCH=--force begins anew
	$(BIN)/bpe-lab bench all --out $(RESULTS)/bench $(BENCH)

report: $(INSTALLED)  ## Write one page of all that was measured, results/bench/report.html
	$(BIN)/bpe-lab report --results $(RESULTS)/bench

record: $(INSTALLED)  ## Measure every suite for data/recorded/bench, execute notebook 10 on it; BENCH=--resume goes on
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[peers]'
	$(BIN)/bpe-lab bench all --out $(RESULTS)/record $(BENCH)
	$(BIN)/bpe-lab report --results $(RESULTS)/record
	$(BIN)/python -m bpe_lab.bench.recorded $(RESULTS)/record data/recorded/bench
	cp $(RESULTS)/record/figures/ladder.png data/recorded/bench
	$(BIN)/python -m bpe_lab.bench.readme README.md data/recorded/bench/ladder.jsonl
	BPE_LAB_RESULTS=data/recorded/bench $(BIN)/python -m bpe_lab.lessons.execute notebooks/10_scoreboard.ipynb

notebooks: $(INSTALLED)  ## Execute all notebooks in place, and note how long each takes
	BPE_LAB_RESULTS=data/recorded/bench $(BIN)/python -m bpe_lab.lessons.execute --times data/recorded/notebooks.json --readme README.md notebooks/*.ipynb

# Gigabytes of text, made where they can be seen and deleted. One after the other, whatever -j says.
experiments: export BPE_LAB_CACHE := $(CURDIR)/$(RESULTS)/texts
experiments: PART ?= ladder tinystories openwebtext peers
experiments: EXPERIMENT := $(BIN)/bpe-lab bench --out $(RESULTS)/experiments --resume
experiments: ladder := ladder --case naive --case core --budget 7200
experiments: tinystories := tinystories --scale full
experiments: openwebtext := openwebtext --scale full
experiments: 4gb := $(RESULTS)/texts/4gb.txt
experiments: peers := peers --file $(RESULTS)/texts/4gb.txt --threads 2 --vocab-size 32000 --budget 1800
experiments: $(INSTALLED)  ## Run the published experiments at their own size, for hours; PART=tinystories does a part
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[peers]'
	$(if $(filter peers,$(PART)),test -f $(4gb) || $(BIN)/bpe-lab corpus make openwebtext --size 4GB --out $(4gb))
	set -e; $(foreach part,$(PART),$(EXPERIMENT) $($(part));)
	$(BIN)/python -m bpe_lab.bench.recorded $(RESULTS)/experiments data/recorded/experiments

peers: $(INSTALLED)  ## Time public trainers and the core on TEXT=FILE, into results/peers; BENCH=--resume goes on
	@test -f "$(TEXT)" || { echo "name a text: make peers TEXT=FILE" >&2; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[peers]'
	$(BIN)/bpe-lab bench peers core --file "$(TEXT)" --threads 1,2 --vocab-size 32000 --repeats 5 --budget 60 --out $(RESULTS)/peers $(BENCH)

check: $(INSTALLED)  ## Lint, check the types and which room imports which
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation --editable '.[check]'
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/cython-lint ext bpe_lab/native.pxd
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache

check-patterns: $(INSTALLED)  ## Cut millions of strings by every pattern, natively and by `regex`, in minutes; PATTERN=o200k does one
	$(BIN)/python tests/deep_patterns.py $(PATTERN)

sdist-check: $(INSTALLED)  ## Build the sdist, install it where there is no checkout, and train there
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'build>=1.2'
	$(BIN)/python tools/check_sdist.py

comma := ,
SANITIZE := build/sanitize
CHECKS := check_native check_counting check_encoding check_stages check_experiments slow_counting portable_scanner
CHECKED = $(CHECKS:%=$(SANITIZE)/$(1)/%.o) $(PARTS:%=$(SANITIZE)/$(1)/%.o)
PARTS := counter make_stage text_encoder
CXX_CHECKED = $${CXX:-c++} -std=c++17 -O1 -g1 -fno-omit-frame-pointer -Wall -Wextra -Werror
UNDEFINED := -fsanitize=address,undefined -fno-sanitize-recover=all
# In one of the programs memory can fail: GNU's linker puts our own malloc in its place.
WRAPPED := malloc calloc _Znwm
ifeq ($(shell uname),Linux)
FAILING_MEMORY := $(SANITIZE)/address/failing_memory.o $(SANITIZE)/address/check_failing_memory.o
$(SANITIZE)/address/%.o: FLAGS += -DBPE_LAB_FAILING_MEMORY
$(SANITIZE)/check_address: LINK += $(WRAPPED:%=-Wl$(comma)--wrap=%)
endif

$(SANITIZE)/address/%.o: FLAGS += -fopenmp -D_GLIBCXX_ASSERTIONS $(UNDEFINED)
$(SANITIZE)/check_address: LINK += -fopenmp $(UNDEFINED)
$(SANITIZE)/check_address: $(call CHECKED,address) $(FAILING_MEMORY)

# Compiled with OpenMP, linked without it: see openmp_on_threads.cpp.
$(SANITIZE)/thread/%.o: FLAGS += -fopenmp -fsanitize=thread
$(SANITIZE)/check_thread: LINK += -pthread -fsanitize=thread
$(SANITIZE)/check_thread: $(call CHECKED,thread) $(SANITIZE)/thread/openmp_on_threads.o

$(SANITIZE)/no_openmp/%.o: FLAGS += -Wno-unknown-pragmas $(UNDEFINED)
$(SANITIZE)/check_no_openmp: LINK += $(UNDEFINED)
$(SANITIZE)/check_no_openmp: $(call CHECKED,no_openmp)

define COMPILE_CHECKED
$(SANITIZE)/$(1)/%.o: ext/tests/%.cpp $(SANITIZE)/unicode_classes.hpp
	@mkdir -p $$(@D)
	$$(CXX_CHECKED) $$(FLAGS) -I$(SANITIZE) -Iext -MMD -MP -c $$< -o $$@
endef
define COMPILE_PART
$(SANITIZE)/$(1)/%.o: ext/%.cpp $(SANITIZE)/unicode_classes.hpp
	@mkdir -p $$(@D)
	$$(CXX_CHECKED) $$(FLAGS) -I$(SANITIZE) -Iext -MMD -MP -c $$< -o $$@
endef
$(foreach program,address thread no_openmp,$(eval $(call COMPILE_PART,$(program))))
$(foreach program,address thread no_openmp,$(eval $(call COMPILE_CHECKED,$(program))))

$(SANITIZE)/check_address $(SANITIZE)/check_thread $(SANITIZE)/check_no_openmp:
	$(CXX_CHECKED) $^ $(LINK) -o $@

$(SANITIZE)/unicode_classes.hpp: ext/unicode_classes.py $(BUILD_TOOLS)
	@mkdir -p $(@D)
	$(BIN)/python ext/unicode_classes.py $@

-include $(wildcard $(SANITIZE)/*/*.d)

sanitize: $(SANITIZE)/check_address $(SANITIZE)/check_thread $(SANITIZE)/check_no_openmp  ## Check the C++ under the address, undefined-behaviour and thread sanitizers
	$(SANITIZE)/check_address 4
	TSAN_OPTIONS=halt_on_error=1 $(SANITIZE)/check_thread 2
	$(SANITIZE)/check_no_openmp 1
	@echo "sanitize: nothing found"

sanitize-short: $(SANITIZE)/check_address  ## The first two of them, in a minute, with fewer random texts; -j2 compiles two at a time
	$(SANITIZE)/check_address 1
	@echo "sanitize-short: nothing found"

format: $(INSTALLED)  ## Format the Python files
	$(BIN)/python -m pip install --quiet --disable-pip-version-check ruff
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:  ## Remove .venv, builds and results
	rm -rf $(VENV) build dist results .pytest_cache .mypy_cache .ruff_cache .hypothesis
