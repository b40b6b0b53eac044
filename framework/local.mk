# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Where things are installed, and built.
FOLDERS = \
	-DTCFLOW_PLUGIN_DIR='"$(filtersdir)"' \
	-DTCFLOW_FILTERS_DIR='"$(filtersddir)"' \
	-DTCFLOW_PRESETS_DIR='"$(presetsdir)"' \
	-DTCFLOW_LIBEXEC_DIR='"$(pkglibexecdir)"' \
	-DTCFLOW_BUILD_DIR='"$(abs_top_builddir)"' \
	-DTCFLOW_SOURCE_DIR='"$(abs_top_srcdir)"'

# What the framework shares with the programs beside it: errors, values as people write them, tables of parameters and
# of options.
noinst_LTLIBRARIES += libtcflow_settings.la
libtcflow_settings_la_SOURCES =
libtcflow_settings_la_CPPFLAGS = $(AM_CPPFLAGS) $(FOLDERS)
libtcflow_settings_la_LIBADD = -lm

# A convenience library, so that tests link what the program is made of.
noinst_LTLIBRARIES += libtcflow_core.la
libtcflow_core_la_SOURCES =
nodist_libtcflow_core_la_SOURCES =
libtcflow_core_la_CPPFLAGS = $(AM_CPPFLAGS) $(FOLDERS)
libtcflow_core_la_LIBADD = libtcflow_settings.la $(OTF2_LIBS) $(INIH_LIBS) $(LTDL_LIBS) $(SQLITE_LIBS) $(ZLIB_LIBS) $(ZSTD_LIBS) $(SECCOMP_LIBS) $(SODIUM_LIBS) -lm

include framework/base/local.mk
include framework/trace/local.mk
include framework/settings/local.mk
include framework/plugin/local.mk
include framework/source/local.mk
include framework/causality/local.mk
include framework/results/local.mk
include framework/pipeline/local.mk
include framework/command/local.mk
include framework/mpi/local.mk
