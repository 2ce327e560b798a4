# The C++ under the sanitizers, compiled from ext/tests and the parts of `native`. Included by tools/more.mk.

.PHONY: sanitize sanitize-short

comma := ,
SANITIZE := build/sanitize
CHECKS := check_native check_counting check_encoding check_stages slow_counting portable_scanner bad_hash
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

vpath %.cpp ext ext/tests
define COMPILE_CHECKED
$(SANITIZE)/$(1)/%.o: %.cpp $(SANITIZE)/unicode_classes.hpp
	@mkdir -p $$(@D)
	$$(CXX_CHECKED) $$(FLAGS) -I$(SANITIZE) -Iext -MMD -MP -c $$< -o $$@
endef
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
