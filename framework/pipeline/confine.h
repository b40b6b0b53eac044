/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* [pipeline] sandbox: restricts the process to the files of a session (framework/base/sandbox.h). */
#ifndef TCFLOW_FRAMEWORK_CONFINE_H
#define TCFLOW_FRAMEWORK_CONFINE_H

#include "session_internal.h"

/* For a session whose plugins are loaded and whose input isn't open yet, in a process that will run no other one. Sets
 * s->sandbox to what is restricted, in words. */
tcf_status session_confine(session *s);
/* Adds to a recorded failure, whose reason is one that the sandbox may have caused, that there is one. Returns
 * TCF_ERROR. */
tcf_status session_name_sandbox(const session *s);

#endif
