# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Pipelines that are found by their names: tcflow -c waits.
presetsdir = $(pkgdatadir)/presets
dist_presets_DATA = \
	presets/causes.ini \
	presets/check.ini \
	presets/correct.ini \
	presets/diff.ini \
	presets/report.ini \
	presets/scaling.ini \
	presets/top.ini \
	presets/waits.ini
