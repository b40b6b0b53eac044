# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

SH_TESTS += \
	tests/install/test_install.sh

EXTRA_DIST += \
	tests/install/filter.cc \
	tests/install/harness_user.c
