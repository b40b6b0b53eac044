# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

SH_TESTS += \
	tests/house/test_docs.sh \
	tests/house/test_reference.sh \
	tests/house/test_rooms.sh \
	tests/house/test_tutorial.sh

EXTRA_DIST += \
	tests/house/counts.sh \
	tests/house/coverage.py \
	tests/house/rooms \
	tests/house/rooms.py \
	tests/house/site.py \
	tests/house/tutorial.py
