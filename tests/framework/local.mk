# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

C_TESTS += \
	tests/framework/test_callpath \
	tests/framework/test_database \
	tests/framework/test_damage \
	tests/framework/test_definition_kinds \
	tests/framework/test_definitions \
	tests/framework/test_domains_filters \
	tests/framework/test_error \
	tests/framework/test_enumerations \
	tests/framework/test_exchange \
	tests/framework/test_exchange_limits \
	tests/framework/test_membership \
	tests/framework/test_failing \
	tests/framework/foreign/test_sort \
	tests/framework/test_grow \
	tests/framework/test_prematched \
	tests/framework/test_matcher \
	tests/framework/test_missing \
	tests/framework/test_interrupted \
	tests/framework/test_letters \
	tests/framework/test_loader \
	tests/framework/test_machine \
	tests/framework/test_least \
	tests/framework/test_map \
	tests/framework/test_options \
	tests/framework/test_out_of_memory \
	tests/framework/test_params \
	tests/framework/test_pipeline \
	tests/framework/test_promises \
	tests/framework/test_quantum \
	tests/framework/test_records \
	tests/framework/test_report \
	tests/framework/test_settings \
	tests/framework/test_shorten \
	tests/framework/test_slice \
	tests/framework/test_slice_random \
	tests/framework/test_survey \
	tests/framework/test_team \
	tests/framework/test_units \
	tests/framework/test_utf8 \
	tests/framework/test_verify \
	tests/framework/merge/test_opening \
	tests/framework/merge/test_undefined_ids

SH_TESTS += \
	tests/framework/foreign/test_several_files.sh \
	tests/framework/foreign/test_strange.sh \
	tests/framework/foreign/test_unknown.sh \
	tests/framework/foreign/test_writing.sh \
	tests/framework/merge/test_lag.sh \
	tests/framework/merge/test_live.sh \
	tests/framework/merge/test_domains.sh \
	tests/framework/merge/test_merge.sh \
	tests/framework/damage/test_damage.sh \
	tests/framework/readers/test_readers.sh \
	tests/framework/test_command.sh \
	tests/framework/test_brief.sh \
	tests/framework/test_commands.sh \
	tests/framework/test_refusals.sh \
	tests/framework/test_database_run.sh \
	tests/framework/test_flush.sh \
	tests/framework/test_source_at_leave.sh \
	tests/framework/test_collectives_without_data.sh \
	tests/framework/test_cold_files.sh \
	tests/framework/test_completion.sh \
	tests/framework/test_extreme_times.sh \
	tests/framework/test_failing_calls.sh \
	tests/framework/test_failing_memory.sh \
	tests/framework/test_growth.sh \
	tests/framework/test_hostile.sh \
	tests/framework/test_list_filters.sh \
	tests/framework/test_location_bytes.sh \
	tests/framework/test_many_locations.sh \
	tests/framework/test_memory_stays_flat.sh \
	tests/framework/test_threads_default.sh \
	tests/framework/test_outputs.sh \
	tests/framework/test_plugin_folders.sh \
	tests/framework/test_domains.sh \
	tests/framework/test_domains_failing.sh \
	tests/framework/test_domains_seeds.sh \
	tests/framework/test_mpi.sh \
	tests/framework/test_sandbox.sh \
	tests/framework/test_seconds.sh \
	tests/framework/test_terminal.sh

check_LTLIBRARIES += tests/framework/probe/probe.la
tests_framework_probe_probe_la_LDFLAGS = $(TEST_FILTER_LDFLAGS)
check_LTLIBRARIES += tests/framework/probe/probe_leave.la
tests_framework_probe_probe_leave_la_SOURCES = tests/framework/probe/probe.c
tests_framework_probe_probe_leave_la_CPPFLAGS = $(AM_CPPFLAGS) -DAT_LEAVE
tests_framework_probe_probe_leave_la_LDFLAGS = $(TEST_FILTER_LDFLAGS)

# Damages archives and looks at what tcflow makes of them.
check_PROGRAMS += tests/framework/damage/damage
tests_framework_damage_damage_SOURCES = tests/framework/damage/damage.c
tests_framework_damage_damage_LDADD =

# Reads archives by both readers of event files.
check_PROGRAMS += tests/framework/readers/compare
tests_framework_readers_compare_SOURCES = tests/framework/readers/compare.c

# Traces, runs and the oracle in one process, for many seeds.
check_PROGRAMS += tests/plugins/clc/test_properties
TESTS += tests/plugins/clc/test_properties
TRIAL_SOURCES = tests/plugins/clc/trials.c tests/plugins/clc/trial_traces.c tests/plugins/clc/trials.h $(ORACLE_SOURCES) $(RANDOM_TRACE_SOURCES)
tests_plugins_clc_test_properties_SOURCES = tests/plugins/clc/test_properties.c tests/plugins/clc/passes.c tests/plugins/clc/passes.h $(TRIAL_SOURCES)
check_PROGRAMS += tests/plugins/correct/test_chain
TESTS += tests/plugins/correct/test_chain
tests_plugins_correct_test_chain_SOURCES = tests/plugins/correct/test_chain.c $(TRIAL_SOURCES)
check_PROGRAMS += tests/framework/test_causality
TESTS += tests/framework/test_causality
tests_framework_test_causality_SOURCES = tests/framework/test_causality.c $(TRIAL_SOURCES)
check_PROGRAMS += tests/framework/merge/test_parts
TESTS += tests/framework/merge/test_parts
tests_framework_merge_test_parts_SOURCES = tests/framework/merge/test_parts.c $(TRIAL_SOURCES)
tests_framework_merge_test_parts_LDADD = $(LDADD) -lm

tests_framework_test_exchange_SOURCES = tests/framework/test_exchange.c tests/framework/random_collectives.c \
	tests/framework/random_collectives.h
tests_framework_test_definition_kinds_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
tests_framework_test_out_of_memory_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=aligned_alloc,--wrap=strdup

EXTRA_DIST += \
	tests/framework/bad_plugin.c \
	tests/framework/zero_counts.c \
	tests/framework/completion.bash \
	tests/framework/damage/corpus \
	tests/framework/database_json.py \
	tests/framework/defined.h \
	tests/framework/explained.py \
	tests/framework/cold_files.c \
	tests/framework/counting_memory.c \
	tests/framework/on_terminal.py \
	tests/framework/failing_memory.c \
	tests/framework/nosy.c \
	tests/framework/stretch.c \
	tests/framework/noted_syncs.c \
	tests/framework/ini_file.h \
	tests/framework/listed.py \
	tests/framework/merge/hold.py \
	tests/framework/merge/within.py \
	tests/framework/merge/mark.py \
	tests/framework/merge/renumber.py \
	tests/framework/merge/split.sh \
	tests/framework/merge/strings.py \
	tests/framework/passing.h
