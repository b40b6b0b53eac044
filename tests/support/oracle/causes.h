/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/*
 * The oracle's side of root causes. What is computed is defined in plugins/root_cause/README.md. */
#ifndef TCFLOW_TESTS_ORACLE_CAUSES_H
#define TCFLOW_TESTS_ORACLE_CAUSES_H

#include "waits.h"

/* Costs by pattern, location and call path that caused them; and each wait, as far as it is a question of causes.
 * computation: own time behind calls that communicate has call paths of its own. compares: waits of both are compared
 * by their causes, too, and hide what was done before. */
void o_print_causes(const struct o_waits *w, bool computation, bool compares);

#endif
