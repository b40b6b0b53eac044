/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Self-contained pages of HTML, all of one look (page.css), which load nothing. */
#ifndef TCFLOW_TOOLS_PAGE_H
#define TCFLOW_TOOLS_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* Ends the program when the page of --html cannot be written: asked before anything is read. "-" and NULL can. */
void page_check(const char *path, bool overwrite);
/* Begins a page, up to its title; `scripts`: those within it may run. */
void page_start(FILE *out, bool scripts);
/* Ends the title and begins the body; `style`: CSS beside that of all pages. */
void page_body(FILE *out, const char *style);
/* Writes a text, which never becomes markup. Bytes that are no UTF-8 become U+FFFD. */
void page_text(FILE *out, const char *text);

#endif
