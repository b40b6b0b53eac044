/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The command, as the programs tcflow and tcflow-mpi have it in common. */
#ifndef TCFLOW_FRAMEWORK_COMMAND_H
#define TCFLOW_FRAMEWORK_COMMAND_H

#include "framework/pipeline/agree.h"

/* Runs the command line; returns the exit status, or ends the process by SIGPIPE. among: the processes that run it
 * together, all of them with the same arguments; NULL: this one alone. */
int command_main(int argc, char **argv, struct peers *among);

#endif
