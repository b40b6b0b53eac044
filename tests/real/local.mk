# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

SH_TESTS += \
	tests/real/test_formats.sh \
	tests/real/test_run.sh

EXTRA_DIST += \
	tests/real/expected.txt \
	tests/real/formats.sh \
	tests/real/run.sh \
	tests/real/side_by_side.sh \
	tests/real/totals.py
