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
	include/tcflow/references.h \
	include/tcflow/roles.h \
	include/tcflow/socket.h \
	include/tcflow/stream.h \
	include/tcflow/utf8.h \
	include/tcflow/worst_waits.h

pkgconfig_DATA = tcflow.pc tcflow-harness.pc
