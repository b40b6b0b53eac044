# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Brings what `print` and otf2-print say of events into one form: a line an event, with its additional attributes, without
# titles. Where the two differ on purpose:
#   - control characters in names are escaped by print; otf2-print prints them, and they may break its lines;
#   - print shows all digits of a floating-point number, otf2-print six;
#   - otf2-print calls an undefined I/O paradigm invalid.

function short_numbers(line,    done, before, number)
{
    done = ""
    while (match(line, /(DOUBLE|FLOAT); -?[0-9][0-9.e+-]*/)) {
        before = substr(line, 1, RSTART + RLENGTH - 1)
        line = substr(line, RSTART + RLENGTH)
        number = before
        sub(/.*; /, "", number)
        sub(/[^ ]*$/, "", before)
        done = done before sprintf("%g", number)
    }
    return done line
}

function show()
{
    if (event == "")
        return
    gsub(/\t/, "\\t", event)
    sub(/I\/O Paradigm: INVALID <255>/, "I/O Paradigm: UNDEFINED", event)
    print short_numbers(event)
    event = ""
}

/^=== (Snapshots|Markers)/ { exit }
/^[A-Z][A-Z_0-9]+ +[0-9]+ +[0-9]+  / { show(); event = $0; next }
/^ +ADDITIONAL ATTRIBUTES/ { event = event " " $0; next }
event != "" && $0 != "" { event = event "\\n" $0 }
END { show() }
