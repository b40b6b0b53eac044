# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

libtcflow_core_la_SOURCES += \
	framework/command/describe.c \
	framework/command/describe.h \
	framework/command/describe_list.c \
	framework/command/describe_parts.h

command_sources = \
	framework/command/command.h \
	framework/command/commands.c \
	framework/command/commands.h \
	framework/command/describe_pages.c \
	framework/command/info.c \
	framework/command/info.h \
	framework/command/main.c \
	framework/command/pager.c \
	framework/command/pager.h \
	framework/command/summary.c \
	framework/command/summary.h

bin_PROGRAMS += tcflow
tcflow_SOURCES = $(command_sources) framework/command/tcflow.c
tcflow_LDADD = libtcflow_core.la
