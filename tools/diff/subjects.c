/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The tables of a comparison, with their names, titles and units. load.c knows where their values stand in a
 * database. */
#include "diff.h"

const struct subject_kind subject_kinds[N_SUBJECTS] = {
    [REGIONS] = {PROFILE,
                 "region",
                 {{"region_exclusive", "Regions: exclusive time", "s",
                   "Time of all locations in the region itself, without what it called", false, false},
                  {"region_inclusive", "Regions: inclusive time", "s",
                   "Time of all locations in the region and in what it called, in outermost visits", false, false},
                  {"region_visits", "Regions: visits", NULL, "How often the region was entered", true, false}},
                 3},
    [CALLPATHS] = {PROFILE,
                   "call_path",
                   {{"callpath_exclusive", "Call paths: exclusive time", "s",
                     "Time of all locations in visits of the call path, without the call paths below", false, false},
                    {"callpath_inclusive", "Call paths: inclusive time", "s",
                     "Time of all locations in visits of the call path", false, false},
                    {"callpath_visits", "Call paths: visits", NULL, "How often the call path was entered", true,
                     false}},
                   3},
    [WAIT_PATTERNS] = {WAITS,
                       "pattern",
                       {{"waits", "Times and wait states", "s", "Time of all locations, by pattern", false, false},
                        {"waits_count", "Times and wait states: instances", NULL, "How often", true, true}},
                       2},
    [WAIT_PATHS] = {WAITS,
                    "wait",
                    {{"waits_callpath", "Wait states by call path", "s",
                      "Time that the call waited, by pattern and call path", false, false},
                     {"waits_callpath_count", "Wait states by call path: instances", NULL, "How often", true, true}},
                    2},
    [COMMUNICATION] = {MESSAGES,
                       "what",
                       {{"messages", "Messages and collective operations", NULL,
                         "Messages, and members of collective operations, of all processes", true, false}},
                       1},
    [BYTES] = {MESSAGES, "what", {{"bytes", "Bytes", "bytes", "Bytes of all processes", true, false}}, 1},
    [LOADS] =
        {IMBALANCE,
         "region",
         {{"imbalance_excess", "Load imbalance: largest minus mean load", "s",
           "Time of the process with the largest load in the region beyond the mean of all processes", false, false},
          {"imbalance", "Load imbalance: largest by mean load", NULL,
           "1: perfect balance; the number of processes: one process has it all", false, true},
          {"imbalance_max", "Load imbalance: largest load", "s", "Load of the process with the largest", false, true},
          {"imbalance_mean", "Load imbalance: mean load", "s", "Mean over all processes", false, true}},
         4},
};
