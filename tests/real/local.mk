# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

SH_TESTS += \
	tests/real/test_run.sh

EXTRA_DIST += \
	tests/real/expected.txt \
	tests/real/run.sh
