# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Brings check's CSV and the oracle's output into one form, to be sorted and compared:
#
#   violations CLASS TARGETS VIOLATED LARGEST      classes with targets; barriers count as n_to_n, as in the oracle
#   worst p2p PLACE SIZE LOCATION EVENT TIME LOCATION EVENT TIME
#   location ID UNWOUND NEVER_LEFT IGNORED DECREASING                locations with findings
#   dangling KIND TO COUNT
#   count NAME COUNT                               unmatched messages, oddities of definitions
#
# -v from=check or -v from=oracle (`oracle violations` and `oracle health` one behind the other). Numbers may have more
# than 53 bits, so they are compared as texts.

BEGIN { FS = ","; OFS = " " }

function larger(a, b)
{
    if (length(a) != length(b))
        return length(a) > length(b) ? a : b
    return "x" a > "x" b ? a : b
}

function class_is(class, n, violated, largest)
{
    sub(/barrier$/, "n_to_n", class)
    sub(/^omp_n_to_n$/, "omp_barrier", class)
    targets[class] += n
    too_early[class] += violated
    most[class] = larger(most[class], largest)
}

from == "check" && $1 == "violations" { class_is($2, $3, $4, $6) }
from == "check" && $1 == "worst" && $2 == "p2p" { print "worst", $2, $3, $5, $6, $8, $9, $11, $13, $14 }
from == "check" && $1 == "locations" { print "location", $2, $4, $5, $6, $7 }
from == "check" && $1 == "dangling" { print "dangling", $2, $3, $4 }
from == "check" && $1 == "verdict" { said[$2] = $3 }

from == "oracle" && $1 == "violations" && $2 != "rma_op" && $5 > 0 { class_is($2, $5, $6, $7) }
from == "oracle" && $1 == "worst" && $2 == "p2p" { print "worst", $2, $3, $4, $5, $6, $7, $8, $9, $10 }
from == "oracle" && $1 == "location" && $3 ~ /^(enters_unwound|enters_never_left|leaves_ignored|decreasing_times)$/ {
    if ($3 == "decreasing_times") { # comes first
        decreasing = $4
    } else if ($3 == "enters_unwound") {
        unwound = $4
    } else if ($3 == "enters_never_left") {
        never_left = $4
    } else if (unwound + never_left + $4 + decreasing > 0) {
        print "location", $2, unwound, never_left, $4, decreasing
    }
}
from == "oracle" && $1 == "trace" && $2 ~ /^p2p_unmatched/ { said[substr($2, 5)] = $3 }
from == "oracle" && $1 == "trace" && $2 == "repeated_definitions" { said["duplicate_definitions"] = $3 }
from == "oracle" && $1 == "trace" && $2 == "unknown_definitions" { said[$2] = $3 }
from == "oracle" && $1 == "dangling" && $2 != "definition" {
    sub(/^comm$/, "communicator", $4)
    sub(/^rma_win$/, "rma_window", $4)
    print "dangling", $2 == "attribute" ? "(attributes)" : $3, $4, $5
}

END {
    for (class in targets)
        print "violations", class, targets[class], too_early[class], most[class]
    print "count", "unmatched_sends", said["unmatched_sends"]
    print "count", "unmatched_receives", said["unmatched_receives"]
    print "count", "duplicate_definitions", said["duplicate_definitions"]
    print "count", "unknown_definitions", said["unknown_definitions"]
}
