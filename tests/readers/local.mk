# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

SH_TESTS += \
	tests/readers/test_writing.sh

EXTRA_DIST += \
	tests/readers/common.sh \
	tests/readers/printed.py
