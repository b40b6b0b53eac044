# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The harness of <tcflow/harness.h>. Tests of this tree link it as it is; what is installed has the framework in it, and
# exports what the header declares and nothing else. Its soname is the major version of the plugin interface.
noinst_LTLIBRARIES += kit/harness/libharness.la
kit_harness_libharness_la_SOURCES = \
	kit/harness/define.c \
	kit/harness/events.c \
	kit/harness/failing.c \
	kit/harness/feed.c \
	kit/harness/harness.c \
	kit/harness/internal.h \
	kit/harness/run.c
kit_harness_libharness_la_CPPFLAGS = $(AM_CPPFLAGS)

lib_LTLIBRARIES = libtcflow-harness.la
libtcflow_harness_la_SOURCES =
libtcflow_harness_la_LIBADD = kit/harness/libharness.la libtcflow_core.la
libtcflow_harness_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:0 -export-symbols-regex '^tcfh_'

# Holds plugins to the contract: tcflow --torture.
bin_PROGRAMS += tcflow-torture
tcflow_torture_SOURCES = \
	kit/torture/child.c \
	kit/torture/findings.c \
	kit/torture/guard.c \
	kit/torture/guard_host.c \
	kit/torture/main.c \
	kit/torture/memory.c \
	kit/torture/program.c \
	kit/torture/reader_bytes.c \
	kit/torture/reader_guard.c \
	kit/torture/reader_steps.c \
	kit/torture/readers.c \
	kit/torture/readers.h \
	kit/torture/run.c \
	kit/torture/shadow.c \
	kit/torture/steps.c \
	kit/torture/torture.h
tcflow_torture_CPPFLAGS = $(AM_CPPFLAGS)
tcflow_torture_LDADD = kit/harness/libharness.la libtcflow_core.la
