# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The targets without libFuzzer: those of made traces over random inputs, too.
SH_TESTS += tests/fuzz/test_kept.sh tests/fuzz/test_made.sh
FUZZ_READERS = tests/fuzz/replay.c tests/fuzz/readers.h
FUZZ_STREAMS = tests/fuzz/replay.c tests/fuzz/filters.h tests/fuzz/frames.h
if HAVE_YAJL
check_PROGRAMS += tests/fuzz/replay_chrome
tests_fuzz_replay_chrome_SOURCES = tests/fuzz/fuzz_chrome.c $(FUZZ_READERS)
tests_fuzz_replay_chrome_CFLAGS = $(AM_CFLAGS) $(YAJL_CFLAGS)
tests_fuzz_replay_chrome_LDADD = libtcflow_core.la $(YAJL_LIBS)
endif
check_PROGRAMS += tests/fuzz/replay_copies
tests_fuzz_replay_copies_SOURCES = tests/fuzz/fuzz_copies.c tests/fuzz/replay.c tests/fuzz/captured.h tests/fuzz/made.h
tests_fuzz_replay_copies_CFLAGS = $(AM_CFLAGS) $(OTF2_CFLAGS)
tests_fuzz_replay_copies_LDADD = libtcflow_core.la
check_PROGRAMS += tests/fuzz/replay_csv
tests_fuzz_replay_csv_SOURCES = tests/fuzz/fuzz_csv.c $(FUZZ_READERS)
tests_fuzz_replay_csv_LDADD = libtcflow_core.la
check_PROGRAMS += tests/fuzz/replay_events
tests_fuzz_replay_events_SOURCES = tests/fuzz/fuzz_events.c tests/fuzz/replay.c
tests_fuzz_replay_events_CFLAGS = $(AM_CFLAGS) $(OTF2_CFLAGS)
tests_fuzz_replay_events_LDADD = libtcflow_core.la
check_PROGRAMS += tests/fuzz/replay_hpctoolkit
tests_fuzz_replay_hpctoolkit_SOURCES = tests/fuzz/fuzz_hpctoolkit.c $(FUZZ_READERS) tests/fuzz/parts.h
tests_fuzz_replay_hpctoolkit_LDADD = libtcflow_core.la
check_PROGRAMS += tests/fuzz/replay_merge
tests_fuzz_replay_merge_SOURCES = tests/fuzz/fuzz_merge.c $(FUZZ_STREAMS)
tests_fuzz_replay_merge_LDADD = libtcflow_core.la
check_PROGRAMS += tests/fuzz/no_memory_copies tests/fuzz/no_memory_values
tests_fuzz_no_memory_copies_SOURCES = tests/fuzz/no_memory.c tests/fuzz/replay.c
tests_fuzz_no_memory_copies_CPPFLAGS = $(AM_CPPFLAGS) -DOF_COPIES
tests_fuzz_no_memory_copies_CFLAGS = $(AM_CFLAGS) $(OTF2_CFLAGS)
tests_fuzz_no_memory_copies_LDADD = libtcflow_core.la
tests_fuzz_no_memory_values_SOURCES = tests/fuzz/no_memory.c tests/fuzz/replay.c
tests_fuzz_no_memory_values_CFLAGS = $(AM_CFLAGS) $(OTF2_CFLAGS)
tests_fuzz_no_memory_values_LDADD = libtcflow_core.la
if HAVE_SQLITE
check_PROGRAMS += tests/fuzz/replay_nsight
tests_fuzz_replay_nsight_SOURCES = tests/fuzz/fuzz_nsight.c $(FUZZ_READERS)
tests_fuzz_replay_nsight_LDADD = libtcflow_core.la
endif
check_PROGRAMS += tests/fuzz/replay_perfetto
tests_fuzz_replay_perfetto_SOURCES = tests/fuzz/fuzz_perfetto.c $(FUZZ_READERS)
tests_fuzz_replay_perfetto_LDADD = libtcflow_core.la
check_PROGRAMS += tests/fuzz/replay_projections
tests_fuzz_replay_projections_SOURCES = tests/fuzz/fuzz_projections.c $(FUZZ_READERS) tests/fuzz/parts.h
tests_fuzz_replay_projections_LDADD = libtcflow_core.la
check_PROGRAMS += tests/fuzz/replay_settings
tests_fuzz_replay_settings_SOURCES = tests/fuzz/fuzz_settings.c tests/fuzz/replay.c
tests_fuzz_replay_settings_LDADD = libtcflow_core.la
check_PROGRAMS += tests/fuzz/replay_stream
tests_fuzz_replay_stream_SOURCES = tests/fuzz/fuzz_stream.c $(FUZZ_STREAMS)
tests_fuzz_replay_stream_LDADD = libtcflow_core.la
check_PROGRAMS += tests/fuzz/replay_values
tests_fuzz_replay_values_SOURCES = tests/fuzz/fuzz_values.c tests/fuzz/replay.c tests/fuzz/captured.h tests/fuzz/made.h
tests_fuzz_replay_values_CFLAGS = $(AM_CFLAGS) $(OTF2_CFLAGS)
tests_fuzz_replay_values_LDADD = libtcflow_core.la

EXTRA_DIST += \
	tests/fuzz/chrome.tar.gz \
	tests/fuzz/copies.tar.gz \
	tests/fuzz/csv.tar.gz \
	tests/fuzz/frames.py \
	tests/fuzz/events.tar.gz \
	tests/fuzz/hpctoolkit.tar.gz \
	tests/fuzz/large_pages.c \
	tests/fuzz/machine.c \
	tests/fuzz/merge.tar.gz \
	tests/fuzz/nsight.tar.gz \
	tests/fuzz/paths.c \
	tests/fuzz/perfetto.tar.gz \
	tests/fuzz/projections.tar.gz \
	tests/fuzz/run.sh \
	tests/fuzz/settings.tar.gz \
	tests/fuzz/temporary.c \
	tests/fuzz/settings/correct.ini \
	tests/fuzz/settings/otf2_write.ini \
	tests/fuzz/settings/types.ini \
	tests/fuzz/settings/waits.ini \
	tests/fuzz/stream.tar.gz \
	tests/fuzz/stream/message-that-begins \
	tests/fuzz/stream/no-kinds \
	tests/fuzz/stream/two-receives \
	tests/fuzz/values.tar.gz \
	tests/fuzz/values/cause-of-another-domain \
	tests/fuzz/values/event-numbers \
	tests/fuzz/values/far-corrections \
	tests/fuzz/values/far-delays \
	tests/fuzz/values/far-knots \
	tests/fuzz/values/far-meetings \
	tests/fuzz/values/far-receipts \
	tests/fuzz/values/last-time \
	tests/fuzz/values/no-delays \
	tests/fuzz/values/no-grids \
	tests/fuzz/values/no-lines \
	tests/fuzz/values/no-locations \
	tests/fuzz/values/no-metrics \
	tests/fuzz/values/no-tick \
	tests/fuzz/values/other-operations \
	tests/fuzz/values/sum-of-times \
	tests/fuzz/values/time-decreases
