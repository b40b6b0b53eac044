/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Texts and small arrays that live as long as their owner and are freed together. *store begins as NULL; the first call
 * makes it. Both functions return NULL when memory is out. */
#ifndef TCFLOW_FRAMEWORK_STRING_STORE_H
#define TCFLOW_FRAMEWORK_STRING_STORE_H

#include <stddef.h>

typedef struct string_store string_store;

void *store_room(string_store **s, size_t bytes);                    /* zeros */
char *store_text(string_store **s, const char *text, size_t length); /* a copy, with a zero behind it */
void store_free(string_store *s);

#endif
