# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

dist_man_MANS = doc/tcflow.1 doc/tcflow-calibrate.1 doc/tcflow-new-filter.1 doc/tcflow-synth.1 doc/tcflow-torture.1
if HAVE_SQLITE
dist_man_MANS += doc/tcflow-diff.1 doc/tcflow-report.1 doc/tcflow-scaling.1
endif
if HAVE_NCURSES
dist_man_MANS += doc/tcflow-top.1
endif
if HAVE_MPI
dist_man_MANS += doc/tcflow-mpi.1
endif
dist_doc_DATA += \
	doc/architecture.md \
	doc/clock-correction.md \
	doc/matching.md \
	doc/figures.md \
	doc/glossary.md \
	doc/html-report.md \
	doc/overhead.md \
	doc/parallel.md \
	doc/report.png \
	doc/scaling.png \
	doc/results.md \
	doc/scaling.md \
	doc/stream-format.md \
	doc/testing.md \
	doc/using.md \
	doc/filter-reference.md \
	doc/filters.md \
	doc/writing-filters.md \
	doc/writing-sources.md

# What the headers say, as pages: BUILD/doc/reference/html/index.html. Needs doxygen.
reference:
	@if test -z '$(DOXYGEN)'; then echo "doxygen is missing (Debian: doxygen): no reference is made"; else \
		rm -rf doc/reference/html && $(MKDIR_P) doc/reference && \
		{ cat '$(srcdir)/doc/reference/Doxyfile' && \
		echo 'INPUT = "$(srcdir)/doc/reference/main.md" "$(srcdir)/include/tcflow"' && \
		echo 'USE_MDFILE_AS_MAINPAGE = "$(srcdir)/doc/reference/main.md"' && \
		echo 'FILTER_PATTERNS = *.h="$(AWK) -f $(srcdir)/doc/reference/comments.awk"' && \
		echo 'OUTPUT_DIRECTORY = doc/reference'; } | '$(DOXYGEN)' - && \
		echo 'doc/reference/html/index.html'; \
	fi

# All pages as a site: BUILD/doc/html/index.html. Needs cmark-gfm.
html-local:
	@if test -z '$(CMARK)'; then echo "cmark-gfm is missing (Debian: cmark-gfm): no site is made"; exit 1; else \
		rm -rf doc/html && $(SHELL) '$(srcdir)/doc/site/make.sh' '$(CMARK)' '$(srcdir)' doc/html && \
		echo 'doc/html/index.html'; \
	fi

# Writes doc/filters.md anew.
filters-page: all
	$(SHELL) '$(srcdir)/doc/filters.sh' ./tcflow$(EXEEXT) '$(srcdir)' >doc/filters.md.new && mv doc/filters.md.new '$(srcdir)/doc/filters.md'

# A man page for each filter, reader and preset, made of the tables that --describe prints.
if RUNS_HERE
noinst_DATA = doc/man/made
doc/man/made: tcflow$(EXEEXT) $(filters_LTLIBRARIES) $(dist_presets_DATA)
	$(AM_V_GEN)rm -rf doc/man && $(MKDIR_P) doc/man && \
	ASAN_OPTIONS=detect_leaks=0 ./tcflow$(EXEEXT) --man-pages doc/man && touch $@
man7dir = $(mandir)/man7
install-man-pages: doc/man/made
	$(MKDIR_P) '$(DESTDIR)$(man7dir)'
	$(INSTALL_DATA) doc/man/*.7 '$(DESTDIR)$(man7dir)'
uninstall-man-pages:
	-cd '$(DESTDIR)$(man7dir)' && rm -f tcflow-filter-*.7 tcflow-reader-*.7 tcflow-preset-*.7
else
install-man-pages uninstall-man-pages:
endif
clean-local: clean-pages
clean-pages:
	rm -rf doc/man doc/html doc/reference/html

.PHONY: filters-page reference html-local install-man-pages uninstall-man-pages clean-pages

EXTRA_DIST += \
	doc/filters.sh \
	doc/site/make.sh \
	doc/site/page.awk \
	doc/site/site.css \
	doc/reference/Doxyfile \
	doc/reference/comments.awk \
	doc/README.md \
	doc/reference/main.md
