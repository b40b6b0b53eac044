# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

libtcflow_core_la_SOURCES += \
	framework/base/error.c \
	framework/base/error.h \
	framework/base/json.c \
	framework/base/json.h \
	framework/base/large_pages.c \
	framework/base/large_pages.h \
	framework/base/map.h \
	framework/base/output.c \
	framework/base/output.h \
	framework/base/resources.c \
	framework/base/resources.h \
	framework/base/units.c \
	framework/base/units.h
