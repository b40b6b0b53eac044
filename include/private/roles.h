/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* Which roles in the record tables (events.h, definitions.h) are references to definitions, for files that expand the
 * tables.
 *
 * A table expansion looks a role up as ROLE_<role>: the tcf_ref_kind that it refers to, or ROLE_PLAIN for a number that
 * is stored as it stands. Everything is a constant, so the compiler leaves no trace of it in the hot loops. */
#ifndef TCFLOW_ROLES_H
#define TCFLOW_ROLES_H

#include <private/role_lists.h>
#include <tcflow/definitions.h>

/* clang-format off */
enum {
    ROLE_PLAIN = -1,
#define R(name) ROLE_##name = TCF_REF_##name,
    TCF_REFERENCE_ROLES(R)
#undef R
#define R(name) ROLE_##name = ROLE_PLAIN,
    TCF_ENUMERATION_ROLES(R)
    TCF_SET_ROLES(R)
    TCF_NUMBER_ROLES(R)
#undef R
};
/* clang-format on */

#endif
