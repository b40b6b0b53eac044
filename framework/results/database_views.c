/* SPDX-FileCopyrightText: 2026 the tcflow authors
 * SPDX-License-Identifier: BSD-3-Clause */

/* The views of a database of results. They must fit the filters' tables and doc/results.md;
 * tests/framework/test_database_run.sh checks that each view exists and has rows. */
#include "database_views.h"

const database_view database_views[] = {
    {"flat_profile", "profile", "flat_profile",
     "region, share AS percent, exclusive AS exclusive_s, inclusive AS inclusive_s, visits, "
     "exclusive / nullif(visits, 0) AS exclusive_per_visit_s, min AS shortest_s, max AS longest_s",
     ""},
    {"call_tree", "profile", "calltree_profile",
     "depth, ltrim(call_path) AS region, share AS percent, inclusive AS inclusive_s, exclusive AS exclusive_s, visits",
     ""},
    {"violations", "check", "violations",
     "class, targets, violated, round(100.0 * violated / nullif(targets, 0), 2) AS percent, largest AS largest_s", ""},
    {"worst_violations", "check", "worst",
     "class, place, size AS size_s, from_location, from_process, from_region, from_event, from_time, to_location, "
     "to_process, to_region, to_event, to_time",
     ""},
    {"findings", "check", "verdict", "finding, count, meaning", "WHERE count > 0"},
    {"wait_states", "wait_states", "patterns",
     "pattern, parent, ltrim(title) AS title, time AS time_s, share AS percent, count, longest AS longest_s, help",
     "WHERE unit = 's'"},
    {"waits_by_callpath", "wait_states", "callpaths", "pattern, call_path, time AS time_s, count, longest AS longest_s",
     ""},
    {"corrected_violations", "clock_report", "violations",
     "class, targets, violated_before, violated_after, largest_before AS largest_before_s, "
     "largest_after AS largest_after_s",
     ""},
    {"diagnosis", "diagnosis", "diagnosis",
     "rank, rule, cost_s, share, sentence, evidence_table, evidence_key, begin_s, end_s, processes, uncertainty", ""},
};
const size_t n_database_views = sizeof database_views / sizeof database_views[0];
