# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause
# Readers of other formats, included by the Makefile.am at the root: modules as the filters are, in the same folder when
# installed. A reader's source is readers/NAME/NAME.c; readers/shared has what several use.
EXTRA_DIST += readers/shared/decimal.h
