#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The reader of Nsight Systems' exports finds what a program of its own finds in their tables. Databases that are damaged, of another
# version or of another program are refused. OTHER_FORMATS: a folder with nsight/*.sqlite.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/readers.sh"

python3 -c 'import sqlite3' 2>/dev/null || skip_all "python3 is not installed"
"$TCFLOW" --list-sources | grep -q '^  nsight ' || skip_all "built without SQLite"
nsight=$top_srcdir/tests/plugins/nsight/nsight.py

failed=
for seed in $(seeds_of 4); do
    rm -f "$work/made.sqlite"
    python3 "$nsight" make "$seed" "$work/made.sqlite"
    agrees nsight "$work/made.sqlite" >"$work/why" 2>&1 || failed="$failed $seed: $(head -n 5 "$work/why")"
done
is "exports made here" "$failed" ""
events_of "$work/made.sqlite" -o pipeline.source=nsight -o nsight.kernels=short && python3 "$nsight" short "$work/made.sqlite" >"$work/expected"
same "short names of kernels" "$work/expected" "$work/printed"
for file in ${OTHER_FORMATS:+"$OTHER_FORMATS"/nsight/*.sqlite}; do
    ok "$(basename "$file")" agrees nsight "$file"
done

# Two files as one run: the lines of each, with the file's name in front of its processes.
for seed in 1 2; do
    python3 "$nsight" make $seed "$work/rank$seed.sqlite"
    python3 "$nsight" "$work/rank$seed.sqlite" | awk -F '\t' -v OFS='\t' -v of="rank$seed.sqlite: " '{ $2 = of $2; print }' >"$work/of$seed"
done
events_of "$work/rank1.sqlite $work/rank2.sqlite"
sort "$work/printed" >"$work/both"
sort "$work/of1" "$work/of2" >"$work/expected"
same "two files as one run" "$work/expected" "$work/both"

# sql TEXT: into a database of its own
sql()
{
    rm -f "$work/other.sqlite"
    python3 -c 'import sqlite3, sys; db = sqlite3.connect(sys.argv[1]); db.executescript(sys.argv[2]); db.commit()' "$work/other.sqlite" "$1"
}

# refused NAME SQL PATTERN
refused()
{
    sql "$2"
    fails 1 "refused: $1" "$TCFLOW" -i "$work/other.sqlite" -o pipeline.chain=pass
    like "$1, said" "$(cat "$work/.fails")" "error: $3"
}

strings='CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);'
runtime="$strings CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);"
insert='INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES'
# refused_soon NAME SQL PATTERN: in time and memory that an export of this size may take
refused_soon()
{
    sql "$2"
    fails 1 "refused soon: $1" timeout 60 "$TCFLOW" -i "$work/other.sqlite" -o pipeline.chain=pass
    like "$1, said" "$(cat "$work/.fails")" "error: $3"
}
columns='x AS start, x AS "end", x AS globalTid, x AS correlationId, x AS nameId'
refused_soon "a view without end in the place of a table" "$strings CREATE VIEW CUPTI_ACTIVITY_KIND_RUNTIME AS
    WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT $columns FROM r;" '.*CUPTI_ACTIVITY_KIND_RUNTIME: not authorized'
refused_soon "a cell that computes a gigabyte" "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT AS (hex(zeroblob(400000000))));
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);
    INSERT INTO StringIds VALUES (0); $insert (1, 5, 16777217, 1, 0);" '.*CUPTI_ACTIVITY_KIND_RUNTIME: .*too big'
refused "a copy of fewer bytes than none" "$strings CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (3, 9, 0, 1, 7, 1, 16777216, -1);" '.*row 1: its bytes are negative'
sql "$strings CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start, end, deviceId, contextId, streamId, correlationId, globalPid, bytes);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (3, 9, 0, 1, 7, 1, 16777216, 8), (13, 19, 256, 1048577, 4294967303, 1, 16777216, 8);"
is "streams whose numbers have more bits" "$(tcflow -q -i "$work/other.sqlite" -o pipeline.chain=print | awk '/^ENTER/ { printf "%s ", $2 }')" "0 1 "
sql "$runtime $insert (1, 5, 16777217, 1, 0); CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (3, 9, 0, 1, 7, 1, 16777216, 0);"
events_of "$work/other.sqlite" -o pipeline.source=nsight -o nsight.launches=yes
is "a launch leads to its kernel" "$(grep '^message' "$work/printed" | tr '\t' ' ')" \
    "message process 1 thread 1 1 process 1 GPU 0, context 1, stream 7 3 0"
sql "$strings INSERT INTO StringIds VALUES (0, 'kernel'); CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, deviceId, contextId, streamId, correlationId, globalPid, demangledName);
    INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (3, 9, 0, 1, 7, 1, 16777216, 0);
    CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId, correlationId, globalPid, copyKind, bytes);
    INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (10, 12, 0, 1, 7, 2, 16777216, 1, 100);
    CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, globalPid, deviceId, contextId, syncType);
    INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (10, 20, 16777216, 0, 1, 1);"
is "copies and waits are told from kernels" "$(roles_of "$work/other.sqlite" -o pipeline.source=nsight | tr '\n' ' ')" \
    "Event sync|THREAD_WAIT|CUDA Memcpy HtoD|DATA_TRANSFER|CUDA kernel|FUNCTION|CUDA "
refused "another program's database" 'CREATE TABLE run (a);' 'the database has no table StringIds, so it is no export of Nsight Systems'
refused "another version" "$strings CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, stop);" \
    'CUPTI_ACTIVITY_KIND_RUNTIME: no such column: .*; the export is of another version'
refused "a negative time" "$runtime $insert (1, 2, 3, 4, 5); $insert (-1, 2, 3, 4, 5);" 'CUPTI_ACTIVITY_KIND_RUNTIME, row 2: a time is negative'
refused "an end before the begin" "$runtime $insert (9, 2, 3, 4, 5);" 'CUPTI_ACTIVITY_KIND_RUNTIME, row 1: it ends before it begins'
refused "a time in words" "$runtime $insert ('now', 2, 3, 4, 5);" 'CUPTI_ACTIVITY_KIND_RUNTIME, row 1: the begin is no whole number'
head -c 6000 "$work/made.sqlite" >"$work/cut.sqlite"
fails 1 "a database that was cut" "$TCFLOW" -i "$work/cut.sqlite" -o pipeline.chain=pass
like "says so" "$(cat "$work/.fails")" "(malformed|disk image)"
done_testing
