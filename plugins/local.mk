# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
# The filters and readers, included by the Makefile.am at the root. Each is a module of its own: it links nothing of the
# framework, and exports one symbol. Its source is plugins/NAME/NAME.c; where it has several sources,
# plugins_NAME_NAME_la_SOURCES lists them. The libraries of plugins/shared that it uses are in its LIBADD.
filtersdir = $(pkglibdir)/filters
FILTER_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared $(PLUGIN_LDFLAGS)
filters_LTLIBRARIES =

include plugins/shared/local.mk

filters_LTLIBRARIES += plugins/activity/activity.la
plugins_activity_activity_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_activity_activity_la_LIBADD = $(TIME_CELLS_LIBS) $(REGIONS_LIBS) $(PATTERNS_LIBS)

filters_LTLIBRARIES += plugins/calls/calls.la
plugins_calls_calls_la_SOURCES = \
	plugins/calls/calls.c \
	plugins/calls/calls.h \
	plugins/calls/csv.c \
	plugins/calls/rows.c \
	plugins/calls/sqlite.c
plugins_calls_calls_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_calls_calls_la_LIBADD = $(RECORDS_LIBS) $(SQLITE_LIBS)

filters_LTLIBRARIES += plugins/check/check.la
plugins_check_check_la_SOURCES = \
	plugins/check/channels.c \
	plugins/check/check.c \
	plugins/check/check.h \
	plugins/check/dangling.c \
	plugins/check/findings.c \
	plugins/check/pack.c \
	plugins/check/worst.c
plugins_check_check_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_check_check_la_LIBADD = $(RECORDS_LIBS)

filters_LTLIBRARIES += plugins/clc_backward/clc_backward.la
plugins_clc_backward_clc_backward_la_SOURCES = \
	plugins/clc_backward/amortise.c \
	plugins/clc_backward/amortise.h \
	plugins/clc_backward/clc_backward.c \
	plugins/clc_backward/clc_backward.h \
	plugins/clc_backward/jumps.c \
	plugins/clc_backward/report.c
plugins_clc_backward_clc_backward_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_clc_backward_clc_backward_la_LIBADD = -lm

filters_LTLIBRARIES += plugins/clc_forward/clc_forward.la
plugins_clc_forward_clc_forward_la_SOURCES = \
	plugins/clc_forward/clc_forward.c \
	plugins/clc_forward/clc_forward.h \
	plugins/clc_forward/report.c \
	plugins/clc_forward/settings.c
plugins_clc_forward_clc_forward_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_clc_forward_clc_forward_la_LIBADD = $(NUMBERS_LIBS) -lm

filters_LTLIBRARIES += plugins/clock_estimate/clock_estimate.la
plugins_clock_estimate_clock_estimate_la_SOURCES = \
	plugins/clock_estimate/clock_estimate.c \
	plugins/clock_estimate/clock_estimate.h \
	plugins/clock_estimate/machines.c \
	plugins/clock_estimate/machines.h \
	plugins/clock_estimate/results.c
plugins_clock_estimate_clock_estimate_la_CFLAGS = $(CLOCKS_CFLAGS)
plugins_clock_estimate_clock_estimate_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_clock_estimate_clock_estimate_la_LIBADD = plugins/clock_estimate/libclock_solver.la $(CLOCKS_LIBS)
noinst_LTLIBRARIES += plugins/clock_estimate/libclock_solver.la
# Results don't depend on which of several loops has computed a value.
plugins_clock_estimate_libclock_solver_la_CFLAGS = $(AM_CFLAGS) $(NUMBERS_CFLAGS)
$(plugins_clock_estimate_libclock_solver_la_OBJECTS): CFLAGS = $(FAST_CFLAGS)
plugins_clock_estimate_libclock_solver_la_SOURCES = \
	plugins/clock_estimate/solver/bands.c \
	plugins/clock_estimate/solver/bands.h \
	plugins/clock_estimate/solver/bars.c \
	plugins/clock_estimate/solver/bends.c \
	plugins/clock_estimate/solver/bounds.c \
	plugins/clock_estimate/solver/bounds.h \
	plugins/clock_estimate/solver/choose.c \
	plugins/clock_estimate/solver/clusters.c \
	plugins/clock_estimate/solver/clusters.h \
	plugins/clock_estimate/solver/collectives.c \
	plugins/clock_estimate/solver/connect.c \
	plugins/clock_estimate/solver/delays.c \
	plugins/clock_estimate/solver/equations.c \
	plugins/clock_estimate/solver/equations.h \
	plugins/clock_estimate/solver/estimate.c \
	plugins/clock_estimate/solver/join.c \
	plugins/clock_estimate/solver/least_squares.c \
	plugins/clock_estimate/solver/levels.c \
	plugins/clock_estimate/solver/likely.c \
	plugins/clock_estimate/solver/lines.c \
	plugins/clock_estimate/solver/prior.c \
	plugins/clock_estimate/solver/problem.h \
	plugins/clock_estimate/solver/product.c \
	plugins/clock_estimate/solver/rows.c \
	plugins/clock_estimate/solver/sharing.c \
	plugins/clock_estimate/solver/sharing.h \
	plugins/clock_estimate/solver/solver.h \
	plugins/clock_estimate/solver/weights.c

filters_LTLIBRARIES += plugins/clock_report/clock_report.la
plugins_clock_report_clock_report_la_SOURCES = \
	plugins/clock_report/clock_report.c \
	plugins/clock_report/clock_report.h \
	plugins/clock_report/corrections.c \
	plugins/clock_report/order.c \
	plugins/clock_report/tables.c
plugins_clock_report_clock_report_la_LDFLAGS = $(FILTER_LDFLAGS)

filters_LTLIBRARIES += plugins/comm_comp/comm_comp.la
plugins_comm_comp_comm_comp_la_SOURCES = \
	plugins/comm_comp/comm_comp.c \
	plugins/comm_comp/comm_comp.h \
	plugins/comm_comp/processes.c \
	plugins/comm_comp/regions.c \
	plugins/comm_comp/sweep.c \
	plugins/comm_comp/sweep.h \
	plugins/comm_comp/tables.c
plugins_comm_comp_comm_comp_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_comm_comp_comm_comp_la_LIBADD = $(PATTERNS_LIBS)

filters_LTLIBRARIES += plugins/comm_matrix/comm_matrix.la
plugins_comm_matrix_comm_matrix_la_SOURCES = \
	plugins/comm_matrix/comm_matrix.c \
	plugins/comm_matrix/comm_matrix.h \
	plugins/comm_matrix/tables.c
plugins_comm_matrix_comm_matrix_la_LDFLAGS = $(FILTER_LDFLAGS)

filters_LTLIBRARIES += plugins/critical_path/critical_path.la
plugins_critical_path_critical_path_la_SOURCES = \
	plugins/critical_path/centre.c \
	plugins/critical_path/critical_path.c \
	plugins/critical_path/critical_path.h \
	plugins/critical_path/edges.c \
	plugins/critical_path/open.c \
	plugins/critical_path/operations.c \
	plugins/critical_path/records.c \
	plugins/critical_path/report.c \
	plugins/critical_path/stretch.c \
	plugins/critical_path/tree.c \
	plugins/critical_path/walk.c
plugins_critical_path_critical_path_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_critical_path_critical_path_la_LIBADD = $(GATHER_LIBS) $(LIMITS_LIBS) $(CALLPATHS_LIBS) $(PATTERNS_LIBS)

filters_LTLIBRARIES += plugins/diagnosis/diagnosis.la
plugins_diagnosis_diagnosis_la_SOURCES = \
	plugins/diagnosis/causes.c \
	plugins/diagnosis/diagnosis.c \
	plugins/diagnosis/diagnosis.h \
	plugins/diagnosis/facts.c \
	plugins/diagnosis/findings.c \
	plugins/diagnosis/imbalance.c \
	plugins/diagnosis/iterations.c \
	plugins/diagnosis/rules.c \
	plugins/diagnosis/rules.h \
	plugins/diagnosis/words.c
plugins_diagnosis_diagnosis_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_diagnosis_diagnosis_la_LIBADD = $(PATTERNS_LIBS) -lm

filters_LTLIBRARIES += plugins/distances/distances.la
plugins_distances_distances_la_SOURCES = \
	plugins/distances/distances.c \
	plugins/distances/distances.h \
	plugins/distances/tables.c \
	plugins/distances/tally.c
plugins_distances_distances_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_distances_distances_la_LIBADD = $(REGIONS_LIBS) -lm

filters_LTLIBRARIES += plugins/efficiency/efficiency.la
plugins_efficiency_efficiency_la_SOURCES = \
	plugins/efficiency/accelerators.c \
	plugins/efficiency/efficiency.c \
	plugins/efficiency/efficiency.h \
	plugins/efficiency/ranges.c \
	plugins/efficiency/regions.c \
	plugins/efficiency/sends.c \
	plugins/efficiency/series.c \
	plugins/efficiency/tables.c
plugins_efficiency_efficiency_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_efficiency_efficiency_la_LIBADD = $(PATTERNS_LIBS)

filters_LTLIBRARIES += plugins/io/io.la
plugins_io_io_la_SOURCES = \
	plugins/io/files.c \
	plugins/io/io.c \
	plugins/io/io.h \
	plugins/io/sums.c \
	plugins/io/tables.c
plugins_io_io_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_io_io_la_LIBADD = $(RECORDS_LIBS) $(REGIONS_LIBS)

filters_LTLIBRARIES += plugins/iterations/iterations.la
plugins_iterations_iterations_la_SOURCES = \
	plugins/iterations/choose.c \
	plugins/iterations/domains.c \
	plugins/iterations/iterations.c \
	plugins/iterations/iterations.h \
	plugins/iterations/learn.c \
	plugins/iterations/names.c \
	plugins/iterations/report.c \
	plugins/iterations/report.h \
	plugins/iterations/runs.c \
	plugins/iterations/series.c \
	plugins/iterations/walk.c
plugins_iterations_iterations_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_iterations_iterations_la_LIBADD = $(REGIONS_LIBS) $(LIMITS_LIBS) -lm

filters_LTLIBRARIES += plugins/lateness/lateness.la
plugins_lateness_lateness_la_SOURCES = \
	plugins/lateness/centre.c \
	plugins/lateness/lateness.c \
	plugins/lateness/lateness.h \
	plugins/lateness/report.c \
	plugins/lateness/steps.c \
	plugins/lateness/sums.c \
	plugins/lateness/walk.c
plugins_lateness_lateness_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_lateness_lateness_la_LIBADD = $(GATHER_LIBS) $(LIMITS_LIBS) $(CALLPATHS_LIBS)

filters_LTLIBRARIES += plugins/load_imbalance/load_imbalance.la
plugins_load_imbalance_load_imbalance_la_SOURCES = \
	plugins/load_imbalance/load_imbalance.c \
	plugins/load_imbalance/load_imbalance.h \
	plugins/load_imbalance/tables.c
plugins_load_imbalance_load_imbalance_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_load_imbalance_load_imbalance_la_LIBADD = $(PATTERNS_LIBS) $(REGIONS_LIBS)

filters_LTLIBRARIES += plugins/message_histogram/message_histogram.la
plugins_message_histogram_message_histogram_la_SOURCES = \
	plugins/message_histogram/message_histogram.c \
	plugins/message_histogram/message_histogram.h \
	plugins/message_histogram/tables.c
plugins_message_histogram_message_histogram_la_LDFLAGS = $(FILTER_LDFLAGS)

filters_LTLIBRARIES += plugins/metrics/metrics.la
plugins_metrics_metrics_la_SOURCES = \
	plugins/metrics/cells.c \
	plugins/metrics/cells.h \
	plugins/metrics/domains.c \
	plugins/metrics/metrics.c \
	plugins/metrics/metrics.h \
	plugins/metrics/sums.c \
	plugins/metrics/tables.c
plugins_metrics_metrics_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_metrics_metrics_la_LIBADD = $(CALLPATHS_LIBS) -lm

filters_LTLIBRARIES += plugins/mu_estimate/mu_estimate.la
plugins_mu_estimate_mu_estimate_la_SOURCES = \
	plugins/mu_estimate/mu_estimate.c \
	plugins/mu_estimate/mu_estimate.h \
	plugins/mu_estimate/pairs.c
plugins_mu_estimate_mu_estimate_la_LDFLAGS = $(FILTER_LDFLAGS)

filters_LTLIBRARIES += plugins/otf2_write/otf2_write.la
plugins_otf2_write_otf2_write_la_SOURCES = \
	plugins/otf2_write/anchor.c \
	plugins/otf2_write/broken.c \
	plugins/otf2_write/direct.c \
	plugins/otf2_write/encode.c \
	plugins/otf2_write/encode.h \
	plugins/otf2_write/otf2_write.c \
	plugins/otf2_write/otf2_write.h \
	plugins/otf2_write/waiting.c \
	plugins/otf2_write/waiting.h \
	plugins/otf2_write/write_definitions.c \
	plugins/otf2_write/write_events.c
plugins_otf2_write_otf2_write_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_otf2_write_otf2_write_la_LIBADD = $(OTF2_LIBS)

filters_LTLIBRARIES += plugins/overhead/overhead.la
plugins_overhead_overhead_la_SOURCES = \
	plugins/overhead/edges.c \
	plugins/overhead/events.c \
	plugins/overhead/follow.c \
	plugins/overhead/model.c \
	plugins/overhead/overhead.c \
	plugins/overhead/overhead.h \
	plugins/overhead/report.c \
	plugins/overhead/settings.c
plugins_overhead_overhead_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_overhead_overhead_la_LIBADD = $(NUMBERS_LIBS)

filters_LTLIBRARIES += plugins/pass/pass.la
plugins_pass_pass_la_LDFLAGS = $(FILTER_LDFLAGS)

filters_LTLIBRARIES += plugins/perfetto_trace/perfetto_trace.la
plugins_perfetto_trace_perfetto_trace_la_SOURCES = \
	plugins/perfetto_trace/json.c \
	plugins/perfetto_trace/packets.c \
	plugins/perfetto_trace/parts.c \
	plugins/perfetto_trace/perfetto_trace.c \
	plugins/perfetto_trace/perfetto_trace.h \
	plugins/perfetto_trace/protobuf.h \
	plugins/perfetto_trace/records.c
plugins_perfetto_trace_perfetto_trace_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_perfetto_trace_perfetto_trace_la_LIBADD = $(RECORDS_LIBS)

filters_LTLIBRARIES += plugins/ppg/ppg.la
plugins_ppg_ppg_la_SOURCES = \
	plugins/ppg/counters.c \
	plugins/ppg/domains.c \
	plugins/ppg/edges.c \
	plugins/ppg/graph.c \
	plugins/ppg/ppg.c \
	plugins/ppg/ppg.h \
	plugins/ppg/report.c \
	plugins/ppg/vertices.c
plugins_ppg_ppg_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_ppg_ppg_la_LIBADD = $(WAITS_LIBS) $(CALLPATHS_LIBS) $(LIMITS_LIBS) -lm

filters_LTLIBRARIES += plugins/presync/presync.la
plugins_presync_presync_la_SOURCES = \
	plugins/presync/presync.c \
	plugins/presync/presync.h \
	plugins/presync/sources.c \
	plugins/presync/summary.c
plugins_presync_presync_la_CFLAGS = $(CLOCKS_CFLAGS)
plugins_presync_presync_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_presync_presync_la_LIBADD = $(CLOCKS_LIBS)

filters_LTLIBRARIES += plugins/print/print.la
plugins_print_print_la_SOURCES = \
	plugins/print/definitions.c \
	plugins/print/extras.c \
	plugins/print/lines.c \
	plugins/print/merge.c \
	plugins/print/merge.h \
	plugins/print/names.c \
	plugins/print/names.h \
	plugins/print/print.c \
	plugins/print/print.h \
	plugins/print/spool.c \
	plugins/print/spool.h
plugins_print_print_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_print_print_la_LIBADD = $(RECORDS_LIBS)

filters_LTLIBRARIES += plugins/profile/profile.la
plugins_profile_profile_la_SOURCES = \
	plugins/profile/profile.c \
	plugins/profile/profile.h \
	plugins/profile/sums.c \
	plugins/profile/sums.h \
	plugins/profile/tables.c
plugins_profile_profile_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_profile_profile_la_LIBADD = $(REGIONS_LIBS)

filters_LTLIBRARIES += plugins/root_cause/root_cause.la
plugins_root_cause_root_cause_la_SOURCES = \
	plugins/root_cause/chains.c \
	plugins/root_cause/costs.c \
	plugins/root_cause/centre.c \
	plugins/root_cause/forget.c \
	plugins/root_cause/judge.c \
	plugins/root_cause/log.c \
	plugins/root_cause/queue.c \
	plugins/root_cause/ready.c \
	plugins/root_cause/records.c \
	plugins/root_cause/report.c \
	plugins/root_cause/ring.c \
	plugins/root_cause/root_cause.c \
	plugins/root_cause/root_cause.h \
	plugins/root_cause/shares.c
plugins_root_cause_root_cause_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_root_cause_root_cause_la_LIBADD = $(GATHER_LIBS) $(WAITS_LIBS) $(CALLPATHS_LIBS) $(LARGEST_LIBS) $(LIMITS_LIBS)

filters_LTLIBRARIES += plugins/select/select.la
plugins_select_select_la_SOURCES = \
	plugins/select/filter_file.c \
	plugins/select/open.c \
	plugins/select/range.c \
	plugins/select/requests.c \
	plugins/select/select.c \
	plugins/select/select.h \
	plugins/select/what.c
plugins_select_select_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_select_select_la_LIBADD = $(NUMBERS_LIBS) $(RECORDS_LIBS)

filters_LTLIBRARIES += plugins/skew/skew.la
plugins_skew_skew_la_SOURCES = \
	plugins/skew/model.c \
	plugins/skew/skew.c \
	plugins/skew/skew.h \
	plugins/skew/tables.c
plugins_skew_skew_la_CFLAGS = $(CLOCKS_CFLAGS)
plugins_skew_skew_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_skew_skew_la_LIBADD = $(CLOCKS_LIBS)

filters_LTLIBRARIES += plugins/stream_write/stream_write.la
plugins_stream_write_stream_write_la_SOURCES = \
	plugins/stream_write/definitions.c \
	plugins/stream_write/edges.c \
	plugins/stream_write/frames.c \
	plugins/stream_write/seal.c \
	plugins/stream_write/stream_write.c \
	plugins/stream_write/stream_write.h \
	plugins/stream_write/target.c \
	plugins/stream_write/window.c
plugins_stream_write_stream_write_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_stream_write_stream_write_la_LIBADD = $(ZLIB_LIBS) $(ZSTD_LIBS) $(SODIUM_LIBS)

filters_LTLIBRARIES += plugins/time_profile/time_profile.la
plugins_time_profile_time_profile_la_SOURCES = \
	plugins/time_profile/tables.c \
	plugins/time_profile/time_profile.c \
	plugins/time_profile/time_profile.h
plugins_time_profile_time_profile_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_time_profile_time_profile_la_LIBADD = $(REGIONS_LIBS)

filters_LTLIBRARIES += plugins/timeline/timeline.la
plugins_timeline_timeline_la_SOURCES = \
	plugins/timeline/domains.c \
	plugins/timeline/keep.c \
	plugins/timeline/tables.c \
	plugins/timeline/timeline.c \
	plugins/timeline/timeline.h \
	plugins/timeline/windows.c
plugins_timeline_timeline_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_timeline_timeline_la_LIBADD = $(LARGEST_LIBS)

filters_LTLIBRARIES += plugins/activity_waits/activity_waits.la
plugins_activity_waits_activity_waits_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_activity_waits_activity_waits_la_LIBADD = $(WAITS_LIBS) $(TIME_CELLS_LIBS)

filters_LTLIBRARIES += plugins/live/live.la
plugins_live_live_la_SOURCES = \
	plugins/live/live.c \
	plugins/live/live.h \
	plugins/live/recent.c \
	plugins/live/shots.c
plugins_live_live_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_live_live_la_LIBADD = $(WAITS_LIBS)

filters_LTLIBRARIES += plugins/wait_states/wait_states.la
plugins_wait_states_wait_states_la_SOURCES = \
	plugins/wait_states/domains.c \
	plugins/wait_states/learn.c \
	plugins/wait_states/report.c \
	plugins/wait_states/severities.c \
	plugins/wait_states/wait_states.c \
	plugins/wait_states/wait_states.h
plugins_wait_states_wait_states_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_wait_states_wait_states_la_LIBADD = $(WAITS_LIBS) $(CALLPATHS_LIBS) $(LARGEST_LIBS) $(LIMITS_LIBS)

filters_LTLIBRARIES += plugins/whole_messages/whole_messages.la
plugins_whole_messages_whole_messages_la_LDFLAGS = $(FILTER_LDFLAGS)

# Readers of other formats than OTF2: modules as the filters are.
if HAVE_YAJL
filters_LTLIBRARIES += plugins/chrome/chrome.la
plugins_chrome_chrome_la_SOURCES = \
	plugins/chrome/chrome.c \
	plugins/chrome/chrome.h \
	plugins/chrome/events.c \
	plugins/chrome/kineto.c \
	plugins/chrome/parse.c \
	plugins/shared/numbers/decimal.h \
	plugins/shared/regions/categories.h
plugins_chrome_chrome_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_chrome_chrome_la_CFLAGS = $(AM_CFLAGS) $(YAJL_CFLAGS)
plugins_chrome_chrome_la_LIBADD = $(YAJL_LIBS) $(ZLIB_LIBS)
endif

filters_LTLIBRARIES += plugins/csv/csv.la
plugins_csv_csv_la_SOURCES = \
	plugins/csv/csv.c \
	plugins/csv/rows.c \
	plugins/csv/rows.h \
	plugins/shared/numbers/decimal.h
plugins_csv_csv_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_csv_csv_la_LIBADD = $(ZLIB_LIBS)

filters_LTLIBRARIES += plugins/hpctoolkit/hpctoolkit.la
plugins_hpctoolkit_hpctoolkit_la_SOURCES = \
	plugins/hpctoolkit/contexts.c \
	plugins/hpctoolkit/files.c \
	plugins/hpctoolkit/hpctoolkit.c \
	plugins/hpctoolkit/hpctoolkit.h \
	plugins/hpctoolkit/places.c
plugins_hpctoolkit_hpctoolkit_la_LDFLAGS = $(FILTER_LDFLAGS)

if HAVE_SQLITE
filters_LTLIBRARIES += plugins/nsight/nsight.la
plugins_nsight_nsight_la_SOURCES = \
	plugins/nsight/mpi.c \
	plugins/nsight/nccl.c \
	plugins/nsight/nsight.c \
	plugins/nsight/nsight.h \
	plugins/nsight/tables.c
plugins_nsight_nsight_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_nsight_nsight_la_LIBADD = $(SQLITE_LIBS)
endif

filters_LTLIBRARIES += plugins/perfetto/perfetto.la
plugins_perfetto_perfetto_la_SOURCES = \
	plugins/perfetto/events.c \
	plugins/perfetto/perfetto.c \
	plugins/perfetto/perfetto.h \
	plugins/perfetto/sequences.c \
	plugins/perfetto/texts.c \
	plugins/perfetto/tracks.c \
	plugins/perfetto/wire.h \
	plugins/shared/regions/categories.h
plugins_perfetto_perfetto_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_perfetto_perfetto_la_LIBADD = $(ZLIB_LIBS)

filters_LTLIBRARIES += plugins/projections/projections.la
plugins_projections_projections_la_SOURCES = plugins/projections/projections.c
plugins_projections_projections_la_LDFLAGS = $(FILTER_LDFLAGS)
plugins_projections_projections_la_LIBADD = $(ZLIB_LIBS)

EXTRA_DIST += \
	plugins/calls/README.md \
	plugins/clock_estimate/README.md \
	plugins/comm_comp/README.md \
	plugins/critical_path/README.md \
	plugins/diagnosis/README.md \
	plugins/efficiency/README.md \
	plugins/iterations/README.md \
	plugins/live/README.md \
	plugins/lateness/README.md \
	plugins/overhead/README.md \
	plugins/ppg/README.md \
	plugins/root_cause/README.md \
	plugins/wait_states/README.md
