# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

check_PROGRAMS += tests/bench/bare-copy tests/bench/bare-read
tests_bench_bare_copy_SOURCES = tests/bench/bare-copy.c $(BARE_SOURCES) $(BOUNDED_ARCHIVE_SOURCES)
tests_bench_bare_copy_LDADD = $(BARE_LIBS)
tests_bench_bare_read_SOURCES = tests/bench/bare-read.c $(BARE_SOURCES)
tests_bench_bare_read_LDADD = $(BARE_LIBS)
check_PROGRAMS += tests/bench/clock-error
tests_bench_clock_error_SOURCES = tests/bench/clock-error.c $(BARE_SOURCES)
tests_bench_clock_error_LDADD = $(BARE_LIBS)
BARE_SOURCES = tests/bench/bare.c tests/bench/bare.h tests/bench/otf2_kinds.h
BOUNDED_ARCHIVE_SOURCES = tests/support/generate/bounded_archive.c tests/support/generate/bounded_archive.h

# What could be known of clocks at best: see tests/bench/accuracy.sh.
check_PROGRAMS += tests/bench/clock-bound
tests_bench_clock_bound_SOURCES = tests/bench/clock-bound.c tests/bench/clock-bound-smooth.c tests/bench/clock-bound.h \
	$(ORACLE_SOURCES)
tests_bench_clock_bound_LDADD = $(LDADD) -lm

if HAVE_YAJL
check_PROGRAMS += tests/bench/bare-json
endif
tests_bench_bare_json_SOURCES = tests/bench/bare-json.c
tests_bench_bare_json_CPPFLAGS = $(AM_CPPFLAGS) $(YAJL_CFLAGS)
tests_bench_bare_json_LDADD = $(YAJL_LIBS)

EXTRA_DIST += \
	tests/bench/ablation.py \
	tests/bench/ablation.txt \
	tests/bench/accuracy.sh \
	tests/bench/coverage.sh \
	tests/bench/domains.sh \
	tests/bench/growth.py \
	tests/bench/latency.py \
	tests/bench/readers.py \
	tests/bench/readers.sh \
	tests/bench/run.sh \
	tests/bench/scratch.sh \
	tests/bench/shared-clocks.sh \
	tests/bench/shared-clocks.txt

# For tests/bench/domains.sh.
check_LTLIBRARIES += tests/bench/chain/chain.la
tests_bench_chain_chain_la_LDFLAGS = $(TEST_FILTER_LDFLAGS)
