# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

filtersddir = $(pkgdatadir)/filters.d
dist_filtersd_DATA = \
	filters.d/activity.ini \
	filters.d/calls.ini \
	filters.d/check.ini \
	filters.d/clc_backward.ini \
	filters.d/clc_forward.ini \
	filters.d/clock_estimate.ini \
	filters.d/clock_report.ini \
	filters.d/comm_comp.ini \
	filters.d/comm_matrix.ini \
	filters.d/critical_path.ini \
	filters.d/diagnosis.ini \
	filters.d/distances.ini \
	filters.d/efficiency.ini \
	filters.d/io.ini \
	filters.d/iterations.ini \
	filters.d/lateness.ini \
	filters.d/load_imbalance.ini \
	filters.d/message_histogram.ini \
	filters.d/metrics.ini \
	filters.d/mu_estimate.ini \
	filters.d/otf2_write.ini \
	filters.d/overhead.ini \
	filters.d/perfetto_trace.ini \
	filters.d/pass.ini \
	filters.d/ppg.ini \
	filters.d/presync.ini \
	filters.d/print.ini \
	filters.d/profile.ini \
	filters.d/root_cause.ini \
	filters.d/select.ini \
	filters.d/skew.ini \
	filters.d/stream_write.ini \
	filters.d/time_profile.ini \
	filters.d/timeline.ini \
	filters.d/activity_waits.ini \
	filters.d/live.ini \
	filters.d/wait_states.ini \
	filters.d/whole_messages.ini
