# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The targets of made traces, without libFuzzer.
SH_TESTS += tests/fuzz/test_made.sh
check_PROGRAMS += tests/fuzz/replay_copies tests/fuzz/replay_values
tests_fuzz_replay_copies_SOURCES = tests/fuzz/replay.c tests/fuzz/fuzz_copies.c tests/fuzz/captured.h tests/fuzz/made.h
tests_fuzz_replay_copies_CFLAGS = $(AM_CFLAGS) $(OTF2_CFLAGS)
tests_fuzz_replay_copies_LDADD = libtcflow_core.la
tests_fuzz_replay_values_SOURCES = tests/fuzz/replay.c tests/fuzz/fuzz_values.c tests/fuzz/captured.h tests/fuzz/made.h
tests_fuzz_replay_values_CFLAGS = $(AM_CFLAGS) $(OTF2_CFLAGS)
tests_fuzz_replay_values_LDADD = libtcflow_core.la

EXTRA_DIST += \
	tests/fuzz/captured.h \
	tests/fuzz/chrome.tar.gz \
	tests/fuzz/copies.tar.gz \
	tests/fuzz/csv.tar.gz \
	tests/fuzz/filters.h \
	tests/fuzz/frames.h \
	tests/fuzz/frames.py \
	tests/fuzz/events.tar.gz \
	tests/fuzz/fuzz_chrome.c \
	tests/fuzz/fuzz_csv.c \
	tests/fuzz/fuzz_events.c \
	tests/fuzz/fuzz_hpctoolkit.c \
	tests/fuzz/fuzz_merge.c \
	tests/fuzz/fuzz_nsight.c \
	tests/fuzz/fuzz_perfetto.c \
	tests/fuzz/fuzz_projections.c \
	tests/fuzz/fuzz_settings.c \
	tests/fuzz/fuzz_copies.c \
	tests/fuzz/fuzz_stream.c \
	tests/fuzz/hpctoolkit.tar.gz \
	tests/fuzz/fuzz_values.c \
	tests/fuzz/made.h \
	tests/fuzz/merge.tar.gz \
	tests/fuzz/nsight.tar.gz \
	tests/fuzz/parts.h \
	tests/fuzz/perfetto.tar.gz \
	tests/fuzz/projections.tar.gz \
	tests/fuzz/readers.h \
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
	tests/fuzz/values/event-numbers \
	tests/fuzz/values/far-corrections \
	tests/fuzz/values/far-delays \
	tests/fuzz/values/far-knots \
	tests/fuzz/values/last-time \
	tests/fuzz/values/no-delays \
	tests/fuzz/values/no-lines \
	tests/fuzz/values/no-locations \
	tests/fuzz/values/no-metrics \
	tests/fuzz/values/no-tick \
	tests/fuzz/values/sum-of-times \
	tests/fuzz/values/time-decreases
