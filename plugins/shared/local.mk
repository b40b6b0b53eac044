# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
# What several filters share, included by plugins/local.mk: each part is compiled once. A filter names in its LIBADD the
# parts that it uses, each once. Parts that are headers alone need no library.

# The names of call paths, and cells of values by call path.
CALLPATHS_LIBS = plugins/shared/callpaths/libcallpaths.la
noinst_LTLIBRARIES += $(CALLPATHS_LIBS)
plugins_shared_callpaths_libcallpaths_la_SOURCES = \
	plugins/shared/callpaths/path_cells.h \
	plugins/shared/callpaths/paths.c \
	plugins/shared/callpaths/paths.h

# Corrections of clocks, their files, and distances. Products are rounded by themselves, as libotf2 does.
CLOCKS_LIBS = plugins/shared/clocks/libclocks.la $(NUMBERS_LIBS) -lm
CLOCKS_CFLAGS = $(AM_CFLAGS) -ffp-contract=off
noinst_LTLIBRARIES += plugins/shared/clocks/libclocks.la
plugins_shared_clocks_libclocks_la_CFLAGS = $(CLOCKS_CFLAGS)
plugins_shared_clocks_libclocks_la_SOURCES = \
	plugins/shared/clocks/correction.c \
	plugins/shared/clocks/correction.h \
	plugins/shared/clocks/distance.h \
	plugins/shared/clocks/knot_file.c \
	plugins/shared/clocks/knot_file.h \
	plugins/shared/clocks/moves.h \
	plugins/shared/clocks/stated.h

# What a filter of several domains judges in the first one.
GATHER_LIBS = plugins/shared/gather/libgather.la
noinst_LTLIBRARIES += $(GATHER_LIBS)
plugins_shared_gather_libgather_la_SOURCES = plugins/shared/gather/gather.c plugins/shared/gather/gather.h

# The largest of many items.
LARGEST_LIBS = plugins/shared/largest/liblargest.la
noinst_LTLIBRARIES += $(LARGEST_LIBS)
plugins_shared_largest_liblargest_la_SOURCES = plugins/shared/largest/largest.c plugins/shared/largest/largest.h

# The table `limits` of a report.
LIMITS_LIBS = plugins/shared/limits/liblimits.la
noinst_LTLIBRARIES += $(LIMITS_LIBS)
plugins_shared_limits_liblimits_la_SOURCES = plugins/shared/limits/limits.c plugins/shared/limits/limits.h

# Numbers with units in parameters, the smaller and the larger of two.
NUMBERS_LIBS = plugins/shared/numbers/libnumbers.la
noinst_LTLIBRARIES += $(NUMBERS_LIBS)
plugins_shared_numbers_libnumbers_la_SOURCES = \
	plugins/shared/numbers/min_max.h \
	plugins/shared/numbers/number.c \
	plugins/shared/numbers/number.h \
	plugins/shared/numbers/reproducible_sum.h \
	plugins/shared/numbers/series.h

# The patterns of time and of wait states, and of which pattern a region's time is.
PATTERNS_LIBS = plugins/shared/patterns/libpatterns.la
noinst_LTLIBRARIES += $(PATTERNS_LIBS)
plugins_shared_patterns_libpatterns_la_SOURCES = \
	plugins/shared/patterns/patterns.c \
	plugins/shared/patterns/patterns.h \
	plugins/shared/patterns/region_kinds.c \
	plugins/shared/patterns/region_kinds.h

# The fields of records, the names of definitions, and buffered output.
RECORDS_LIBS = plugins/shared/records/librecords.la
noinst_LTLIBRARIES += $(RECORDS_LIBS)
plugins_shared_records_librecords_la_SOURCES = \
	plugins/shared/records/definition_names.c \
	plugins/shared/records/definition_names.h \
	plugins/shared/records/fields.c \
	plugins/shared/records/fields.h \
	plugins/shared/records/output.c \
	plugins/shared/records/output.h

# Which regions are the same one, and stacks of open calls.
REGIONS_LIBS = plugins/shared/regions/libregions.la
noinst_LTLIBRARIES += $(REGIONS_LIBS)
plugins_shared_regions_libregions_la_SOURCES = \
	plugins/shared/regions/call_stack.h \
	plugins/shared/regions/region_names.h \
	plugins/shared/regions/region_stack.h \
	plugins/shared/regions/same_regions.c \
	plugins/shared/regions/same_regions.h

# Headers alone: arrays whose elements come and go or belong to keys, and bins of time for runs of unknown length.
noinst_HEADERS = \
	plugins/shared/places/keyed.h \
	plugins/shared/places/places.h \
	plugins/shared/time_bins/time_bins.h

# Time by row, key and bin of time, in bounded memory.
TIME_CELLS_LIBS = plugins/shared/time_cells/libtime_cells.la
noinst_LTLIBRARIES += $(TIME_CELLS_LIBS)
plugins_shared_time_cells_libtime_cells_la_SOURCES = \
	plugins/shared/time_cells/report.c \
	plugins/shared/time_cells/time_cells.c \
	plugins/shared/time_cells/time_cells.h \
	plugins/shared/time_cells/time_rows.c

# The detection of wait states.
WAITS_LIBS = plugins/shared/waits/libwaits.la $(PATTERNS_LIBS)
noinst_LTLIBRARIES += plugins/shared/waits/libwaits.la
plugins_shared_waits_libwaits_la_SOURCES = \
	plugins/shared/waits/collectives.c \
	plugins/shared/waits/domains.c \
	plugins/shared/waits/internal.h \
	plugins/shared/waits/messages.c \
	plugins/shared/waits/order.c \
	plugins/shared/waits/replies.c \
	plugins/shared/waits/sums.c \
	plugins/shared/waits/sums.h \
	plugins/shared/waits/threads.c \
	plugins/shared/waits/users.c \
	plugins/shared/waits/waits.h \
	plugins/shared/waits/walk.c \
	plugins/shared/waits/windows.c
