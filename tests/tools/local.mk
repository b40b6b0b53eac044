# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

SH_TESTS += \
	tests/tools/calibrate/test_calibrate.sh \
	tests/tools/diff/test_diff.sh \
	tests/tools/report/test_page.sh \
	tests/tools/report/test_report.sh \
	tests/tools/scaling/test_scaling.sh \
	tests/tools/scaling/test_scaling_traces.sh \
	tests/tools/synth/test_synth.sh \
	tests/tools/top/test_top.sh \
	tests/tools/torture/test_own.sh \
	tests/tools/torture/test_readers.sh \
	tests/tools/torture/test_torture.sh

check_PROGRAMS += tests/tools/calibrate/run-trace
tests_tools_calibrate_run_trace_SOURCES = tests/tools/calibrate/run-trace.c $(TRACE_SOURCES)
tests_tools_calibrate_run_trace_LDADD = $(BARE_LIBS)

check_PROGRAMS += tests/tools/synth/offsets
tests_tools_synth_offsets_SOURCES = tests/tools/synth/offsets.c
tests_tools_synth_offsets_LDADD = $(BARE_LIBS)

EXTRA_DIST += \
	tests/tools/calibrate/recorder.c \
	tests/tools/top/screen.py \
	tests/tools/diff/make_database.py \
	tests/tools/diff/oracle.py \
	tests/tools/diff/same_csv.py \
	tests/tools/diff/same_page.py \
	tests/tools/report/browser.py \
	tests/tools/report/check.py \
	tests/tools/report/check_marks.py \
	tests/tools/report/check_page.py \
	tests/tools/report/check_pair.py \
	tests/tools/report/data.py \
	tests/tools/report/hostile.c \
	tests/tools/report/in_browser.sh \
	tests/tools/report/windows.c \
	tests/tools/scaling/cases.py \
	tests/tools/scaling/check_page.py \
	tests/tools/scaling/databases.py \
	tests/tools/scaling/large.py \
	tests/tools/scaling/oracle.py \
	tests/tools/scaling/schema.py \
	tests/tools/synth/offsets.awk \
	tests/tools/synth/truth.awk \
	tests/tools/torture/broken.c \
	tests/tools/torture/broken_reader.c \
	tests/tools/torture/failing_own.c
