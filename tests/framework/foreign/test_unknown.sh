#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What a format cannot say is unknown in all results, and no zero: messages, their sizes, ranks. So it is behind an archive and a stream
# that were made of such a file, in a database and what tcflow-diff makes of it. What is made of samples says so everywhere.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

python3 -c 'import json, sqlite3' 2>/dev/null || skip_all "python3 is not installed"
cd "$work" || exit 1

# value TABLE COLUMN [FILTER]: of the rows of a table in the report r.json of a filter
value()
{
    python3 -c 'import json, sys
d = json.load(open("r.json"))
print(" ".join(json.dumps(r[sys.argv[2]]) for r in d[sys.argv[1]]["rows"]))' "$1" "$2"
}

# report INPUT FILTER: r.json, and what was said
report()
{
    "$TCFLOW" -i "$1" -o pipeline.chain="$2" -o "$2.format=json" -o "$2.output=r.json" -o "$2.overwrite=yes" >/dev/null 2>said
}

# unknown_messages INPUT: of two processes that call MPI_Send and MPI_Recv
unknown_messages()
{
    report "$1" comm_matrix
    is "$1: messages" "$(value processes sent)" "null null"
    is "$1: bytes" "$(value processes bytes_received)" "null null"
    is "$1: operations" "$(value processes collectives)" "null null"
    like "$1: the title" "$(cat r.json)" '"title": "Totals by process \(messages and collective operations are unknown\)"'
    like "$1: the end of the run" "$(cat said)" "messages and collective operations are not in the trace, though the program communicates"
    report "$1" efficiency
    is "$1: efficiencies that follow" "$(value efficiency transfer) $(value efficiency serialisation) $(value efficiency ideal_time)" \
        "null null null null null null"
    is "$1: those that don't" "$(value efficiency load_balance)" "100 100"
    report "$1" critical_path
    is "$1: the critical path" "$(value path length)" "null"
    is "$1: the clock condition" "$(value clocks relation)" '"threads"'
    report "$1" check
    is "$1: what check cannot count" "$(value verdict count | cut -d ' ' -f 1-5)" "null null null null 0"
    "$TCFLOW" -q -i "$1" -o pipeline.chain=check 2>/dev/null | tr -s '\n ' ' ' >text
    like "$1: and says" "$(cat text)" "^No findings: the trace is in order; messages and collective operations are unknown, .* and not checked"
    "$TCFLOW" -q -i "$1" -o pipeline.chain="wait_states efficiency diagnosis" -o pipeline.reports=diagnosis 2>/dev/null | tr -s '\n ' ' ' >text
    like "$1: what is lost" "$(cat text)" "is lost in calls that communicate\. The format of the trace has no messages and collective operations, so what these calls wait for can't be told"
    "$TCFLOW" -q -i "$1" -o pipeline.chain=wait_states -o wait_states.all=yes >text 2>/dev/null
    is "$1: waits without a number" "$(grep -c 'mpi_latesender\|bytes_sent' text)" 0
    like "$1: all that needs them says so" "$(head -n 1 text)" "\(messages and collective operations are unknown\)$"
}

printf 'Timestamp (ns),Event Type,Name,Process\n1,Enter,main,0\n2,Enter,MPI_Send,0\n9,Leave,MPI_Send,0\n10,Leave,main,0\n1,Enter,main,1\n3,Enter,MPI_Recv,1\n10,Leave,MPI_Recv,1\n10,Leave,main,1\n' >mpi.csv
unknown_messages mpi.csv
"$TCFLOW" -q -i mpi.csv -o pipeline.chain="otf2_write stream_write" -o otf2_write.path=archive -o stream_write.path=stream.tcs 2>/dev/null
unknown_messages archive/traces.otf2
unknown_messages stream:stream.tcs
"$TCFLOW" -q -i mpi.csv -o pipeline.chain=comm_matrix -o comm_matrix.format=csv >table.csv 2>/dev/null
like "CSV: empty" "$(cat table.csv)" "^processes,0,process 0,,,,,,,"
"$TCFLOW" -i mpi.csv -o pipeline.chain="efficiency diagnosis" -o pipeline.reports=diagnosis >text 2>/dev/null
like "the diagnosis names it" "$(tr '\n' ' ' <text)" "the trace has no messages and collective operations, so what is lost by waiting and by transfer is unknown"
is "and has no NaN" "$(grep -ci nan text)" 0
report "$top_srcdir/examples/trace/traces.otf2" comm_matrix
is "nothing is open in other traces" "$(grep -c 'unknown)' r.json)" 0

# -- sizes --

flow()
{
    printf '{"ph":"X","name":"f","pid":0,"tid":0,"ts":0,"dur":10},{"ph":"X","name":"g","pid":1,"tid":0,"ts":0,"dur":10},'
    printf '{"ph":"s","id":1,"name":"m","cat":"c","pid":0,"tid":0,"ts":1},{"ph":"f","id":1,"name":"m","cat":"c","pid":1,"tid":0,"ts":2}'
}
echo "[$(flow)]" >flows.json
report flows.json comm_matrix
is "messages without sizes" "$(value comm_matrix sent) $(value comm_matrix bytes_sent)" "1 null"
like "the title names sizes" "$(cat r.json)" '\(sizes of messages are unknown\)"'
report flows.json message_histogram
is "messages of an unknown size" "$(value sizes sent) $(value sizes from)" "1 null"

# A reader that knows some sizes: a sum of which a part is unknown is the least that it can be, a zero is unknown.
cat >some.c <<'C'
#include <tcflow/source.h>
static tcf_status some_read(tcf_reader *self)
{
    const tcf_source_host *h = self->host;
    uint32_t l[3];
    for (uint32_t p = 0; p < 3; p++)
        l[p] = h->location(self, h->process(self, p + 7, "p"), 0, "t", TCF_CPU_THREAD);
    for (uint64_t k = 0; k < 4; k++) {
        const tcf_pair_key key = {k, 0};
        const uint64_t bytes = k == 0 ? 5 : 0;
        if (h->send(self, l[0], 10 + k, bytes, 0, key) != TCF_OK || h->receive(self, l[1 + k / 3], 20 + k, key) != TCF_OK)
            return TCF_ERROR;
    }
    return TCF_OK;
}
TCF_SOURCE = {.head = TCF_SOURCE_HEAD, .name = "some", .version = "1", .summary = "x", .read = some_read};
C
# shellcheck disable=SC2086 # words
if ${CC:-cc} -shared -fPIC -I"$top_srcdir/include" -o some.so some.c 2>/dev/null; then
    "$TCFLOW" --plugin-path . -q -i some.c -o pipeline.source=some -o pipeline.chain=comm_matrix -o comm_matrix.format=json >r.json 2>/dev/null
    is "some sizes are known" "$(value comm_matrix sent) $(value comm_matrix bytes_sent)" "3 1 5 null"
    like "the title says some" "$(cat r.json)" '\(some sizes of messages are unknown\)"'
    is "places that are no ranks" "$(value comm_matrix sender_rank)" "-1 -1"
else
    skip "some sizes are known" "there is no C compiler"
fi
report mpi.csv comm_matrix
is "places that are ranks" "$(value processes rank)" "0 1"

# -- the database, and tcflow-diff --

if "$TCFLOW" -q -i flows.json -o pipeline.chain="profile comm_matrix" -o pipeline.database=flows.sqlite >/dev/null 2>&1; then
    is "the database" "$(python3 -c 'import sqlite3
print(sqlite3.connect("flows.sqlite").execute("SELECT sent, bytes_sent FROM comm_matrix_processes").fetchall())')" "[(1, None), (0, None)]"
    "$top_builddir/tcflow-diff" --json flows.sqlite flows.sqlite >diff.json 2>/dev/null
    like "tcflow-diff says so" "$(cat diff.json)" "sizes of messages of 'flows.sqlite' are unknown"
    is "and has no sum of bytes" "$(python3 -c 'import json
d = json.load(open("diff.json"))
print(sorted({t for t in d if "bytes" in t and d[t]["rows"]}))')" "[]"
    printf 'Timestamp (ns),Event Type,Name\n1,Enter,a\n9,Leave,a\n' >samples.csv
    "$TCFLOW" -q -i samples.csv -o pipeline.source=csv -o csv.sampled=yes -o pipeline.chain="profile efficiency diagnosis" \
        -o pipeline.reports=diagnosis -o pipeline.database=samples.sqlite >text 2>/dev/null
    like "the diagnosis says that it follows from samples" "$(tr '\n' ' ' <text)" "\(from samples\)"
    "$top_builddir/tcflow-diff" samples.sqlite samples.sqlite >text 2>/dev/null
    like "tcflow-diff says so, too" "$(cat text)" "events of 'samples.sqlite' follow from samples"
fi
done_testing
