# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

libtcflow_core_la_SOURCES += \
	framework/results/database.c \
	framework/results/database.h \
	framework/results/database_names.c \
	framework/results/database_names.h \
	framework/results/database_views.c \
	framework/results/database_views.h \
	framework/results/html.c \
	framework/results/html.h \
	framework/results/html_data.c \
	framework/results/html_data.h \
	framework/results/html_page.h \
	framework/results/read.c \
	framework/results/read.h \
	framework/results/report.c \
	framework/results/report.h \
	framework/results/report_brief.c \
	framework/results/report_tables.h \
	framework/results/report_text.c \
	framework/results/results.c \
	framework/results/results.h \
	framework/results/sinks.c \
	framework/results/sinks.h

# The page of html_report as bytes: its frame, styles and scripts, in this order, with D3 in front.
report_scripts = \
	framework/results/html/format.js \
	framework/results/html/data.js \
	framework/results/html/dom.js \
	framework/results/html/grid.js \
	framework/results/html/drawing.js \
	framework/results/html/plot.js \
	framework/results/html/generic.js \
	framework/results/html/overview.js \
	framework/results/html/profile.js \
	framework/results/html/waits.js \
	framework/results/html/activity.js \
	framework/results/html/matrix.js \
	framework/results/html/messages.js \
	framework/results/html/clocks.js \
	framework/results/html/timeline.js \
	framework/results/html/main.js
report_files = framework/results/html/page.html framework/results/html/report.css framework/results/html/d3-notice.txt $(report_scripts)
if HAVE_D3
nodist_libtcflow_core_la_SOURCES += framework/results/html_page.c
CLEANFILES += framework/results/html_page.c
framework/results/html_page.c: $(report_files) framework/results/html/embed.sh Makefile
	$(AM_V_GEN)$(MKDIR_P) framework/results && cd '$(srcdir)' && \
	$(SHELL) framework/results/html/embed.sh '$(D3)' $(report_files) >'$(abs_top_builddir)/$@.tmp' && \
	mv -f '$(abs_top_builddir)/$@.tmp' '$(abs_top_builddir)/$@'
endif

EXTRA_DIST += \
	framework/results/html/embed.sh \
	$(report_files)
