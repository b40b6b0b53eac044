# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Traces of all kinds: trace --help lists them. What the C tests link besides, too, needs nothing but libotf2.
check_PROGRAMS += tests/support/generate/trace
tests_support_generate_trace_SOURCES = \
	tests/support/generate/bench.c \
	tests/support/generate/everything.c \
	tests/support/generate/everything.h \
	tests/support/generate/everything_definitions.c \
	tests/support/generate/extremes.c \
	tests/support/generate/hostile.c \
	tests/support/generate/kinds.h \
	tests/support/generate/large.c \
	tests/support/generate/main.c \
	tests/support/generate/no_messages.c \
	tests/support/generate/odd.c \
	tests/support/generate/quiet.c \
	tests/support/generate/random.c \
	$(RANDOM_TRACE_SOURCES)
tests_support_generate_trace_LDADD = libtcflow_settings.la $(BARE_LIBS)
RANDOM_TRACE_SOURCES = \
	tests/support/generate/random_trace.c \
	tests/support/generate/random_trace.h \
	tests/support/generate/random_trace_collectives.c \
	tests/support/generate/random_trace_counters.c \
	tests/support/generate/random_trace_definitions.c \
	tests/support/generate/random_trace_p2p.c \
	tests/support/generate/random_trace_rare.c \
	tests/support/generate/random_trace_regions.c \
	tests/support/generate/random_trace_threads.c \
	tests/support/generate/random_trace_world.c \
	tests/support/generate/random_trace_world.h \
	$(TRACE_SOURCES)
TRACE_SOURCES = tests/support/generate/trace.c tests/support/generate/trace.h $(BOUNDED_ARCHIVE_SOURCES)

check_PROGRAMS += tests/support/generate/repeat-stream
tests_support_generate_repeat_stream_SOURCES = tests/support/generate/repeat-stream.c
tests_support_generate_repeat_stream_LDADD = $(ZLIB_LIBS)

# Reads a trace whole and computes what the filters compute, obviously and slowly; and its own test.
check_PROGRAMS += tests/support/oracle/oracle tests/support/oracle/selftest
TESTS += tests/support/oracle/selftest
tests_support_oracle_oracle_SOURCES = tests/support/oracle/main.c $(ORACLE_SOURCES)
tests_support_oracle_oracle_LDADD = $(BARE_LIBS)
tests_support_oracle_selftest_SOURCES = tests/support/oracle/selftest.c tests/support/oracle/selftest.h tests/support/oracle/selftest_build.c \
	tests/support/oracle/selftest_clocks.c $(ORACLE_SOURCES)
tests_support_oracle_selftest_LDADD = $(BARE_LIBS)
ORACLE_SOURCES = \
	tests/support/oracle/causes.c \
	tests/support/oracle/causes.h \
	tests/support/oracle/clc.c \
	tests/support/oracle/clc_backward.c \
	tests/support/oracle/clocks.h \
	tests/support/oracle/collectives.c \
	tests/support/oracle/comm_comp.c \
	tests/support/oracle/comms.c \
	tests/support/oracle/traffic.c \
	tests/support/oracle/compare.c \
	tests/support/oracle/critical.c \
	tests/support/oracle/definitions.c \
	tests/support/oracle/delays.c \
	tests/support/oracle/dump.c \
	tests/support/oracle/efficiency.c \
	tests/support/oracle/health.c \
	tests/support/oracle/io.c \
	tests/support/oracle/iterations.c \
	tests/support/oracle/kinds.def \
	tests/support/oracle/lateness.c \
	tests/support/oracle/read_events.c \
	tests/support/oracle/load_imbalance.c \
	tests/support/oracle/match.c \
	tests/support/oracle/oracle.h \
	tests/support/oracle/message_sizes.c \
	tests/support/oracle/metrics.c \
	tests/support/oracle/order.c \
	tests/support/oracle/overhead.c \
	tests/support/oracle/overhead_equations.c \
	tests/support/oracle/overhead_events.c \
	tests/support/oracle/overhead_options.c \
	tests/support/oracle/overhead_run.h \
	tests/support/oracle/posts.c \
	tests/support/oracle/overhead.h \
	tests/support/oracle/ppg.c \
	tests/support/oracle/presync.c \
	tests/support/oracle/print_match.c \
	tests/support/oracle/processes.c \
	tests/support/oracle/profile.c \
	tests/support/oracle/requests.c \
	tests/support/oracle/sources.c \
	tests/support/oracle/threads.c \
	tests/support/oracle/time_profile.c \
	tests/support/oracle/times.c \
	tests/support/oracle/util.c \
	tests/support/oracle/violations.c \
	tests/support/oracle/waits.c \
	tests/support/oracle/waits.h \
	tests/support/oracle/waits_collectives.c \
	tests/support/oracle/waits_messages.c \
	tests/support/oracle/waits_threads.c \
	tests/support/oracle/waits_windows.c \
	tests/support/oracle/walk.c

EXTRA_DIST += \
	tests/support/failing.sh \
	tests/support/failing_calls.c \
	tests/support/harness.h \
	tests/support/lib.sh \
	tests/support/lsan.supp \
	tests/support/allocations.h \
	tests/support/places.h \
	tests/support/power.py \
	tests/support/in_domains.sh \
	tests/support/printed.py \
	tests/support/ranks.py \
	tests/support/random.sh \
	tests/support/readers.sh \
	tests/support/result_file.sh \
	tests/support/valgrind.supp
