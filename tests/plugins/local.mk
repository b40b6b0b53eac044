# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

C_TESTS += \
	tests/plugins/check/test_findings \
	tests/plugins/clc_backward/test_amortise \
	tests/plugins/clc_backward/test_clc_backward \
	tests/plugins/clc_forward/test_clc_forward \
	tests/plugins/clock_estimate/test_clocks \
	tests/plugins/clock_estimate/test_clusters \
	tests/plugins/clock_estimate/test_likely \
	tests/plugins/clock_estimate/test_lines \
	tests/plugins/clock_estimate/test_parts \
	tests/plugins/clock_estimate/test_machines \
	tests/plugins/clock_estimate/test_sharing \
	tests/plugins/clock_estimate/test_solver \
	tests/plugins/clock_report/test_tables \
	tests/plugins/activity/test_classes \
	tests/plugins/comm_comp/test_overlap \
	tests/plugins/comm_matrix/test_pairs \
	tests/plugins/distances/test_leaves \
	tests/plugins/diagnosis/test_findings_by_hand \
	tests/plugins/efficiency/test_replay \
	tests/plugins/live/test_live \
	tests/plugins/io/test_operations \
	tests/plugins/iterations/test_loops \
	tests/plugins/lateness/test_steps \
	tests/plugins/load_imbalance/test_loads \
	tests/plugins/message_histogram/test_bins \
	tests/plugins/metrics/test_series \
	tests/plugins/metrics/test_sums \
	tests/plugins/mu_estimate/test_rules \
	tests/plugins/otf2_write/test_waiting \
	tests/plugins/overhead/test_messages \
	tests/plugins/overhead/test_operations \
	tests/plugins/overhead/test_overhead \
	tests/plugins/overhead/test_waiting_sends \
	tests/plugins/perfetto_trace/test_last_time \
	tests/plugins/ppg/test_graph \
	tests/plugins/presync/test_presync \
	tests/plugins/print/test_lines \
	tests/plugins/print/test_merge \
	tests/plugins/critical_path/test_path \
	tests/plugins/root_cause/test_causes \
	tests/plugins/stream_write/test_cut \
	tests/plugins/time_profile/test_spread \
	tests/plugins/timeline/test_windows \
	tests/plugins/wait_states/test_calls_without_regions \
	tests/plugins/wait_states/test_messages \
	tests/plugins/wait_states/test_operations

SH_TESTS += \
	tests/plugins/activity/test_activity.sh \
	tests/plugins/activity_waits/test_activity_waits.sh \
	tests/plugins/calls/test_calls.sh \
	tests/plugins/chrome/test_chrome.sh \
	tests/plugins/chrome/test_kineto.sh \
	tests/plugins/chrome/test_recorded.sh \
	tests/plugins/csv/test_csv.sh \
	tests/plugins/hpctoolkit/test_hpctoolkit.sh \
	tests/plugins/nsight/test_mpi.sh \
	tests/plugins/nsight/test_nccl.sh \
	tests/plugins/nsight/test_nsight.sh \
	tests/plugins/perfetto/test_perfetto.sh \
	tests/plugins/projections/test_projections.sh \
	tests/plugins/check/test_check.sh \
	tests/plugins/clc_backward/test_default_memory.sh \
	tests/plugins/clock_estimate/test_bars.sh \
	tests/plugins/clock_estimate/test_clock_estimate.sh \
	tests/plugins/clock_report/test_clock_report.sh \
	tests/plugins/comm_comp/test_comm_comp.sh \
	tests/plugins/comm_matrix/test_comm_matrix.sh \
	tests/plugins/io/test_io.sh \
	tests/plugins/iterations/test_iterations.sh \
	tests/plugins/diagnosis/test_diagnosis.sh \
	tests/plugins/efficiency/test_efficiency.sh \
	tests/plugins/lateness/test_lateness.sh \
	tests/plugins/load_imbalance/test_load_imbalance.sh \
	tests/plugins/message_histogram/test_message_histogram.sh \
	tests/plugins/metrics/test_metrics.sh \
	tests/plugins/mu_estimate/test_mu_estimate.sh \
	tests/plugins/correct/test_correct.sh \
	tests/plugins/distances/test_distances.sh \
	tests/plugins/otf2_write/test_lossless.sh \
	tests/plugins/otf2_write/test_target.sh \
	tests/plugins/otf2_write/test_writers.sh \
	tests/plugins/overhead/test_marked.sh \
	tests/plugins/overhead/test_properties.sh \
	tests/plugins/overhead/test_sends.sh \
	tests/plugins/critical_path/test_properties.sh \
	tests/plugins/ppg/test_properties.sh \
	tests/plugins/ppg/test_scaling_example.sh \
	tests/plugins/root_cause/test_properties.sh \
	tests/plugins/wait_states/test_properties.sh \
	tests/plugins/wait_states/test_together.sh \
	tests/plugins/wait_states/test_too_deep.sh \
	tests/plugins/pass/test_pass.sh \
	tests/plugins/perfetto_trace/test_perfetto_trace.sh \
	tests/plugins/presync/test_archives.sh \
	tests/plugins/print/test_print.sh \
	tests/plugins/profile/test_profile.sh \
	tests/plugins/select/test_select.sh \
	tests/plugins/stream_write/test_domains.sh \
	tests/plugins/stream_write/test_interrupted.sh \
	tests/plugins/stream_write/test_live.sh \
	tests/plugins/stream_write/test_pipes.sh \
	tests/plugins/stream_write/test_sockets.sh \
	tests/plugins/stream_write/test_tokens.sh \
	tests/plugins/skew/test_skew.sh \
	tests/plugins/time_profile/test_time_profile.sh \
	tests/plugins/timeline/test_properties.sh \
	tests/plugins/whole_messages/test_whole_messages.sh

# Those that know the parts of a filter.
CLOCK_SIMULATION_SOURCES = tests/plugins/clock_estimate/simulate.c tests/plugins/clock_estimate/simulate.h
tests_plugins_otf2_write_test_waiting_SOURCES = tests/plugins/otf2_write/test_waiting.c plugins/otf2_write/waiting.c
tests_plugins_otf2_write_test_waiting_CPPFLAGS = $(AM_CPPFLAGS)
tests_plugins_otf2_write_test_waiting_LDADD = $(CMOCKA_LIBS)
tests_plugins_clock_estimate_test_solver_SOURCES = tests/plugins/clock_estimate/test_solver.c $(CLOCK_SIMULATION_SOURCES)
tests_plugins_clock_estimate_test_solver_LDADD = plugins/clock_estimate/libclock_solver.la $(CMOCKA_LIBS) -lm
tests_plugins_clock_estimate_test_clusters_LDADD = plugins/clock_estimate/libclock_solver.la $(CMOCKA_LIBS) -lm
tests_plugins_clock_estimate_test_likely_LDADD = plugins/clock_estimate/libclock_solver.la $(CMOCKA_LIBS) -lm
tests_plugins_clock_estimate_test_lines_LDADD = plugins/clock_estimate/libclock_solver.la $(CMOCKA_LIBS) -lm
tests_plugins_clock_estimate_test_parts_LDADD = plugins/clock_estimate/libclock_solver.la $(CMOCKA_LIBS) -lm
tests_plugins_clock_estimate_test_sharing_LDADD = plugins/clock_estimate/libclock_solver.la $(CMOCKA_LIBS) -lm

# A table of the accuracy of clock_estimate over simulated clocks.
check_PROGRAMS += tests/plugins/clock_estimate/accuracy
tests_plugins_clock_estimate_accuracy_SOURCES = tests/plugins/clock_estimate/accuracy.c $(CLOCK_SIMULATION_SOURCES)
tests_plugins_clock_estimate_accuracy_LDADD = plugins/clock_estimate/libclock_solver.la -lm

check_LTLIBRARIES += tests/plugins/clock_estimate/apply/apply_knots.la
tests_plugins_clock_estimate_apply_apply_knots_la_LDFLAGS = $(TEST_FILTER_LDFLAGS)
tests_plugins_clock_estimate_apply_apply_knots_la_LIBADD = -lm

tests_plugins_wait_states_test_calls_without_regions_SOURCES = \
	tests/plugins/wait_states/test_calls_without_regions.c \
	tests/plugins/wait_states/expect.h
tests_plugins_wait_states_test_messages_SOURCES = \
	tests/plugins/wait_states/test_messages.c \
	tests/plugins/wait_states/expect.h
tests_plugins_wait_states_test_operations_SOURCES = \
	tests/plugins/wait_states/test_operations.c \
	tests/plugins/wait_states/expect.h
tests_plugins_overhead_test_messages_SOURCES = tests/plugins/overhead/test_messages.c tests/plugins/overhead/by_hand.h
tests_plugins_overhead_test_operations_SOURCES = tests/plugins/overhead/test_operations.c tests/plugins/overhead/by_hand.h
tests_plugins_overhead_test_overhead_SOURCES = tests/plugins/overhead/test_overhead.c tests/plugins/overhead/by_hand.h
tests_plugins_overhead_test_waiting_sends_SOURCES = tests/plugins/overhead/test_waiting_sends.c tests/plugins/overhead/by_hand.h
tests_plugins_metrics_test_sums_LDADD = $(LDADD) -lm
tests_plugins_presync_test_presync_LDADD = $(LDADD) -lm
tests_plugins_clock_estimate_test_machines_SOURCES = \
	tests/plugins/clock_estimate/test_machines.c \
	plugins/clock_estimate/machines.c
tests_plugins_clock_estimate_test_machines_CFLAGS = $(AM_CFLAGS) # objects of its own, apart from the plugin's
tests_plugins_print_test_merge_SOURCES = \
	tests/plugins/print/test_merge.c \
	plugins/print/merge.c
tests_plugins_print_test_merge_CFLAGS = $(AM_CFLAGS) # objects of its own, apart from the plugin's

EXTRA_DIST += \
	tests/plugins/activity/oracle.py \
	tests/plugins/calls/calls.py \
	tests/plugins/chrome/chrome.py \
	tests/plugins/chrome/kineto.py \
	tests/plugins/chrome/random_chrome.py \
	tests/plugins/csv/table.py \
	tests/plugins/hpctoolkit/hpctoolkit.py \
	tests/plugins/nsight/mpi.py \
	tests/plugins/nsight/nccl.py \
	tests/plugins/nsight/nsight.py \
	tests/plugins/perfetto/perfetto.py \
	tests/plugins/perfetto/random_perfetto.py \
	tests/plugins/projections/projections.py \
	tests/plugins/check/as_oracle.awk \
	tests/plugins/comm_matrix/as_oracle.awk \
	tests/plugins/critical_path/as_oracle.awk \
	tests/plugins/distances/groups.awk \
	tests/plugins/distances/oracle.awk \
	tests/plugins/io/as_oracle.awk \
	tests/plugins/otf2_write/failing_files.c \
	tests/plugins/iterations/as_oracle.awk \
	tests/plugins/lateness/tables.awk \
	tests/plugins/metrics/as_oracle.awk \
	tests/plugins/metrics/compare.awk \
	tests/plugins/mu_estimate/round_trips.awk \
	tests/plugins/perfetto_trace/agree.py \
	tests/plugins/perfetto_trace/expected.py \
	tests/plugins/perfetto_trace/read_trace.py \
	tests/plugins/perfetto_trace/trace.proto \
	tests/plugins/perfetto_trace/wire.py \
	tests/plugins/print/json_lines.py \
	tests/plugins/print/lines.awk \
	tests/plugins/profile/as_oracle.awk \
	tests/plugins/ppg/compare.py \
	tests/plugins/root_cause/compare.awk \
	tests/plugins/select/expected.awk \
	tests/plugins/stream_write/dying.py \
	tests/plugins/stream_write/interrupt.py \
	tests/plugins/stream_write/pipes.sh \
	tests/plugins/timeline/oracle.py \
	tests/plugins/timeline/reported.py \
	tests/plugins/wait_states/as_oracle.awk
