#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What all readers have to take, or to refuse with the place: names that are no UTF-8, events in the reverse order, times of 2^63, files
# that are two glued together. Tests of each reader have the rest: what is cut, malformed, negative, of another version.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/readers.sh"

python3 -c 'import sqlite3, struct' 2>/dev/null || skip_all "python3 is not installed"
cd "$work" || exit 1

has()
{
    "$TCFLOW" --list-sources | grep -q "^  $1 "
}

# strange READER FILE: one call whose name has the byte 0xe4, in the trace, in text, JSON, an archive and a database
strange()
{
    "$TCFLOW" -q -i "$2" -o pipeline.source="$1" -o pipeline.chain="profile otf2_write" -o pipeline.database=strange.sqlite \
        -o otf2_write.path=strange -o profile.format=json -o pipeline.overwrite=yes -o otf2_write.overwrite=yes >strange.json 2>said
    is "$1: a name that is no UTF-8" "$?" 0
    is "$1: JSON has it as a character" "$(python3 -c 'import json
print([r["visits"] for r in json.load(open("strange.json", encoding="utf-8"))["flat_profile"]["rows"] if "rz" in r["region"]])')" "[1]"
    if have otf2-print; then
        ok "$1: an archive has its bytes" sh -c 'otf2-print -G strange/traces.otf2 | LC_ALL=C grep -aq "$(printf "M\344rz")"'
    fi
}

# calls READER FILE [OPTION...]: calls of the file as lines, without locations
calls()
{
    calls_reader=$1
    shift
    events_of "$@" -o pipeline.source="$calls_reader" && grep '^call' printed | cut -f 4- | sort
}

# refused READER FILE PATTERN
refused()
{
    timeout 60 "$TCFLOW" -i "$2" -o pipeline.source="$1" -o pipeline.chain=pass >said 2>&1
    is "$1: refused: $2" $? 1
    like "$1: refused: $2, said" "$(cat said)" "error: .*$3"
}

printf 'Timestamp (ns),Event Type,Name\n1,Enter,M\344rz\n9,Leave,M\344rz\n' >name.csv
strange csv name.csv
printf 'Timestamp (ns),Event Type,Name\n9,Leave,a\n5,Leave,b\n3,Enter,b\n1,Enter,a\n' >order.csv
is "csv: reverse order" "$(calls csv order.csv | tr '\n\t' ', ')" "1 9 a,3 5 b,"
cat name.csv order.csv >twice.csv
refused csv twice.csv 'line 4: the time is no number: Timestamp \(ns\)'

mkdir logs
printf 'PROJECTIONS_ID \nPROCESSORS 1\nCHARE 0 "C" -1\nENTRY CHARE 0 "M\344rz()" 0 0\nENTRY CHARE 1 "g()" 0 0\n' >logs/one.sts
printf 'PROJECTIONS-RECORD 1\n2 0 0 5 1 0 8\n3 0 0 9 1 0 8\n' >logs/one.0.log
strange projections logs
printf 'PROJECTIONS-RECORD 1\n3 0 0 9 1 0 8\n3 0 1 8 2 0 8\n2 0 1 6 2 0 8\n2 0 0 5 1 0 8\n' >logs/one.0.log
is "projections: reverse order" "$(calls projections logs | cut -f 1,2 | tr '\n\t' ', ')" "5000 9000,6000 8000,"
printf 'PROJECTIONS-RECORD 1\n2 0 0 5 1 0 8\nPROJECTIONS-RECORD 1\n3 0 0 9 1 0 8\n' >logs/one.0.log
refused projections logs 'line 3: expected a record, which begins with a number'

if has chrome; then
    printf '[{"ph":"X","name":"M\344rz","ts":1,"dur":2}]' >name.json
    strange chrome name.json
    printf '[{"ph":"E","ts":9},{"ph":"E","ts":5},{"ph":"B","name":"b","ts":3},{"ph":"B","name":"a","ts":1}]' >order.json
    is "chrome: reverse order" "$(calls chrome order.json | tr '\n\t' ', ')" "1000 9000 a,3000 5000 b,"
    cat name.json order.json >twice.json
    refused chrome twice.json 'byte [0-9]+: malformed JSON: trailing garbage'
fi

# packet FIELDS...: a packet of Perfetto, in hexadecimal digits
if has perfetto; then
    python3 - <<'P'
def packet(text):
    data = bytes.fromhex(text)
    return b"\n" + bytes([len(data)]) + data
begin, end = "40645a094801ba01044de4727a", "40785a024802"
open("name.pftrace", "wb").write(packet(begin) + packet(end))
outer = ["40015a064801ba010161", "40035a064801ba010162", "40055a024802", "40095a024802"]
open("order.pftrace", "wb").write(b"".join(packet(p) for p in outer[::-1]))
open("twice.pftrace", "wb").write(packet(begin) + packet(end) + b"[{\"ph\":")
P
    strange perfetto name.pftrace
    is "perfetto: reverse order" "$(calls perfetto order.pftrace | tr '\n\t' ', ')" "1 9 a,3 5 b,"
    refused perfetto twice.pftrace 'byte 23: '
fi

if has nsight; then
    python3 - <<'P'
import sqlite3
def export(name, rows):
    db = sqlite3.connect(name)
    db.executescript("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT); CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId, nameId);")
    db.execute("INSERT INTO StringIds VALUES (1, CAST(x'4de4727a' AS TEXT)), (2, 'b')")
    db.executemany("INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (?, ?, 16777217, 1, ?)", rows)
    db.commit()
export("name.sqlite", [(1, 9, 1)])
export("order.sqlite", [(3, 5, 2), (1, 9, 2)])
export("late.sqlite", [(1, 9, 1), (9223372036854775808.0, 9223372036854775809.0, 2)])
open("twice.sqlite", "wb").write(open("name.sqlite", "rb").read()[:5000] + b"[" * 9000)
P
    strange nsight name.sqlite
    is "nsight: reverse order" "$(calls nsight order.sqlite | tr '\n\t' ', ')" "1 9 b,3 5 b,"
    refused nsight late.sqlite 'CUPTI_ACTIVITY_KIND_RUNTIME, row 2: the begin is no whole number'
    refused nsight twice.sqlite '(malformed|disk image|no table StringIds)'
fi

python3 "$top_srcdir/tests/plugins/hpctoolkit/hpctoolkit.py" make 1 db
python3 - <<'P'
data = open("db/meta.db", "rb").read()
at = data.rindex(b"thread\0") if b"thread\0" in data else -1
open("db/meta.db", "wb").write(data[:at] + b"M\xe4rz\0\0" + data[at + 6:] if at >= 0 else data)
P
"$TCFLOW" -q -i db -o pipeline.chain=profile -o profile.format=json >db.json 2>said
is "hpctoolkit: a name that is no UTF-8" "$?" 0
ok "hpctoolkit: JSON has it as characters" python3 -c 'import json; json.load(open("db.json", encoding="utf-8"))'
done_testing
