# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

libtcflow_core_la_SOURCES += \
	framework/settings/settings.c \
	framework/settings/settings.h \
	framework/settings/settings_environment.c \
	framework/settings/settings_pipeline.c

libtcflow_settings_la_SOURCES += \
	framework/settings/options.c \
	framework/settings/options.h \
	framework/settings/params.c
