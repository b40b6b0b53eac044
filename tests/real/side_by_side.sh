# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# side_by_side SCRIPT FOLDER <NAMES: "SCRIPT FOLDER NAME" for each line of standard input, JOBS of them (default: all cores) at a
# time. Prints what they print as one TAP; one that doesn't come to its end has failed.
side_by_side()
{
    xargs -d '\n' -P "${JOBS:-$(nproc 2>/dev/null || echo 2)}" -I '{}' sh -c '
        tap=$(mktemp -p "$4" tap.XXXXXX)
        "$1" "$2" "$3" "$5" >"$tap" 2>&1
        end="not ok - $5: the tests ran to their end ($?)"
        tail -n 1 "$tap" | grep -q "^1\.\." || printf "%s\n" "$end" >>"$tap"
        flock "$4" cat "$tap"
    ' - "${SHELL:-sh}" "$1" "$2" "$work" '{}' |
        awk '/^1\.\./ { next } /^(not )?ok/ { n++; bad += /^not/; sub(/ok( [0-9]+)? - /, "ok " n " - ") } { print }
            END { print "1.." n + 0; exit bad > 0 || !n }'
}
