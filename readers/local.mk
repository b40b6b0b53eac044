# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
# Readers of other formats, included by the Makefile.am at the root: modules as the filters are, in the same folder when
# installed. A reader's source is readers/NAME/NAME.c; readers/shared has what several use.
if HAVE_YAJL
filters_LTLIBRARIES += readers/chrome/chrome.la
readers_chrome_chrome_la_SOURCES = \
	readers/chrome/chrome.c \
	readers/chrome/chrome.h \
	readers/chrome/events.c \
	readers/chrome/parse.c \
	readers/shared/decimal.h
readers_chrome_chrome_la_LDFLAGS = $(FILTER_LDFLAGS)
readers_chrome_chrome_la_CFLAGS = $(AM_CFLAGS) $(YAJL_CFLAGS)
readers_chrome_chrome_la_LIBADD = $(YAJL_LIBS) $(ZLIB_LIBS)
endif

filters_LTLIBRARIES += readers/csv/csv.la
readers_csv_csv_la_SOURCES = \
	readers/csv/csv.c \
	readers/csv/rows.c \
	readers/csv/rows.h \
	readers/shared/decimal.h
readers_csv_csv_la_LDFLAGS = $(FILTER_LDFLAGS)
readers_csv_csv_la_LIBADD = $(ZLIB_LIBS)

if HAVE_SQLITE
filters_LTLIBRARIES += readers/nsight/nsight.la
readers_nsight_nsight_la_SOURCES = readers/nsight/nsight.c
readers_nsight_nsight_la_LDFLAGS = $(FILTER_LDFLAGS)
readers_nsight_nsight_la_LIBADD = $(SQLITE_LIBS)
endif

filters_LTLIBRARIES += readers/projections/projections.la
readers_projections_projections_la_SOURCES = readers/projections/projections.c
readers_projections_projections_la_LDFLAGS = $(FILTER_LDFLAGS)
readers_projections_projections_la_LIBADD = $(ZLIB_LIBS)
