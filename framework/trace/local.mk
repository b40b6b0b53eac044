# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

libtcflow_core_la_SOURCES += \
	framework/trace/callpath.c \
	framework/trace/callpath.h \
	framework/trace/communicators.c \
	framework/trace/definitions.c \
	framework/trace/definitions.h \
	framework/trace/definitions_resolve.c \
	framework/trace/kept.h \
	framework/trace/lead_threads.c \
	framework/trace/learned.c \
	framework/trace/learned.h \
	framework/trace/membership.c \
	framework/trace/membership.h \
	framework/trace/otf2_records.h \
	framework/trace/records.c \
	framework/trace/records.h \
	framework/trace/duplicates.c \
	framework/trace/duplicates.h \
	framework/trace/slice.c \
	framework/trace/slice.h \
	framework/trace/source.c \
	framework/trace/source.h \
	framework/trace/wanted.h
