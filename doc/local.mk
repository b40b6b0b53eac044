# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

dist_man_MANS = doc/tcflow.1 doc/tcflow-calibrate.1 doc/tcflow-new-filter.1 doc/tcflow-synth.1 doc/tcflow-torture.1
if HAVE_SQLITE
dist_man_MANS += doc/tcflow-diff.1 doc/tcflow-report.1 doc/tcflow-scaling.1
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
	doc/filter-reference.md \
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

.PHONY: reference

EXTRA_DIST += \
	doc/reference/Doxyfile \
	doc/reference/comments.awk \
	doc/README.md \
	doc/reference/main.md
