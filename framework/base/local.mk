# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

libtcflow_core_la_SOURCES += \
	framework/base/coverage.h \
	framework/base/enumerations.h \
	framework/base/handles.c \
	framework/base/handles.h \
	framework/base/large_pages.c \
	framework/base/large_pages.h \
	framework/base/least.c \
	framework/base/least.h \
	framework/base/machine.c \
	framework/base/machine.h \
	framework/base/map.h \
	framework/base/resources.c \
	framework/base/resources.h \
	framework/base/programs.c \
	framework/base/programs.h \
	framework/base/sandbox.c \
	framework/base/sandbox.h \
	framework/base/team.c \
	framework/base/team.h \
	framework/base/text_stream.h

libtcflow_settings_la_SOURCES += \
	framework/base/error.c \
	framework/base/error.h \
	framework/base/json.c \
	framework/base/json.h \
	framework/base/names.c \
	framework/base/names.h \
	framework/base/output.c \
	framework/base/output.h \
	framework/base/output_archive.c \
	framework/base/paths.c \
	framework/base/paths.h \
	framework/base/shorten.c \
	framework/base/shorten.h \
	framework/base/string_store.c \
	framework/base/string_store.h \
	framework/base/terminal.c \
	framework/base/terminal.h \
	framework/base/units.c \
	framework/base/units.h

# The names of OTF2's enumerations, made of its headers.
nodist_libtcflow_core_la_SOURCES += framework/base/enumerations.c
EXTRA_DIST += framework/base/enumerations.awk
CLEANFILES += framework/base/enumerations.c
framework/base/enumerations.c: framework/base/enumerations.awk Makefile
	$(AM_V_GEN)$(MKDIR_P) framework/base && \
	printf '#include <%s>\n' otf2/otf2.h otf2/OTF2_Marker.h | $(CC) $(CPPFLAGS) $(OTF2_CFLAGS) -E -P -x c - | \
	$(AWK) -f '$(srcdir)/framework/base/enumerations.awk' >$@.tmp && mv -f $@.tmp $@
