#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Results on a terminal: tables fit it, a pager shows them, colours go where they may; elsewhere, and in files, they are exact.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

have python3 || skip_all "there is no python3"
trace=$top_srcdir/examples/trace
cd "$work" || exit 1
unset NO_COLOR COLUMNS PAGER TCFLOW_PAGER LESS
TERM=xterm
export TERM

# on COLUMNS COMMAND...: what the terminal shows
on()
{
    python3 "$top_srcdir/tests/framework/on_terminal.py" "$@"
}

# widest: letters of the longest line
widest()
{
    awk '{ if (length($0) > n) n = length($0) } END { print n }'
}

export TCFLOW_PAGER=cat NO_COLOR=1
for preset in check waits causes; do
    for columns in 80 100 132; do
        on $columns "$TCFLOW" --no-progress "$preset" "$trace" >shown
        ok "$preset fits $columns columns" test "$(sed '$d' shown | grep -v '^tcflow: ' | widest)" -le $columns
        is "$preset is done" "$(tail -n 1 shown)" "status 0"
    done
done
# With colours, too: blanks behind a line would make it longer.
unset NO_COLOR
on 80 "$TCFLOW" --no-progress waits "$trace" | sed "s/$(printf '\033')\\[[0-9;]*m//g" >shown
export NO_COLOR=1
ok "colours take no room" test "$(grep -v '^tcflow: ' shown | widest)" -le 80
is "no blanks end a line" "$(grep -c ' $' shown)" 0
like "titles of a tree are whole where other columns can go" "$(cat shown)" "^        MPI point-to-point communication "
like "few texts are read, rather than many cut beyond recognition" "$(cat shown)" "^mpi_latebroadcast  *P#1  *P#0  *Working/MPI_Bcast "
like "and what went is named" "$(tr '\n' ' ' <shown)" "no room for: location, cause, begin, cause_path\)"
on 60 "$TCFLOW" --no-progress info "$trace" >shown
ok "info fits" test "$(grep -v '^Trace' shown | widest)" -le 60
is "with lines that go on below the value" "$(grep -c '^            [^ ]' shown)" "$(grep -vc '^[A-Z]\|^status' shown)"
if [ -x "$top_builddir/tcflow-synth" ]; then
    ok "a healthy trace" "$top_builddir/tcflow-synth" --ranks 2 --events 1k healthy
    on 80 "$TCFLOW" --no-progress check healthy >shown
    like "is in order" "$(cat shown)" "^No findings: the trace is in order"
    is "tables of zeros are left out" "$(grep -c '^Findings\|rows of zeros' shown)" 0
fi
on 132 "$TCFLOW" --no-progress causes "$trace" >shown
like "what has been left out is named" "$(cat shown)" "^\\(.*zero everywhere: "
like "and how to see it" "$(cat shown)" "^\\(everything: -o pipeline.text=exact"
is "no colours" "$(grep -c "$(printf '\033')\\[[0-9;]*m" shown)" 0
is "ten rows of a table at most" "$(on 100 "$TCFLOW" --no-progress waits "$trace" | awk 'NF == 0 { n = 0 } NF > 0 { if (++n > most) most = n }
    END { print (most <= 13) }')" 1

# Elsewhere all is exact, but where it is asked for.
tcflow -q waits "$trace" >exact
like "in a file all digits" "$(cat exact)" "0\\.074941082"
on 100 "$TCFLOW" -q waits "$trace" -o pipeline.text=exact -o pipeline.rows=50 >shown
sed '$d' shown >shown.exact
same "exact on a terminal is the same" exact shown.exact
on 200 "$TCFLOW" -q waits "$trace" | sed '$d' >brief.terminal
COLUMNS=200 tcflow -q waits "$trace" -o pipeline.text=brief >brief.pipe
same "brief in a pipe, as wide as COLUMNS" brief.terminal brief.pipe
like "scaled units" "$(cat brief.pipe)" "  74\\.9 ms "
on 100 "$TCFLOW" -q waits "$trace" -o wait_states.output=file.txt >/dev/null
tcflow -q waits "$trace" -o wait_states.output=file2.txt >/dev/null
same "results in files are the same" file.txt file2.txt

# The pager, colours.
unset NO_COLOR
TCFLOW_PAGER="sed s/^/paged:/" on 100 "$TCFLOW" --no-progress waits "$trace" >shown
like "the pager gets the tables" "$(cat shown)" "^paged:.*===== wait_states"
like "in bold" "$(cat shown)" "$(printf '\033')\\[1m"
PAGER="sed s/^/usual:/" TCFLOW_PAGER= on 100 "$TCFLOW" --no-progress check "$trace" >shown
is "an empty pager is none" "$(grep -c '^usual:' shown)" 0
unset TCFLOW_PAGER
PAGER="sed s/^/usual:/" on 100 "$TCFLOW" --no-progress check "$trace" >shown
like "PAGER" "$(cat shown)" "^usual:.*violations of the clock condition"
PAGER="sed s/^/usual:/" on 100 "$TCFLOW" --no-progress --no-pager check "$trace" >shown
is "--no-pager" "$(grep -c '^usual:' shown)" 0
PAGER="sed s/^/usual:/" tcflow -q check "$trace" >piped
is "no pager where there is no terminal" "$(grep -c '^usual:' piped)" 0
PAGER="sed s/^/usual:/" on 100 "$TCFLOW" --list-filters >shown
like "lists are shown by it, too" "$(cat shown)" "^usual:  presync "
PAGER="head -n 1" on 100 "$TCFLOW" --no-progress -i "$trace" -o pipeline.chain="profile comm_matrix" -o pipeline.rows=0 \
    -o pipeline.database=left.sqlite -o profile.by_location=yes >shown
if grep -q 'built without SQLite' shown; then
    skip "leaving the pager" "there is no SQLite"
else
    is "whoever leaves the pager early has missed nothing" "$(tail -n 1 shown)" "status 0"
    is "and files of results are named last" "$(tail -n 2 shown | head -n 1)" "tcflow: wrote left.sqlite"
fi
like "errors in red" "$(on 100 "$TCFLOW" check nowhere)" "$(printf '\033')\\[1;31merror: "
TERM=dumb on 100 "$TCFLOW" check nowhere >shown
is "not on a terminal that shows none" "$(grep -c "$(printf '\033')\\[1;31m" shown)" 0
done_testing
