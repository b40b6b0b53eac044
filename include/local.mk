# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

tcflowincludedir = $(includedir)/tcflow
tcflowinclude_HEADERS = \
	include/tcflow/clocks.h \
	include/tcflow/definitions.h \
	include/tcflow/events.h \
	include/tcflow/filter.h \
	include/tcflow/grow.h \
	include/tcflow/harness.h \
	include/tcflow/map.h \
	include/tcflow/order.h \
	include/tcflow/processes.h \
	include/tcflow/source.h \
	include/tcflow/times.h
# For this tree's plugins and programs.
noinst_HEADERS += \
	include/private/domains_host.h \
	include/private/domain_paths.h \
	include/private/extent_host.h \
	include/private/file_bytes.h \
	include/private/handles_host.h \
	include/private/main_loop.h \
	include/private/otf2_format.h \
	include/private/output_host.h \
	include/private/hold_host.h \
	include/private/parts_host.h \
	include/private/passing_errors.h \
	include/private/perfetto_fields.h \
	include/private/results_host.h \
	include/private/role_lists.h \
	include/private/roles.h \
	include/private/scaled.h \
	include/private/snapshots.h \
	include/private/socket.h \
	include/private/report_page.h \
	include/private/token.h \
	include/private/stream.h \
	include/private/stream_host.h \
	include/private/time_units.h \
	include/private/temporary_file.h \
	include/private/terminal.h \
	include/private/utf8.h \
	include/private/worst_waits.h

pkgconfig_DATA = tcflow.pc tcflow-harness.pc
