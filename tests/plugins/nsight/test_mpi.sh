#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Messages and collective operations in exports of Nsight Systems, one file a rank: those of the program that a script made up, and
# those that another program finds in the tables; of files that don't belong together nothing is made up. All files here are made.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/readers.sh"

python3 -c 'import sqlite3' 2>/dev/null || skip_all "python3 is not installed"
"$TCFLOW" --list-sources | grep -q '^  nsight ' || skip_all "built without SQLite"
mpi=$top_srcdir/tests/plugins/nsight/mpi.py
cd "$work" || exit 1

# made SEED [FLAW]: rank0.sqlite to rank3.sqlite, and truth
made()
{
    rm -f rank?.sqlite truth
    python3 "$mpi" make "$1" . $2
}

all="rank0.sqlite rank1.sqlite rank2.sqlite rank3.sqlite"
failed=
for seed in $(seeds_of 4); do
    made "$seed"
    ranks_of "$mpi" "$all"
    diff truth expected >why && diff expected got >>why || failed="$failed $seed: $(head -n 3 why)"
done
is "what the program did, and what the tables say" "$failed" ""
ok "something was compared" [ "$(wc -l <got)" -gt 300 ]
cp got whole
ranks_of "$mpi" "rank3.sqlite rank1.sqlite rank0.sqlite rank2.sqlite"
same "files in another order" whole got
is "ranks of the run are those of the list" "$("$TCFLOW" -q -i "$all" -o pipeline.chain=print -o print.format=json -o print.definitions=yes |
    grep -o '"group_type":"COMM_LOCATIONS".*' | head -n 1 | sed 's/.*members":\[//')" "0,1,2,3]}"

"$TCFLOW" -q -i "$all" -o pipeline.survey=clock_estimate -o pipeline.chain="presync clc_forward check" -o check.format=json \
    -o check.output=check.json >/dev/null
is "clocks are corrected" "$(python3 -c 'import json
t = json.load(open("check.json"))
print([r["count"] for r in t["verdict"]["rows"][:3]])')" "[0, 0, 0]"

# One file of all ranks: the same, without the files' names in front of processes.
made 1 together
ranks_of "$mpi" rank0.sqlite
sed 's/rank[0-9].sqlite: //g' truth | sort >expected
same "all ranks in one file" expected got
made 4

# What cannot be true is left out, and said.
"$TCFLOW" -i "$all" -o pipeline.chain=pass >whole.log 2>&1
is "nothing is left out of what is whole" "$(grep -c 'left out' whole.log)" 0
made 1 late
ranks_of "$mpi" "$all"
same "one file begins later" expected got
"$TCFLOW" -i "$all" -o pipeline.chain=pass >late.log 2>&1
like "counted: messages" "$(cat late.log)" "[0-9]+ ends of messages between ranks are left out, for between these two there are more sends than receives"
like "counted: operations" "$(cat late.log)" "[0-9]+ collective operations are left out, for not all members have as many of them: as of communicator"
made 2 short
ranks_of "$mpi" "$all"
same "a receive without room" expected got
like "counted" "$("$TCFLOW" -i "$all" -o pipeline.chain=pass 2>&1)" "[0-9]+ ends of messages between ranks are left out, for a receive has less room"
made 3
ranks_of "$mpi" "rank0.sqlite rank1.sqlite rank3.sqlite"
same "a file is missing" expected got
"$TCFLOW" -i "rank0.sqlite rank1.sqlite rank3.sqlite" -o pipeline.chain=pass >missing.log 2>&1
like "counted: messages" "$(cat missing.log)" "[0-9]+ ends of messages between ranks are left out, for nothing of the other side is there"
like "counted: operations" "$(cat missing.log)" "[0-9]+ collective operations are left out, for members are in none of the files: .* of which 3 of 4 members are known"
cp rank0.sqlite again.sqlite
like "a rank that two files claim" "$("$TCFLOW" -i "$all again.sqlite" -o pipeline.chain=pass 2>&1)" \
    "[0-9]+ ends of messages between ranks are left out, for two processes claim one rank"

# By hand: a receive posted first is given the first send, though it is completed last; a message from a rank that isn't stated.
mkdir scratch
python3 - "$mpi" <<'P'
import runpy, sqlite3, sys
sys.argv = [sys.argv[1], "make", "1", "scratch"]
tables = runpy.run_path(sys.argv[0])["TABLES"]
for rank in 0, 1:
    db = sqlite3.connect("hand%d.sqlite" % rank)
    for name, columns in tables.items():
        db.execute("CREATE TABLE %s (%s)" % (name, columns))
    tid = (7 + rank) << 24 | 7 + rank
    db.executemany("INSERT INTO StringIds VALUES (?, ?)", [(1, "MPI_Send"), (2, "MPI_Irecv"), (3, "MPI_Wait"), (4, "MPI_Recv")])
    db.execute("INSERT INTO MPI_RANKS VALUES (?, ?)", (tid, rank))
    if rank == 0:
        rows = [(10, 20, tid, 1, 5, 0, 1, 8, None), (30, 40, tid, 1, 5, 0, 1, 16, None), (50, 60, tid, 1, 5, 3, 1, 4, None)]
    else:
        rows = [(11, 12, tid, 2, 5, 0, 0, 8, 91), (13, 14, tid, 2, 5, 0, 0, 16, 92), (55, 65, tid, 4, 5, 3, -1, 4, None)]
        db.executemany("INSERT INTO MPI_START_WAIT_EVENTS VALUES (?, ?, ?, ?, ?)", [(41, 45, tid, 3, 92), (46, 49, tid, 3, 91)])
    db.executemany("INSERT INTO MPI_P2P_EVENTS VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", rows)
    db.commit()
P
events_of "hand0.sqlite hand1.sqlite"
python3 "$top_srcdir/tests/support/ranks.py" lines | tr '\t' ' ' >got
cat >expected <<'T'
message MPI_COMM_WORLD 0 16 hand0.sqlite: process 7 30 - hand1.sqlite: process 8 13 45
message MPI_COMM_WORLD 0 8 hand0.sqlite: process 7 10 - hand1.sqlite: process 8 11 49
T
same "the order of posts counts" expected got
"$TCFLOW" -i "hand0.sqlite hand1.sqlite" -o pipeline.chain=pass >hand.log 2>&1
like "the open side is counted" "$(cat hand.log)" "1 ends of messages \(MPI_ANY_SOURCE"
like "and its send" "$(cat hand.log)" "1 ends of messages between ranks are left out, for nothing of the other side is there"
done_testing
