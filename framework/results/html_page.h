/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The page of an HTML report, without its data; html_page.c is made by framework/results/html/embed.sh. */
#ifndef TCFLOW_FRAMEWORK_HTML_PAGE_H
#define TCFLOW_FRAMEWORK_HTML_PAGE_H

#include <stddef.h>

/* What every page begins with. */
#define HTML_PAGE_START "<!DOCTYPE html>\n<!-- An HTML report of tcflow"

/* What stands in front of the data, and behind. */
extern const unsigned char html_page_before[], html_page_after[];
extern const size_t html_page_before_bytes, html_page_after_bytes;

#endif
