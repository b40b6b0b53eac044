/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The program tcflow. */
#include "command.h"

int main(int argc, char **argv)
{
    return command_main(argc, argv, NULL);
}
