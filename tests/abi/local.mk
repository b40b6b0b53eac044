# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

SH_TESTS += \
	tests/abi/test_abi.sh

EXTRA_DIST += \
	tests/abi/1.0/old_hold.c \
	tests/abi/1.0/old_messages.c \
	tests/abi/1.0/tcflow/definitions.h \
	tests/abi/1.0/tcflow/events.h \
	tests/abi/1.0/tcflow/filter.h \
	tests/abi/1.1/layout \
	tests/abi/layout.py
