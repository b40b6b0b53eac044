# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

SH_TESTS += \
	tests/readers/test_chrome.sh \
	tests/readers/test_csv.sh \
	tests/readers/test_nsight.sh \
	tests/readers/test_projections.sh \
	tests/readers/test_writing.sh

EXTRA_DIST += \
	tests/readers/chrome.py \
	tests/readers/common.sh \
	tests/readers/nsight.py \
	tests/readers/printed.py \
	tests/readers/projections.py \
	tests/readers/random_chrome.py \
	tests/readers/table.py
