# SPDX-License-Identifier: GPL-2.0-only
# hist: a single makefile without a configure step. `make help` lists the targets.

PREFIX ?= /usr/local
bindir ?= $(PREFIX)/bin
libdir ?= $(PREFIX)/lib
includedir ?= $(PREFIX)/include
mandir ?= $(PREFIX)/share/man
datadir ?= $(PREFIX)/share/hist
docdir ?= $(PREFIX)/share/doc/hist
completionsdir ?= $(PREFIX)/share/bash-completion/completions
zshdir ?= $(PREFIX)/share/zsh/site-functions
fishdir ?= $(PREFIX)/share/fish/vendor_completions.d
pythondir ?= $(PREFIX)/lib/python3/dist-packages
plugindir ?= $(libdir)/hist/plugins

CC ?= gcc
AR ?= ar
LD ?= ld
OBJCOPY ?= objcopy
PKG_CONFIG ?= pkg-config
INSTALL ?= install
JOBS ?= $(shell nproc)

# O=DIR builds in DIR instead of ./build; the program is then DIR/hist.
ifdef O
  OUT := $(O)
  PROGRAM := $(O)/hist
else
  OUT := build
  PROGRAM := hist
endif

ifneq ($(V),1)
  Q := @
  say = @printf '  %-7s %s\n' $(1) $(2);
endif

VERSION := $(shell sed -n 's/^.define HIST_VERSION "\(.*\)"/\1/p' src/hist.h)
SONAME := libhist.so.$(firstword $(subst ., ,$(VERSION)))

# In a git checkout, compiler warnings are errors; a release never has -Werror.
DEVELOPER ?= $(if $(wildcard .git),1,0)

CFLAGS ?= -O2 -g
warnings := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wdeclaration-after-statement -Wwrite-strings \
	-Wpointer-arith -Wformat=2 -Wundef -Wno-format-nonliteral
ifeq ($(DEVELOPER),1)
  warnings += -Werror
endif

lib_needs := libtraceevent zlib libzstd
libs := $(lib_needs) libtracefs
# Only their headers: they are loaded when they are needed.
loaded := libelf libdw sqlite3
# libiberty is a static library without a description.
other_libs := -liberty -ldl -lm
# Expanded once, and only when something is compiled, so that `make help` needs no packages.
pkg_cflags = $(eval pkg_cflags := $(shell $(PKG_CONFIG) --cflags $(libs) $(loaded)))$(pkg_cflags)
pkg_libs = $(eval pkg_libs := $(shell $(PKG_CONFIG) --libs $(libs)) $(other_libs))$(pkg_libs)

# Doubles of 64 bits, and files over 2 GB, on all machines; this is not the default on i386.
alike = $(eval alike := -D_FILE_OFFSET_BITS=64 \
	$(if $(filter i386-% i486-% i586-% i686-% x86_64-%,$(shell $(CC) -dumpmachine)),-msse2 -mfpmath=sse))$(alike)

# SANITIZE: flags for both compiler and linker, such as -fsanitize=address.
ALL_CFLAGS = -std=gnu11 -D_GNU_SOURCE $(alike) $(warnings) -pthread -fno-common -fPIC -fvisibility=hidden -Isrc -Iplugins \
	$(pkg_cflags) $(CPPFLAGS) $(CFLAGS) $(FILE_CFLAGS) $(SANITIZE)
ALL_LDFLAGS = -pthread $(LDFLAGS) $(SANITIZE)

# --- objects and libraries ---

# libhist consists of the modules and hist.c. src/record, which needs root and a kernel, src/live
# and src/top, which use it, are only in the program.
modules := base codec json parquet objects trace_dat ring_buffer ring_writer event lang perfetto_format code tracing_map import program tracing count bind ask run derive result table print timeline picture saved plugin \
	names recording replay save tracefs slim events inspect dynevent diff why summary recipe sqlite
lib_src := $(filter-out src/sqlite/extension.c,$(wildcard src/hist.c src/hist_merge.c $(modules:%=src/%/*.c)))
record_src := $(wildcard src/record/*.c src/live/*.c src/top/*.c src/sql/*.c src/mcp/*.c)
cmd_src := $(wildcard src/main.c src/cmd/*.c)
unit_src := $(wildcard tests/unit/*_test.c)
fuzz_src := $(wildcard tests/fuzz/*_fuzz.c)
# ANEW: only these are compiled, the others are those of the directory SAME.
objects = $(if $(SAME),$(foreach o,$(1:.c=.o),$(if $(filter $o,$(ANEW)),$(OUT),$(SAME))/$o),$(1:%.c=$(OUT)/%.o))
lib_obj := $(call objects,$(lib_src))
record_obj := $(call objects,$(record_src))
cmd_obj := $(cmd_src:%.c=$(OUT)/%.o)
unit_bin := $(unit_src:tests/unit/%.c=$(OUT)/tests/%)
fuzz_bin := $(fuzz_src:tests/fuzz/%.c=$(OUT)/tests/%)
input_bin := $(fuzz_src:tests/fuzz/%_fuzz.c=$(OUT)/tests/inputs/%)
bench_bin := $(patsubst tests/bench/%.c,$(OUT)/bench/%,$(wildcard tests/bench/*.c))

extension := $(OUT)/sqlite/hist.so
plugin_files := $(patsubst plugins/%.c,$(OUT)/plugins/%.so,$(wildcard plugins/*.c))
lib_files := $(OUT)/lib/libhist.a $(OUT)/lib/libhist.so.$(VERSION)

.PHONY: all lib
all: $(if $(wildcard src/main.c),$(PROGRAM)) lib $(plugin_files) $(extension)
lib: $(lib_files)

$(PROGRAM): $(cmd_obj) $(OUT)/libhist.a
	$(call say,LINK,$@)$(CC) $(ALL_LDFLAGS) -o $@ $^ $(pkg_libs)

# All objects, for the program and the unit tests, which use the headers of the modules.
$(OUT)/libhist.a: $(lib_obj) $(record_obj)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $^

# The installed library: exports only symbols that the public headers declare. Functions that gcc
# adds for i386, of which a program needs one copy, are hidden, too: they are no longer in a group.
$(OUT)/lib/libhist.a: $(lib_obj)
	$(call say,AR,$@)mkdir -p $(@D) && rm -f $@ && \
		$(LD) -r --force-group-allocation -o $(@D)/hist.o $^ && \
		$(OBJCOPY) --localize-hidden $(@D)/hist.o && $(AR) rcs $@ $(@D)/hist.o

$(OUT)/lib/libhist.so.$(VERSION): $(lib_obj) src/libhist.map
	$(call say,LINK,$@)mkdir -p $(@D) && $(CC) -shared -Wl,-soname,$(SONAME) -Wl,--version-script,src/libhist.map $(if $(SANITIZE),,-Wl,-z,defs) \
		$(ALL_LDFLAGS) -o $@ $(lib_obj) $(shell $(PKG_CONFIG) --libs $(lib_needs)) $(other_libs) && \
		ln -sf $(@F) $(@D)/$(SONAME) && ln -sf $(SONAME) $(@D)/libhist.so

$(OUT)/plugins/%.so: plugins/%.c plugins/hist-plugin.h plugins/utf8-length.h plugins/exposition.h src/diff/function_name.h $(OUT)/.flags
	$(call say,PLUGIN,$<)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -shared $(ALL_LDFLAGS) -o $@ $<

# It is complete: its libhist is not that of the system.
$(extension): $(OUT)/src/sqlite/extension.o $(OUT)/libhist.a
	$(call say,LINK,$@)mkdir -p $(@D) && $(CC) -shared $(ALL_LDFLAGS) -Wl,--exclude-libs,ALL -o $@ $^ \
		$(shell $(PKG_CONFIG) --libs $(lib_needs)) $(other_libs)

# The directory of plugins; only this file contains it.
$(OUT)/src/plugin/plugins.o: $(OUT)/.plugindir
$(OUT)/src/plugin/plugins.o: private FILE_CFLAGS := -DHIST_INSTALLED_PLUGINS='"$(plugindir)"'
$(OUT)/.plugindir: FORCE | $(OUT)/.deps
	@echo '$(plugindir)' | cmp -s - $@ || echo '$(plugindir)' >$@

# The directory of recipes, likewise.
$(OUT)/src/recipe/recipe_file.o: $(OUT)/.datadir
$(OUT)/src/recipe/recipe_file.o: private FILE_CFLAGS := -DHIST_INSTALLED_RECIPES='"$(datadir)/recipes"'
$(OUT)/.datadir: FORCE | $(OUT)/.deps
	@echo '$(datadir)' | cmp -s - $@ || echo '$(datadir)' >$@

# The style and the script of html pages, as C.
$(OUT)/src/picture/html_page.o: $(OUT)/picture/page.inc
$(OUT)/src/picture/html_page.o: private FILE_CFLAGS := -I$(OUT)
$(OUT)/picture/page.inc: src/picture/embed src/picture/page.css src/picture/page.js src/timeline/timeline.js | $(OUT)/.deps
	$(call say,EMBED,$@)mkdir -p $(@D) && sh $^ >$@.new && mv $@.new $@

$(OUT)/%.o: %.c $(OUT)/.flags | $(OUT)/.deps
	$(call say,CC,$<)mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

test_build = mkdir -p $(@D) && $(CC) $(ALL_CFLAGS) -Itests/unit -MMD -MP -MF $@.d $(ALL_LDFLAGS) -o $@ $< \
	$(OUT)/libhist.a $(pkg_libs) $(shell $(PKG_CONFIG) --cflags --libs libtracecmd) $(TEST_LDFLAGS)

# The allocations of the library are redirected to the test, which makes them fail.
$(OUT)/tests/%_nomem_test: TEST_LDFLAGS = $(addprefix -Wl$(comma)--wrap=,malloc calloc realloc strdup strndup \
	arena_alloc arena_strdup arena_strndup arena_printf)
comma := ,

$(OUT)/tests/%_test: tests/unit/%_test.c $(OUT)/libhist.a | $(OUT)/.deps-check
	$(call say,CC,$<)$(test_build) -lcmocka

# Targets may also use parts of the verbs.
fuzz_build = $(subst $(OUT)/libhist.a,$(OUT)/cmd.a $(OUT)/libhist.a,$(test_build)) -lcmocka
$(OUT)/tests/%_fuzz: tests/fuzz/%_fuzz.c $(OUT)/cmd.a $(OUT)/libhist.a
	$(call say,CC,$<)$(fuzz_build) -fsanitize=fuzzer
# without libFuzzer, for the stored inputs
$(OUT)/tests/inputs/%: tests/fuzz/%_fuzz.c $(OUT)/cmd.a $(OUT)/libhist.a | $(OUT)/.deps-check
	$(call say,CC,$<)$(fuzz_build)

$(OUT)/cmd.a: $(cmd_obj)
	$(call say,AR,$@)rm -f $@ && $(AR) rcs $@ $(filter-out %/main.o,$^)

$(OUT)/bench/%: tests/bench/%.c $(OUT)/libhist.a
	$(call say,CC,$<)$(test_build)

-include $(OUT)/src/sqlite/extension.d $(bench_bin:=.d) $(lib_obj:.o=.d) $(record_obj:.o=.d) $(cmd_obj:.o=.d) $(unit_bin:=.d) $(fuzz_bin:=.d) $(input_bin:=.d)

# After a change of flags in the same directory, everything is compiled again.
$(OUT)/.flags: FORCE | $(OUT)/.deps
	@echo '$(CC) $(ALL_CFLAGS)' | cmp -s - $@ || echo '$(CC) $(ALL_CFLAGS)' >$@
FORCE:

# --- tests: each target runs tests/run on its part, which ends with "N passed, N failed" ---

# Recordings with the kernel's own output, as KERNEL/SCENARIO: all, or the project's selection. GOLDEN='[!e]*':
# only those of such names.
GOLDEN ?= *
GOLDEN_DIRS ?= $(or $(wildcard ../shared/corpus),tests/golden)

unit_tests := $(unit_bin)
cli_tests = $(wildcard tests/cli/*.t)
record_tests = $(wildcard tests/record/*.t)
golden_tests = $(patsubst %/,%,$(wildcard $(GOLDEN_DIRS:%=%/*/$(GOLDEN)/)))
layers_tests := tests/house/layers.t
symbols_tests := tests/house/symbols.t
man_tests := tests/house/man.t
inputs_tests := tests/fuzz/inputs.t
other_tests = $(filter-out $(layers_tests) $(symbols_tests) $(man_tests),$(wildcard tests/house/*.t))

# Tests that record mostly wait, so there are more of them than CPUs.
test_jobs = $(if $(filter file,$(origin JOBS)),$(shell expr $(JOBS) + 2),$(JOBS))
run_tests = $(Q)BUILD=$(OUT) HIST=$(PROGRAM) SANITIZE='$(SANITIZE)' CC='$(CC)' MAKE='$(MAKE)' tests/run -j$(test_jobs)
parts := unit cli record golden layers symbols man inputs

.PHONY: check $(parts:%=check-%)
check $(parts:%=check-%): $(OUT)/.deps-check all
check check-unit: $(unit_bin)
check check-inputs: $(input_bin)
check check-cli valgrind: $(addprefix $(OUT)/bench/,make_recording loop to_perf) $(OUT)/tests/second_reader_test $(OUT)/tests/answers_top
# CHECK='unit cli': only these parts
CHECK ?= $(parts) other
check:
	$(run_tests) $(foreach p,$(CHECK),$($(p)_tests))
$(parts:%=check-%):
	$(run_tests) $($(@:check-%=%)_tests)

# Every plan has the result of --plan=plain: on the recordings of the golden tests in many
# forms, with SEEDS random scripts from SEED on, and with a hash under which all keys collide.
# Only objects that use these macros, also in a header, differ.
with_small_parts = $(patsubst $(OUT)/%.d,%.o,$(shell grep -lwF \
	"$$(grep -rlwE 'TRACING_MAP_ONE_HASH|SMALL_PARTS' src)" $(lib_obj:.o=.d) $(record_obj:.o=.d)))
.PHONY: check-plan
check-plan: $(OUT)/.deps-check all $(OUT)/tests/replay_plan_test $(OUT)/tests/plan_forms
	$(Q)$(MAKE) O=$(OUT)-one-hash CFLAGS='$(CFLAGS) -DTRACING_MAP_ONE_HASH -DSMALL_PARTS' SAME=$(OUT) ANEW='$(with_small_parts)' \
		$(addprefix $(OUT)-one-hash/tests/,replay_plan_test hist_api_nomem_test print_hist_test tracing_map_spill_test)
	$(Q)BUILD=$(OUT) ONE_HASH=$(OUT)-one-hash tests/plan/run $(JOBS) $(golden_tests)

$(OUT)/tests/plan_forms: tests/plan/forms.c $(OUT)/libhist.a
	$(call say,CC,$<)$(test_build) -lcmocka

$(OUT)/tests/answers_top: tests/answers/top.c $(OUT)/libhist.a
	$(call say,CC,$<)$(test_build)

# Random questions about random recordings, by all roads: SEEDS recordings from SEED on, ROADS='sql slim'.
.PHONY: check-answers
check-answers: $(OUT)/.deps-check all $(OUT)/tests/answers_top
	$(Q)mkdir -p $(OUT)/answers && TMPDIR=$$(tests/scratch) $(or $(wildcard /usr/bin/python3),python3) -B tests/answers/check.py $(PROGRAM) $(OUT)/answers $(or $(SEED),0) $(or $(SEEDS),1000) $(ROADS)

# Debian's kernels under QEMU; takes minutes. Skipped with a reason if they are not available.
# KERNELS='6.1 7.3' N=10 SEED=1: random programs on these; check-kernels: on all available ones.
.PHONY: check-kernel check-kernels
kernel_scripts ?= $(wildcard tests/kernel/*.t)
kernel_tests = KERNEL_CPUS="$(KERNEL_CPUS)" KERNELS="$(KERNELS)" BUILD=$(OUT) HIST=$(PROGRAM) tests/run
check-kernel: $(OUT)/.deps-check all
	$(Q).ci/deps kernel || true
	$(Q)TEST_TIMEOUT=$${TEST_TIMEOUT:-1800} $(kernel_tests) $(kernel_scripts)

check-kernels: KERNELS := 6.1 6.12 6.16 6.17 6.18 6.19 7.0 7.1 7.2 7.3
check-kernels: $(OUT)/.deps-check all
	$(Q).ci/deps kernel || true
	$(Q)TEST_TIMEOUT=0 N=$${N:-1000} SETS=1 RESULT=$(OUT)/kernels.txt $(kernel_tests) tests/kernel/programs.t
	$(Q)cat $(OUT)/kernels.txt

# README's two commands on other releases of Debian, in chroots; takes half an hour. DEBIANS='trixie
# sid'.
.PHONY: check-debian
check-debian:
	$(Q).ci/deps debian || true
	$(Q)TEST_TIMEOUT=$${TEST_TIMEOUT:-0} DEBIANS="$(DEBIANS)" COMPILERS="$(COMPILERS)" tests/run tests/debian/debian.t

# The tests on other processors, by cross compilers and qemu-user. PORTS='arm64 s390x' and
# PARTS='unit golden' limit them.
.PHONY: check-ports
check-ports:
	$(Q).ci/deps ports || true
	$(Q)TEST_TIMEOUT=$${TEST_TIMEOUT:-0} PORTS="$(PORTS)" PARTS="$(PARTS)" GOLDEN="$(GOLDEN)" tests/run tests/ports/ports.t

# The programs that the examples for many machines use; a plain check does not install them.
.PHONY: check-fleet
check-fleet: all
	$(Q).ci/deps fleet
	$(run_tests) tests/house/fleet.t

# Packages are built, installed in clean Debians (RELEASES), tested and removed; takes minutes.
RELEASES ?= bookworm trixie
.PHONY: check-packages
check-packages:
	$(Q).ci/deps build packages
	$(Q)TEST_TIMEOUT=$${TEST_TIMEOUT:-3600} RELEASES='$(RELEASES)' MAKE='$(MAKE)' BUILD=$(OUT) tests/run tests/packages/*.t

.PHONY: asan ubsan tsan
asan: sanitizer := -fsanitize=address
ubsan: sanitizer := -fsanitize=undefined
tsan: sanitizer := -fsanitize=thread
asan ubsan tsan:
	$(Q)$(MAKE) O=$(OUT)-$@ SANITIZE='$(sanitizer) -fno-sanitize-recover=all -fno-omit-frame-pointer' check

.PHONY: valgrind fuzz bench coverage
valgrind: all $(unit_bin)
	$(Q).ci/deps check valgrind
	$(run_tests) --valgrind $(unit_tests) $(cli_tests)

# Run each target in tests/fuzz for FUZZ_SECONDS, or MINUTES; findings stay in build-fuzz.
FUZZ_SECONDS ?= $(if $(MINUTES),$(shell expr $(MINUTES) \* 60),60)
fuzz:
	$(Q).ci/deps build check fuzz
	$(Q)$(MAKE) O=$(OUT)-fuzz CC=clang-14 SANITIZE='-fsanitize=address,undefined,fuzzer-no-link' fuzz-run
fuzz-run: $(fuzz_bin)
	$(Q)tests/fuzz/run $(FUZZ_SECONDS) $(OUT) $(fuzz_bin)

# Compare with other programs; tests/bench/Bench.pm describes the variables.
bench: all $(bench_bin)
	$(Q).ci/deps check valgrind
	$(Q)for part in run peers large grows; do BUILD=$(OUT) HIST=$(PROGRAM) tests/bench/$$part || exit; done

coverage:
	$(Q)$(MAKE) O=$(OUT)-coverage CFLAGS='-O0 -g' SANITIZE=--coverage check
	$(Q)tests/coverage $(OUT)-coverage

# --- lint: also separately, by the parts of .ci/lint ---

c_files := $(wildcard $(foreach d,src src/* plugins examples tests/unit tests/fuzz tests/bench,$(d)/*.c $(d)/*.h))
lint_parts := format-check clang tidy cppcheck shellcheck

.PHONY: lint $(lint_parts) format hooks
lint: $(lint_parts)
$(lint_parts): $(OUT)/.deps-lint
	$(call say,LINT,$@)JOBS=$(JOBS) CFLAGS='$(filter-out -W%,$(ALL_CFLAGS)) -Itests/unit $(shell $(PKG_CONFIG) --cflags libtracecmd)' .ci/lint $@ $(c_files)
format:
	clang-format-14 -i $(c_files)
hooks:
	git config core.hooksPath .githooks

# --- demo, install, dist ---

.PHONY: demo pictures install uninstall dist deb rpm clean help
demo: all
	$(Q).ci/demo $(PROGRAM)

# The pictures of README, from the samples.
pictures: all
	$(Q).ci/deps browser
	$(Q).ci/pictures $(abspath $(PROGRAM)) pictures

man_pages := $(wildcard man/*.[1357])
headers := $(wildcard src/hist.h src/hist-*.h plugins/hist-plugin.h)
examples := $(wildcard examples/*.* examples/*/*)

# The libraries that libhist needs, for static linking.
$(OUT)/lib/hist.pc: FORCE
	@mkdir -p $(@D)
	@printf '%s\n' 'prefix=$(PREFIX)' 'libdir=$(libdir)' 'includedir=$(includedir)' '' 'Name: libhist' \
		'Description: replays ftrace recordings under hist triggers' 'Version: $(VERSION)' \
		'Requires.private: $(lib_needs)' 'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lhist' \
		'Libs.private: -pthread $(other_libs)' >$@

# FILE:DESTINATION of everything that is installed; symbolic links are preserved.
installed := $(PROGRAM):$(bindir)/hist \
	$(foreach f,libhist.a libhist.so.$(VERSION) $(SONAME) libhist.so,$(OUT)/lib/$(f):$(libdir)/$(f)) \
	$(OUT)/lib/hist.pc:$(libdir)/pkgconfig/hist.pc \
	$(foreach h,$(headers),$(h):$(includedir)/$(notdir $(h))) \
	$(foreach p,$(plugin_files),$(p):$(plugindir)/$(notdir $(p))) \
	python/hist.py:$(pythondir)/hist.py \
	$(extension):$(libdir)/hist/sqlite/hist.so \
	$(foreach e,$(examples),$(e):$(docdir)/$(e)) \
	completion/hist:$(completionsdir)/hist completion/_hist:$(zshdir)/_hist \
	completion/hist.fish:$(fishdir)/hist.fish \
	$(foreach s,$(wildcard share/*.json),$(s):$(datadir)/$(notdir $(s))) \
	$(foreach r,$(wildcard share/hist/recipes/*.hist share/hist/recipes/other-tools),$(r):$(datadir)/recipes/$(notdir $(r))) \
	$(foreach p,$(man_pages),$(p):$(mandir)/man$(subst .,,$(suffix $(p)))/$(notdir $(p)))

# The manual names the directories of the default PREFIX; installed pages name the real ones.
man_path = s|/usr/local/$(1)|$(subst -,\\-,$(2))|
install: all $(OUT)/lib/hist.pc
	$(call say,INSTALL,$(DESTDIR)$(PREFIX))for f in $(installed); do \
		from=$${f%:*} to=$(DESTDIR)$${f#*:}; \
		if [ -h $$from ]; then ln -sf $$(readlink $$from) $$to; \
		elif [ $${from#man/} != $$from ]; then \
			sed '$(call man_path,lib/hist/plugins,$(plugindir)); $(call man_path,lib/hist/sqlite,$(libdir)/hist/sqlite); $(call man_path,share/doc/hist,$(docdir))' $$from | \
				$(INSTALL) -D -m 644 /dev/stdin $$to; \
		else $(INSTALL) -D -m $$(test -x $$from && echo 755 || echo 644) $$from $$to; fi || exit; \
	done
uninstall:
	rm -f $(foreach f,$(installed),$(DESTDIR)$(lastword $(subst :, ,$(f))))

# In a git checkout, pack the committed files, otherwise all files. The archive is reproducible:
# names are sorted, times are those of the release, and there are no owners.
dist_name := hist-$(VERSION)
tarball := $(OUT)/$(dist_name).tar.gz
release_time = $(or $(SOURCE_DATE_EPOCH),$(shell date -u +%s -d "$$(sed -n 's/^.. \[$(VERSION)\] - //p' CHANGELOG.md)"))
dist:
	$(Q)rm -rf $(OUT)/dist && mkdir -p $(OUT)/dist/$(dist_name)
	$(call say,DIST,$(tarball))if [ -e .git ]; then \
		git archive HEAD; \
	else \
		tar -c --exclude='./build*' --exclude=./hist --exclude=./$(OUT) .; \
	fi | tar -x -C $(OUT)/dist/$(dist_name)
	$(Q)tar -c --format=gnu --sort=name --mtime=@$(release_time) --owner=0 --group=0 --numeric-owner \
		--mode=u=rwX,go=rX -C $(OUT)/dist $(dist_name) | gzip -9n >$(tarball) && rm -r $(OUT)/dist

# Packages of that tarball: Debian's in OUT/deb, by debian/, rpm's in OUT/rpm, by
# packaging/hist.spec. They are built by separate makes, which must not inherit the variables of
# this one, such as the compiler.
package_env = env -u O -u V MAKEFLAGS= MAKEOVERRIDES= $(if $(filter command%,$(origin CC)),CC='$(CC)')
deb: dist
	$(Q)rm -rf $(OUT)/deb && mkdir -p $(OUT)/deb && tar -xzf $(tarball) -C $(OUT)/deb
	$(call say,DEB,$(OUT)/deb)cd $(OUT)/deb/$(dist_name) && $(package_env) dpkg-buildpackage -us -uc $(DEB_FLAGS)
rpm: dist
	$(Q)rm -rf $(OUT)/rpm
	$(call say,RPM,$(OUT)/rpm)$(package_env) rpmbuild -ba --define '_topdir $(abspath $(OUT))/rpm' \
		--define '_sourcedir $(abspath $(OUT))' $(RPM_FLAGS) packaging/hist.spec

clean:
	rm -rf $(if $(O),$(foreach d,$(OUT) $(sub_builds:%=$(OUT)-%),$(d)),build build-* hist)
sub_builds := one-hash asan ubsan tsan fuzz coverage

# --- required packages (of Debian) ---

# These install missing packages; a plain build only lists them.
demo check check-kernel check-kernels $(parts:%=check-%) valgrind: install_deps := 1

$(OUT)/.deps: .ci/deps
	$(Q)mkdir -p $(OUT) && $(if $(install_deps),.ci/deps build,{ $(PKG_CONFIG) --exists $(libs) $(loaded) 2>/dev/null || .ci/deps -n build; }) && touch $@
$(OUT)/.deps-check: .ci/deps | $(OUT)/.deps
	$(if $(install_deps),$(Q).ci/deps check && touch $@)
$(OUT)/.deps-lint: .ci/deps | $(OUT)/.deps
	$(Q).ci/deps check lint && touch $@

help:
	@sed -n 's/^#: //p' Makefile
#: make            build ./hist (O=DIR: DIR/hist); V=1 shows the commands, DEVELOPER=0|1 -Werror
#: make pictures   make the pictures of README from the samples (needs chromium)
#: make demo       install missing packages, build, print a histogram of a sample recording
#: make check      install missing packages, build, run all tests; also check-unit check-cli
#:                 check-record check-golden check-layers check-symbols check-man check-inputs
#: make check-plan  compare all plans: SEEDS=2000 random scripts, and the recordings of the
#:                 golden tests complete, compressed, cut, damaged
#: make check-answers  SEEDS=1000 random recordings and questions, by all roads: tests/answers
#: make check-kernel  record in a kernel with hist triggers, under QEMU; takes minutes
#: make check-kernels random programs (N=1000) on all of Debian's kernels; takes hours
#: make check-debian  make demo and make check on DEBIANS='trixie sid bookworm/i386', in chroots
#: make check-ports  the tests on PORTS='arm64 s390x riscv64 i386', cross-compiled, under qemu-user
#: make check-fleet  install GNU parallel and Slurm, run the examples with them
#: make asan       the same tests under AddressSanitizer; also ubsan tsan valgrind
#: make lint       clang-format, clang, clang-tidy, cppcheck, shellcheck; make format formats
#: make fuzz       MINUTES=1 for each target; make bench, make coverage
#: make lib        libhist alone; make install: program, library and manual under
#:                 PREFIX=/usr/local, DESTDIR=; make uninstall
#: make check-packages  build the packages, test them in clean Debians; make deb, make rpm
#: make dist       a tarball; make clean; make hooks (git: check before each commit)
