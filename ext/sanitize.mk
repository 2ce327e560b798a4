# The C++ without Python: ext/tests and the parts of `native`, in several builds. Included by tools/more.mk.

comma := ,
SANITIZE := build/sanitize
CHECKS := check_native check_counting check_encoding check_stages slow_counting portable_scanner bad_hash
PARTS := counter stages text_encoder
UNDEFINED := -fsanitize=address,undefined -fno-sanitize-recover=all

# Of a build: its compiler, flags, further sources, what runs its program, how often, and packages of Debian that bring these.
address.flags := -fopenmp -D_GLIBCXX_ASSERTIONS $(UNDEFINED)
address.rounds := 4
# In one of the programs memory can fail: GNU's linker puts our own malloc in its place.
ifeq ($(shell uname),Linux)
address.sources := failing_memory check_failing_memory
address.flags += -DBPE_LAB_FAILING_MEMORY
address.link := $(patsubst %,-Wl$(comma)--wrap=%,malloc calloc _Znwm)
endif
# Compiled with OpenMP, linked without it: see openmp_on_threads.cpp.
thread.flags := -fsanitize=thread -pthread
thread.compile := -fopenmp
thread.sources := openmp_on_threads
thread.run := TSAN_OPTIONS=halt_on_error=1
thread.rounds := 2
no_openmp.flags := -Wno-unknown-pragmas $(UNDEFINED)
portable.flags := -fopenmp -DBPE_LAB_PORTABLE= $(UNDEFINED)
debug.flags := -fopenmp -D_GLIBCXX_DEBUG $(UNDEFINED)
clang.cxx := clang++
clang.flags := -fopenmp $(UNDEFINED)
clang.run := ASAN_OPTIONS=detect_leaks=0  # LLVM's OpenMP library leaks
clang.packages := clang libomp-dev
# The address sanitizer does not run under the emulator.
aarch64.cxx := aarch64-linux-gnu-g++
aarch64.flags := -fopenmp -fsanitize=undefined -fno-sanitize-recover=all
aarch64.run := qemu-aarch64 -L /usr/aarch64-linux-gnu
aarch64.packages := g++-aarch64-linux-gnu qemu-user

# A fuzzer's program: the address sanitizer would take five times as long.
fuzz.cxx := clang++
fuzz.flags := -O2 -fsanitize=fuzzer,undefined -fno-sanitize-recover=all -fno-sanitize-coverage=trace-cmp \
  -Wno-unknown-pragmas -Wno-unused-private-field -DBPE_LAB_FUZZ
fuzz.sources := fuzz

SANITIZED := address thread no_openmp
BUILDS := $(SANITIZED) portable debug clang aarch64
.PHONY: sanitize sanitize-short platforms fuzz $(BUILDS:%=$(SANITIZE)/%.said)

CXX_CHECKED = $(or $($(1).cxx),$${CXX:-c++}) -std=c++17 -O1 -g1 -fno-omit-frame-pointer -Wall -Wextra -Werror $($(1).flags)

vpath %.cpp ext ext/tests
define BUILD_CHECKED
$(SANITIZE)/$(1)/%.o: %.cpp $(SANITIZE)/unicode_classes.hpp
	@mkdir -p $$(@D)
	$$(call CXX_CHECKED,$(1)) $$($(1).compile) -I$(SANITIZE) -Iext -MMD -MP -c $$< -o $$@
$(SANITIZE)/check_$(1): $(patsubst %,$(SANITIZE)/$(1)/%.o,$(CHECKS) $(PARTS) $($(1).sources))
	$$(call CXX_CHECKED,$(1)) $$^ $$($(1).link) -o $$@
$(SANITIZE)/$(1).said: $(SANITIZE)/check_$(1)
	$$($(1).run) $$< $$(or $$($(1).rounds),1) >$$@
	@cat $$@
endef
$(foreach build,$(BUILDS) fuzz,$(eval $(call BUILD_CHECKED,$(build))))

$(SANITIZE)/unicode_classes.hpp: ext/unicode_classes.py $(BUILD_TOOLS)
	@mkdir -p $(@D)
	$(BIN)/python ext/unicode_classes.py $@

-include $(wildcard $(SANITIZE)/*/*.d)

# Whether a compiler or an emulator is there is tried with a program that does nothing.
platforms: $(SANITIZE)/unicode_classes.hpp  ## Check the C++ in every build: sanitizers, portable, clang, arm64 emulated; all have the same digest
	@rm -f $(SANITIZE)/*.said
	@set -e; $(foreach build,$(BUILDS),if echo 'int main() {}' | $(call CXX_CHECKED,$(build)) -x c++ - -o $(SANITIZE)/tried 2>/dev/null && \
	$($(build).run) $(SANITIZE)/tried 2>/dev/null; then $(MAKE) $(SANITIZE)/$(build).said; \
	else echo "platforms: $(build) is left out: its compiler or emulator is missing: apt-get install $(or $($(build).packages),g++)"; fi;)
	@grep digest $(SANITIZE)/*.said; digests=$$(grep -h digest $(SANITIZE)/*.said | sort -u | wc -l); \
	test $$digests = 1 || { echo "platforms: $$digests digests: one build computes something else" >&2; exit 1; }
	@echo "platforms: $$(ls $(SANITIZE)/*.said | wc -l) builds: one digest, nothing found"

fuzz: $(INSTALLED)  ## Let a fuzzer look for wrong results for SECONDS=60 in all; PART=counting is one of three parts
	@command -v $(fuzz.cxx) >/dev/null || { echo "no $(fuzz.cxx): install it (Debian, Ubuntu: apt-get install clang)" >&2; exit 1; }
	@$(MAKE) $(SANITIZE)/check_fuzz
	$(BIN)/python tools/fuzz.py $(SANITIZE)/check_fuzz --seconds $(or $(SECONDS),60) $(PART:%=--part %)

sanitize: $(SANITIZED:%=$(SANITIZE)/%.said)  ## Check the C++ under the address, leak, undefined-behaviour and thread sanitizers
	@echo "sanitize: nothing found"

sanitize-short: $(SANITIZE)/check_address  ## The first three of them, in a minute, with fewer random texts; -j2 compiles two at a time
	$(SANITIZE)/check_address 1
	@echo "sanitize-short: nothing found"
