#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Collective operations and messages of NCCL in exports of Nsight Systems, one file a rank: those of the program that a script made up,
# and those that another program finds in the tables; of files that don't belong together nothing is made up. All files here are made.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/readers.sh"

python3 -c 'import sqlite3' 2>/dev/null || skip_all "python3 is not installed"
"$TCFLOW" --list-sources | grep -q '^  nsight ' || skip_all "built without SQLite"
nccl=$top_srcdir/tests/plugins/nsight/nccl.py
cd "$work" || exit 1

# made SEED RANKS [FLAW]: rank0.sqlite and so on, truth; $all has their names
made()
{
    rm -f rank?.sqlite truth
    python3 "$nccl" make "$1" . "$2" $3
    all=$(echo rank?.sqlite)
}

failed=
for seed in $(seeds_of 3); do
    for form in 2 3 4 "3 offsets"; do
        made "$seed" $form
        ranks_of "$nccl" "$all"
        diff truth expected >why && diff expected got >>why || failed="$failed $seed, $form: $(head -n 3 why)"
    done
done
is "what the program did, and what the tables say" "$failed" ""
ok "something was compared" [ "$(wc -l <got)" -gt 100 ]
"$TCFLOW" -i "$all" -o pipeline.chain=pass >whole.log 2>&1
like "groups of several operations are counted" "$(cat whole.log)" "[0-9]+ operations of NCCL are left out, for it isn't known which kernel they are"
is "nothing else is left out" "$(grep 'left out' whole.log | grep -cv 'which kernel they are')" 0
"$TCFLOW" -q -i "$all" -o pipeline.survey=clock_estimate -o clock_estimate.clocks=node -o pipeline.chain="presync wait_states" \
    -o wait_states.format=json >waits.json 2>/dev/null
like "wait states of them" "$(cat waits.json)" '"mpi_wait_nxn"'

# left_out FLAW PATTERN: what cannot be true is left out, and said
left_out()
{
    made 1 3 "$1"
    ranks_of "$nccl" "$all"
    same "$1: what is left" expected got
    "$TCFLOW" -i "$all" -o pipeline.chain=pass >said 2>&1
    is "$1: the run goes on" $? 0
    like "$1: counted" "$(cat said)" "$2"
}

left_out late "[0-9]+ collective operations are left out, for not all members have as many of them: as of communicator 'NCCL communicator 0x"
left_out other "[0-9]+ collective operations are left out, for members have other operations, roots or sizes"
left_out unmade "[0-9]+ operations of NCCL are left out, for their communicator was made before the recording, or isn't stated"
left_out damaged "[0-9]+ operations of NCCL are left out, for their payload is of another layout than this reader knows"
"$TCFLOW" -q -i "$all" -o pipeline.chain=comm_matrix >text 2>/dev/null
like "nothing known is no zero" "$(head -n 1 text)" "\(messages and collective operations are unknown\)$"
done_testing
