/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The page of an HTML report without its data. framework/results/html/embed.sh makes html_page.c. */
#ifndef TCFLOW_FRAMEWORK_HTML_PAGE_H
#define TCFLOW_FRAMEWORK_HTML_PAGE_H

#include <stddef.h>

/* The first bytes of every page. */
#define HTML_PAGE_START "<!DOCTYPE html>\n<!-- An HTML report of tcflow"

/* The page in front of the data, and behind. */
extern const unsigned char html_page_before[], html_page_after[];
extern const size_t html_page_before_bytes, html_page_after_bytes;

#endif
