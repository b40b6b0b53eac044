# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

libtcflow_core_la_SOURCES += \
	framework/results/database.c \
	framework/results/database.h \
	framework/results/database_names.c \
	framework/results/database_names.h \
	framework/results/database_views.c \
	framework/results/database_views.h \
	framework/results/page.c \
	framework/results/page.h \
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
