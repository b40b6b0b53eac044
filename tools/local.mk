# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

bin_PROGRAMS += tcflow-calibrate
tcflow_calibrate_SOURCES = \
	tools/shared/files.c \
	tools/shared/files.h \
	tools/shared/program.c \
	tools/shared/program.h \
	tools/calibrate/calibrate.h \
	tools/calibrate/copy.c \
	tools/calibrate/main.c \
	tools/calibrate/model.c \
	tools/calibrate/options.c \
	tools/calibrate/own.c \
	tools/calibrate/record.c \
	tools/calibrate/rows.c \
	tools/calibrate/write.c
tcflow_calibrate_CPPFLAGS = $(AM_CPPFLAGS) \
	-DTCFLOW_CALIBRATE_DIR='"$(calibratedir)"' \
	-DTCFLOW_BUILD_DIR='"$(abs_top_builddir)"' \
	-DTCFLOW_SOURCE_DIR='"$(abs_top_srcdir)"'
tcflow_calibrate_LDADD = libtcflow_settings.la -lm

# Programs that it has recorded: built where they are used, with the compiler of the measurement system.
calibratedir = $(pkgdatadir)/calibrate
dist_calibrate_DATA = tools/calibrate/loop.c tools/calibrate/pingpong.c

bin_PROGRAMS += tcflow-synth
tcflow_synth_SOURCES = \
	tools/shared/program.c \
	tools/shared/program.h \
	tools/synth/archive.c \
	tools/synth/clock.c \
	tools/synth/collectives.c \
	tools/synth/definitions.c \
	tools/synth/main.c \
	tools/synth/messages.c \
	tools/synth/options.c \
	tools/synth/outputs.c \
	tools/synth/program.c \
	tools/synth/random.h \
	tools/synth/synth.h \
	tools/synth/threads.c
tcflow_synth_LDADD = libtcflow_settings.la $(OTF2_LIBS) -lm

# A project for a filter, or a reader, of one's own: the example, with another name.
templatedir = $(pkgdatadir)/custom-filter
dist_template_DATA = \
	examples/custom-filter/.gitignore \
	examples/custom-filter/Makefile \
	examples/custom-filter/README.md \
	examples/custom-filter/pipeline.ini \
	examples/custom-filter/shift.c \
	examples/custom-filter/shift.ini \
	examples/custom-filter/test_shift.c
sourcetemplatedir = $(pkgdatadir)/custom-source
dist_sourcetemplate_DATA = \
	examples/custom-source/.gitignore \
	examples/custom-source/Makefile \
	examples/custom-source/README.md \
	examples/custom-source/example.spanlog \
	examples/custom-source/pipeline.ini \
	examples/custom-source/spanlog.c \
	examples/custom-source/spanlog.ini \
	examples/custom-source/test_spanlog.sh
bin_SCRIPTS = tcflow-new-filter
CLEANFILES += tcflow-new-filter
tcflow-new-filter: tools/new-filter/tcflow-new-filter.in Makefile
	$(AM_V_GEN)$(SED) -e 's|@''VERSION@|$(VERSION)|g' -e 's|@''pkgdatadir@|$(pkgdatadir)|g' \
	    -e 's|@''abs_top_srcdir@|$(abs_top_srcdir)|g' '$(srcdir)/tools/new-filter/tcflow-new-filter.in' >$@.tmp && \
	chmod +x $@.tmp && mv -f $@.tmp $@

# What reads databases of results. They are not there without SQLite.
if HAVE_SQLITE
bin_PROGRAMS += tcflow-diff tcflow-report tcflow-scaling
endif
DATABASE_SOURCES = \
	tools/shared/database.c \
	tools/shared/database.h \
	tools/shared/page.c \
	tools/shared/page.h \
	tools/shared/power_law.c \
	tools/shared/power_law.h \
	tools/shared/program.c \
	tools/shared/program.h

# The live view.
if HAVE_NCURSES
bin_PROGRAMS += tcflow-top
endif
tcflow_top_SOURCES = \
	tools/shared/files.c \
	tools/shared/files.h \
	tools/shared/program.c \
	tools/shared/program.h \
	tools/top/main.c \
	tools/top/reader.c \
	tools/top/screen.c \
	tools/top/shot.c \
	tools/top/top.h
tcflow_top_CPPFLAGS = $(AM_CPPFLAGS) $(NCURSES_CFLAGS) \
	-DTCFLOW_BUILD_DIR='"$(abs_top_builddir)"'
tcflow_top_LDADD = libtcflow_settings.la $(NCURSES_LIBS)

tcflow_scaling_SOURCES = \
	$(DATABASE_SOURCES) \
	tools/shared/files.c \
	tools/shared/files.h \
	tools/shared/traces.c \
	tools/shared/traces.h \
	tools/scaling/causes.c \
	tools/scaling/curves.c \
	tools/scaling/graph.c \
	tools/scaling/json.c \
	tools/scaling/load.c \
	tools/scaling/losses.c \
	tools/scaling/main.c \
	tools/scaling/options.c \
	tools/scaling/page.c \
	tools/scaling/page_parts.h \
	tools/scaling/paths.c \
	tools/scaling/scaling.h \
	tools/scaling/source.c \
	tools/scaling/text.c \
	tools/scaling/traces.c
tcflow_scaling_CPPFLAGS = $(AM_CPPFLAGS) -Itools/scaling \
	-DTCFLOW_BUILD_DIR='"$(abs_top_builddir)"' \
	-DTCFLOW_SOURCE_DIR='"$(abs_top_srcdir)"'
tcflow_scaling_LDADD = libtcflow_settings.la $(SQLITE_LIBS) -lm

# What compares databases; tcflow-report has it, too.
DIFF_SOURCES = \
	$(DATABASE_SOURCES) \
	tools/shared/files.c \
	tools/shared/files.h \
	tools/shared/traces.c \
	tools/shared/traces.h \
	tools/diff/checks.c \
	tools/diff/compare.c \
	tools/diff/data.c \
	tools/diff/diff.h \
	tools/diff/inputs.c \
	tools/diff/items.c \
	tools/diff/judge.c \
	tools/diff/load.c \
	tools/diff/page.c \
	tools/diff/report.c \
	tools/diff/scaling.c \
	tools/diff/subjects.c \
	tools/diff/words.c
tcflow_diff_SOURCES = \
	$(DIFF_SOURCES) \
	tools/diff/main.c \
	tools/diff/options.c \
	tools/diff/text.c
tcflow_diff_CPPFLAGS = $(AM_CPPFLAGS) -Itools/diff \
	-DTCFLOW_BUILD_DIR='"$(abs_top_builddir)"'
tcflow_diff_LDADD = libtcflow_settings.la $(SQLITE_LIBS) -lm

tcflow_report_SOURCES = \
	$(DIFF_SOURCES) \
	tools/diff/pair.c \
	tools/shared/pair.h \
	tools/report/data.c \
	tools/report/main.c \
	tools/report/report.h
nodist_tcflow_report_SOURCES = tools/report/page.c
tcflow_report_CPPFLAGS = $(AM_CPPFLAGS) -Itools/diff \
	-DTCFLOW_BUILD_DIR='"$(abs_top_builddir)"'
tcflow_report_LDADD = libtcflow_settings.la $(SQLITE_LIBS) -lm

# The page as bytes: its frame, styles and scripts, in this order.
report_files = \
	tools/report/page/page.html \
	tools/report/page/report.css \
	tools/report/page/numbers.js \
	tools/report/page/format.js \
	tools/report/page/view.js \
	tools/report/page/data.js \
	tools/report/page/dom.js \
	tools/report/page/export.js \
	tools/report/page/grid.js \
	tools/report/page/selection.js \
	tools/report/page/drawing.js \
	tools/report/page/plot.js \
	tools/report/page/generic.js \
	tools/report/page/overview.js \
	tools/report/page/profile.js \
	tools/report/page/waits.js \
	tools/report/page/activity.js \
	tools/report/page/matrix.js \
	tools/report/page/messages.js \
	tools/report/page/clocks.js \
	tools/report/page/timeline.js \
	tools/report/page/marks.js \
	tools/report/page/tracks.js \
	tools/report/page/run.js \
	tools/report/page/flame.js \
	tools/report/page/panes.js \
	tools/report/page/comparison.js \
	tools/report/page/main.js
CLEANFILES += tools/report/page.c
tools/report/page.c: $(report_files) tools/report/embed.sh
	$(AM_V_GEN)$(MKDIR_P) $(@D) && cd '$(srcdir)' && $(SHELL) tools/report/embed.sh $(report_files) \
	    >'$(abs_top_builddir)/$@.tmp' && mv -f '$(abs_top_builddir)/$@.tmp' '$(abs_top_builddir)/$@'
EXTRA_DIST += tools/report/embed.sh $(report_files)
EXTRA_DIST += tools/shared/page.css tools/diff/page.js tools/scaling/page.css

# What their pages consist of, as strings of C.
PAGE_PARTS = tools/shared/page_css.h tools/diff/page_js.h tools/scaling/page_css.h
tools/shared/tcflow_diff-page.$(OBJEXT) tools/shared/tcflow_scaling-page.$(OBJEXT): tools/shared/page_css.h
tools/shared/tcflow_report-page.$(OBJEXT): tools/shared/page_css.h
tools/diff/tcflow_diff-page.$(OBJEXT) tools/diff/tcflow_report-page.$(OBJEXT): tools/diff/page_js.h
tools/scaling/tcflow_scaling-page.$(OBJEXT): tools/scaling/page_css.h
tools/shared/page_css.h: tools/shared/page.css
tools/diff/page_js.h: tools/diff/page.js
tools/scaling/page_css.h: tools/scaling/page.css
$(PAGE_PARTS):
	@$(MKDIR_P) $(@D)
	$(AM_V_GEN)part=`echo '$@' | $(SED) 's/_\(.*\)\.h/.\1/'`; \
	$(SED) -e 's/[\\"]/\\&/g' -e 's/.*/"&\\n"/' "$(srcdir)/$$part" >'$@'
CLEANFILES += $(PAGE_PARTS)

EXTRA_DIST += \
	tools/new-filter/tcflow-new-filter.in
