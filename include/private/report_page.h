/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* How pages of tcflow-report begin: what begins otherwise is never replaced by one. */
#ifndef TCFLOW_PRIVATE_REPORT_PAGE_H
#define TCFLOW_PRIVATE_REPORT_PAGE_H

#define REPORT_PAGE_START "<!DOCTYPE html>\n<!-- An HTML report of tcflow"

#endif
