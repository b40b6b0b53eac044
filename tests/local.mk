# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# All tests speak TAP. Programs find the trees in the environment, scripts through tests/lib.sh.
LOG_DRIVER = env AM_TAP_AWK='$(AWK)' $(SHELL) $(top_srcdir)/build-aux/tap-driver.sh
SH_LOG_DRIVER = $(LOG_DRIVER)
SH_LOG_COMPILER = $(SHELL)
TEST_EXTENSIONS = .sh
AM_TESTS_ENVIRONMENT = \
	top_srcdir='$(abs_top_srcdir)'; export top_srcdir; \
	top_builddir='$(abs_top_builddir)'; export top_builddir; \
	CC='$(CC)'; export CC; \
	SMPICC='$(SMPICC)'; export SMPICC; \
	MPIRUN='$(MPIRUN)'; export MPIRUN; \
	SMPIRUN='$(SMPIRUN)'; export SMPIRUN; \
	CMOCKA_MESSAGE_OUTPUT=TAP; export CMOCKA_MESSAGE_OUTPUT; \
	ASAN_OPTIONS=detect_leaks=1:abort_on_error=0; export ASAN_OPTIONS; \
	UBSAN_OPTIONS=print_stacktrace=1; export UBSAN_OPTIONS;

# Programs in cmocka, each made of its one source and the framework; scripts.
C_TESTS =
SH_TESTS =
include tests/framework/local.mk
include tests/plugins/local.mk
include tests/tools/local.mk
include tests/house/local.mk
include tests/install/local.mk
include tests/real/local.mk
include tests/support/local.mk
include tests/bench/local.mk
include tests/fuzz/local.mk
SH_TESTS += tests/soak/test_soak.sh
include tests/validation/local.mk

check_PROGRAMS += $(C_TESTS)
# Scripts take longest: they begin, so that no core waits at the end.
TESTS += $(SH_TESTS) $(C_TESTS)
LDADD = kit/harness/libharness.la libtcflow_core.la $(CMOCKA_LIBS)

if !HAVE_CMOCKA
$(C_TESTS): require-cmocka
require-cmocka:
	@echo "make check needs cmocka (Debian: libcmocka-dev); run configure again when it is there" >&2; exit 1
endif

# Filters for tests alone, and the source of a plugin that test_loader builds in many spoilt ways.
TEST_FILTER_LDFLAGS = $(FILTER_LDFLAGS) -rpath '$(filtersdir)'

# What tests and benchmarks start: written straight with libotf2, they share no line with the framework (but that the
# generator of traces reads its options as the tools do).
BARE_LIBS = $(OTF2_LIBS) -lm

# Matching, causal order, the correction of clocks and merging over many random traces: make check-seeds SEEDS=1000 FIRST=1.
SEED_TESTS = tests/plugins/clc/test_properties$(EXEEXT) tests/plugins/correct/test_chain$(EXEEXT) tests/framework/test_causality$(EXEEXT) \
	tests/framework/merge/test_parts$(EXEEXT) tests/framework/test_domains_seeds.sh
check-seeds:
	SEEDS=$${SEEDS:-100} FIRST=$${FIRST:-1} $(MAKE) $(AM_MAKEFLAGS) check TESTS='$(SEED_TESTS)'

# All rounds of all tests, and many random traces.
check-long:
	unset SEEDS FIRST; TCFLOW_LONG=1 $(MAKE) $(AM_MAKEFLAGS) check
	TCFLOW_LONG=1 $(MAKE) $(AM_MAKEFLAGS) check-seeds

# Every allocation of the program and its tools fails once, and every call to the system goes wrong once.
check-oom:
	POINTS=0 $(MAKE) $(AM_MAKEFLAGS) check TESTS=tests/framework/test_failing_memory.sh
check-io:
	POINTS=0 $(MAKE) $(AM_MAKEFLAGS) check TESTS=tests/framework/test_failing_calls.sh

# Writes the table of doc/testing.md anew.
counts:
	$(SHELL) '$(srcdir)/tests/house/counts.sh' '$(abs_top_srcdir)/doc/testing.md' >testing.md.new && \
	mv testing.md.new '$(srcdir)/doc/testing.md'

# The whole test suite with AddressSanitizer and UndefinedBehaviorSanitizer, in a build of its own.
check-asan:
	$(MKDIR_P) build-asan
	cd build-asan && { test -f Makefile || '$(abs_top_srcdir)/configure' --enable-sanitizers CC='$(CC)' CFLAGS='-g -O1'; }
	cd build-asan && $(MAKE) $(AM_MAKEFLAGS) check

# How much of the source the tests reach, room by room: lines and branches, for doc/figures.md. A build of its own, by gcc.
# Some tests fail in it, for gcov's counters are mutable variables and symbols of plugins; the figures come all the same, and
# coverage.txt has the lines that no test reaches. TESTS chooses some. Memory and calls to the system fail in each place (POINTS,
# CALLERS: tests/support/failing.sh), which takes as long as all other tests. Threads share counters, which are atomic for that; with
# -Og there are no branches where a value is known to the compiler, as in expansions of the tables of records.
coverage:
	@test -n '$(GCOVR)' || { echo "gcovr is missing (Debian: gcovr)" >&2; exit 1; }
	$(MKDIR_P) build-coverage
	cd build-coverage && { test -f Makefile || '$(abs_top_srcdir)/configure' CC='$(CC)' CFLAGS='-g -Og --coverage -fprofile-update=atomic'; }
	cd build-coverage && find . '(' -name '*.gcda' -o -name '*conftest.gcno' ')' -exec rm -f {} +
	-cd build-coverage && POINTS=$${POINTS-places} CALLERS=$${CALLERS-3} $(MAKE) $(AM_MAKEFLAGS) check
	top=$$(cd '$(abs_top_srcdir)' && pwd) && cd build-coverage && $(GCOVR) --root "$$top" --object-directory . \
		--filter "$$top/(framework|include|kit|plugins|tools)/" --exclude-branches-by-pattern '.*assert\(.*' \
		--json-summary coverage.json --txt coverage.txt .
	@python3 '$(srcdir)/tests/house/coverage.py' <build-coverage/coverage.json

# Every test program, and every tcflow that a test script starts, under valgrind.
VALGRIND_RUN = $(VALGRIND) --quiet --error-exitcode=99 --leak-check=full --errors-for-leak-kinds=definite \
	--suppressions='$(abs_top_srcdir)/tests/support/valgrind.supp'
check-valgrind:
	@test -n '$(VALGRIND)' || { echo "valgrind is missing (Debian: valgrind)" >&2; exit 1; }
	TCFLOW_WRAPPER='$(VALGRIND_RUN)' $(MAKE) $(AM_MAKEFLAGS) check LOG_COMPILER='$(VALGRIND_RUN)'

bench: all
	$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) $(SHELL) '$(srcdir)/tests/bench/run.sh'

# What several domains save on the clock, and cost: nothing else may run. PARTS (speed cost), EVENTS, RUNS, CHAINS: see there.
bench-domains: all
	$(MAKE) $(AM_MAKEFLAGS) tests/support/generate/trace$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) bash '$(srcdir)/tests/bench/domains.sh' $(PARTS)

# What readers of other formats cost, and the memory that they take.
bench-readers: all
	$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) bash '$(srcdir)/tests/bench/readers.sh'

# What grows faster than its input: CPU time and memory at sizes of which each is eight times the one before. ONLY: things by name.
bench-growth: all
	$(MAKE) $(AM_MAKEFLAGS) tests/support/generate/trace$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) TCFLOW='$(abs_top_builddir)/tcflow' TRACE='$(abs_top_builddir)/tests/support/generate/trace' \
		python3 '$(srcdir)/tests/bench/growth.py' --only '$(ONLY)'

# How near corrected times come to the true ones.
bench-accuracy: all
	$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) $(SHELL) '$(srcdir)/tests/bench/accuracy.sh'

# What each constant of clock_estimate's solver is good for.
bench-ablation: all
	$(MAKE) $(AM_MAKEFLAGS) tests/bench/clock-error$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) python3 '$(srcdir)/tests/bench/ablation.py'

# Is the estimate ever worse than linear interpolation, where ranks share the clock of their node?
bench-shared-clocks: all
	$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) bash '$(srcdir)/tests/bench/shared-clocks.sh'

# Do error bars hold, over kinds of traffic, clocks and sharing?
bench-coverage: all
	$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS)
	$(AM_TESTS_ENVIRONMENT) bash '$(srcdir)/tests/bench/coverage.sh'

# How much of the cost of measurement overhead takes out of traces of real runs: doc/overhead.md. Needs mpicc and mpirun.
validate: all
	$(AM_TESTS_ENVIRONMENT) bash '$(srcdir)/tests/validation/run.sh'

# The same with 2 to 32 ranks in simulated time, the same figures each time. Needs SimGrid's SMPI.
validate-smpi: all
	$(AM_TESTS_ENVIRONMENT) bash '$(srcdir)/tests/validation/run_smpi.sh'

# How often tcflow-scaling finds the known cause of programs drawn from seeds: tests/validation/scaling/README.md. Needs
# SimGrid's SMPI and python3.
validate-scaling: all
	$(AM_TESTS_ENVIRONMENT) bash '$(srcdir)/tests/validation/scaling/run.sh'

# How often the first sentence of a diagnosis names the one flaw of a program drawn from seeds, and how often nothing stands
# out in healthy ones: tests/validation/diagnosis/README.md. Needs python3.
validate-diagnosis: all
	$(AM_TESTS_ENVIRONMENT) bash '$(srcdir)/tests/validation/diagnosis/run.sh'

# What it says of real programs, LAMMPS and HPCC: doc/scaling.md. Needs mpicc, mpirun, and what there is of these programs.
validate-scaling-real: all
	$(AM_TESTS_ENVIRONMENT) bash '$(srcdir)/tests/validation/scaling/real.sh'

# What only hours show: long traces and streams, kills, clocks that are set. Needs python3. EVENTS, RUNS, WHAT: see there.
soak: all
	$(MAKE) $(AM_MAKEFLAGS) tests/support/generate/trace$(EXEEXT)
	$(AM_TESTS_ENVIRONMENT) python3 '$(srcdir)/tests/soak/soak.py'

# Do tests notice a wrong line? A sample of changes of ten central files. Needs python3. MUTANTS, FILES, SEED: see there.
mutants: all
	$(MAKE) $(AM_MAKEFLAGS) $(check_PROGRAMS) $(check_LTLIBRARIES)
	$(AM_TESTS_ENVIRONMENT) python3 '$(srcdir)/tests/mutants/mutants.py'

# libFuzzer over filters, readers and the parser of settings; needs clang. RUNS, SECONDS_EACH, TARGETS: see there.
fuzz:
	$(AM_TESTS_ENVIRONMENT) $(SHELL) '$(srcdir)/tests/fuzz/run.sh'

# Advice on the C sources; needs clang-format and cppcheck.
lint:
	@cd '$(srcdir)' && find examples framework include kit plugins tests tools -name '*.[ch]' -o -name '*.js' | \
		xargs $(CLANG_FORMAT) --dry-run
	@cd '$(srcdir)' && $(CPPCHECK) --quiet --std=c11 --enable=warning,portability --inline-suppr \
		--suppress=missingIncludeSystem -Iinclude -I. framework kit plugins tools

# The tests of the installed tree, by "make distcheck" too.
installcheck-local:
	$(AM_TESTS_ENVIRONMENT) prefix='$(prefix)' bindir='$(DESTDIR)$(bindir)' pkgconfigdir='$(DESTDIR)$(pkgconfigdir)' \
	installed=yes $(SHELL) '$(srcdir)/tests/install/test_install.sh'

clean-local:
	-rm -rf build-asan build-coverage doc/reference/html

.PHONY: bench bench-ablation bench-accuracy bench-coverage bench-domains bench-growth bench-readers bench-shared-clocks check-asan check-io check-long check-oom check-seeds check-valgrind counts coverage fuzz lint mutants require-cmocka soak validate validate-diagnosis validate-scaling validate-scaling-real validate-smpi

EXTRA_DIST += \
	tests/mutants/equivalent \
	tests/mutants/mutants.py \
	tests/soak/soak.py \
	$(SH_TESTS)
