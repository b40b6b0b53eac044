# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

dist_man_MANS = doc/tcflow.1 doc/tcflow-calibrate.1 doc/tcflow-new-filter.1 doc/tcflow-synth.1 doc/tcflow-torture.1
if HAVE_SQLITE
dist_man_MANS += doc/tcflow-diff.1
endif
dist_doc_DATA += \
	doc/architecture.md \
	doc/clock-correction.md \
	doc/matching.md \
	doc/figures.md \
	doc/html-report.md \
	doc/overhead.md \
	doc/report.png \
	doc/results.md \
	doc/stream-format.md \
	doc/writing-filters.md
