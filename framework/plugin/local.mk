# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

libtcflow_core_la_SOURCES += \
	framework/plugin/loader.c \
	framework/plugin/loader.h \
	framework/plugin/plugin_check.c \
	framework/plugin/plugin_check.h
