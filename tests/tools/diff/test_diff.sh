#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# tcflow-diff: over databases of simulated and random traces all its numbers are those of oracle.py, which computes them
# from the databases by itself; small databases have values that can be told by hand; and its manners: labels, runs that
# are not whole, names that mean something to a terminal, a page or a shell, files that are no databases.
# SEEDS (default 3) random traces; DAMAGED (default 60) damaged files.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

here=$top_srcdir/tests/tools/diff
synth=$top_builddir/tcflow-synth
damaged=${DAMAGED:-$(usually 8 60)}
export LC_ALL=C
unset COLUMNS

tcflow --version | grep -q '^databases: SQLite' || skip_all "built without SQLite"
have python3 && python3 -c 'import sqlite3' 2>/dev/null || skip_all "python3 with sqlite3 is not installed"
cd "$work" || exit 1

diff_()
{
    timeout 300 ${TCFLOW_WRAPPER:-} "$top_builddir/tcflow-diff" "$@"
}
mentions()
{
    like "$1" "$(cat "$work/.fails")" "$2"
}

# database FILE: described on standard input
database()
{
    rm -f "$1"
    python3 "$here/make_database.py" "$1"
}

# value FILE EXPRESSION: of the JSON in FILE, as d; row(table, column=value, ...) finds a row
value()
{
    python3 - "$1" "$2" <<'END'
import json, sys
d = json.load(open(sys.argv[1], encoding="utf-8"))
def row(table, **key):
    found = [r for r in d[table]["rows"] if all(r[k] == v for k, v in key.items())]
    assert len(found) == 1, "%d rows of %s with %r" % (len(found), table, key)
    return found[0]
v = eval(sys.argv[2])
print(" ".join("-" if x is None else "%.10g" % x if isinstance(x, float) else str(x) for x in v) if isinstance(v, (list, tuple)) else v)
END
}

# ----------------------------------------------------------------------------------------------------------- the oracle

# agree NAME KIND REFERENCE LABEL=FILES...: all tables are the oracle's, as JSON; CSV and page have the same numbers.
agree()
{
    agree_name=$1 kind=$2 reference=$3
    shift 3
    ok "$agree_name" diff_ --json --scaling "$kind" --reference "$reference" "$@" || return
    cp "$work/.ok" result.json
    ok "$agree_name: as the oracle" python3 "$here/oracle.py" "$kind" result.json "$reference" "$@"
    diff_ --csv --scaling "$kind" --reference "$reference" "$@" >result.csv
    ok "$agree_name: CSV is JSON" python3 "$here/same_csv.py" result.json result.csv
}

# run FILE TRACE [OPTIONS...]: its database
run()
{
    run_file=$1 run_trace=$2
    shift 2
    rm -f "$run_file"
    tcflow -q -i "$run_trace" -o pipeline.chain="comm_matrix load_imbalance profile wait_states" \
        -o pipeline.database="$run_file" "$@" >run.log 2>&1 || diag "$(cat run.log)"
}

for ranks in 2 4 8 16; do
    for seed in 1 2; do
        "$synth" --ranks $ranks --seed $seed --duration 200ms --compute 1ms --overwrite synth >made 2>&1 || diag "$(cat made)"
        run s$ranks.$seed.sqlite synth/traces.otf2
    done
done
agree "two runs" strong a a=s4.1.sqlite b=s4.2.sqlite
agree "strong scaling" strong two two=s2.1.sqlite four=s4.1.sqlite eight=s8.1.sqlite sixteen=s16.1.sqlite
agree "weak scaling" weak two two=s2.1.sqlite four=s4.1.sqlite eight=s8.1.sqlite sixteen=s16.1.sqlite
agree "repetitions" strong four two=s2.1.sqlite,s2.2.sqlite four=s4.1.sqlite,s4.2.sqlite eight=s8.1.sqlite \
    sixteen=s16.1.sqlite,s16.2.sqlite
agree "a larger reference" weak sixteen two=s2.1.sqlite,s2.2.sqlite sixteen=s16.1.sqlite,s16.2.sqlite
if [ -x "$generate" ]; then
    features=p2p,sendrecv,nonblocking,collectives,v-collectives,subcomms,openmp,locks,metrics
    for seed in $(seeds_of 3); do
        for ranks in 2 4 8 16; do
            rm -rf random
            "$generate" random --out random --seed $((seed * 100 + ranks)) --ranks $ranks --events $((500 * ranks)) \
                --clock-offset-ns 1000000 --features "$features" >made 2>&1 || diag "$(cat made)"
            run r$ranks.sqlite random/traces.otf2
        done
        agree "random traces $seed" strong r2 r2=r2.sqlite r4=r4.sqlite r8=r8.sqlite r16=r16.sqlite
    done
else
    skip "random traces" "the generator is not built"
fi

like "the man page's example: losses by call path" \
    "$(diff_ --sections runs,scaling --by callpath s2.1.sqlite s4.1.sqlite s8.1.sqlite s16.1.sqlite)" 'Scaling loss of call paths'

# Where a call tree is cut, and what a histogram tells of messages.
run cut.sqlite synth/traces.otf2 -o profile.top=3
run other.sqlite synth/traces.otf2 -o pipeline.chain="message_histogram profile" -o profile.calltree=no
ok "a profile that was cut off, another one without call tree" diff_ cut.sqlite other.sqlite
like "it is said that it was cut" "$(cat "$work/.ok")" "WARNING +'cut.sqlite' has only the top rows of its profile"
like "it is said that there is no call tree" "$(cat "$work/.ok")" 'calltree = yes'
like "and that filters were told otherwise" "$(cat "$work/.ok")" \
    "WARNING +'other.sqlite' was made with other parameters than 'cut.sqlite', which may make a difference by itself: profile.calltree = no instead of yes, profile.top = 0 instead of 3"
ok "runs that were told the same" diff_ s16.1.sqlite s16.2.sqlite
is "of these nothing is said" "$(grep -c 'other parameters' "$work/.ok")" 0
diff_ --json cut.sqlite other.sqlite >cut.json 2>/dev/null
is "messages by the histogram are those by the matrix" \
    "$(value cut.json "[row(t, what=w, run=r)['median'] for t, w in (('messages', 'messages sent'), ('bytes', 'in messages received')) for r in ('cut', 'other')]" |
        awk '{ print ($1 == $2 && $3 == $4 && $1 > 0 && $3 > 0) }')" 1

# -------------------------------------------------------------------------------------------------------------- by hand

# Two runs of one process: f from 2 s to 3 s, g gone, h new; main in both; the same region in two rows.
database a.sqlite <<'END'
{"run": {"duration": 4}, "flat": [["main", 1.0, 4.0, 1], ["f", 1.5, 1.5, 6], ["f", 0.5, 0.5, 4], ["g", 1.0, 1.0, 5]],
 "tree": [[1, "main", 1.0, 4.0, 1], [2, "f", 2.0, 2.0, 10], [2, "g", 0.75, 0.75, 4], [1, "g", 0.25, 0.25, 1]]}
END
database b.sqlite <<'END'
{"run": {"duration": 5}, "flat": [["f", 3.0, 3.0, 10], ["main", 1.0, 5.0, 1], ["h", 0.5, 1.0, 2], ["zero", 0.5, 0.5, 1]],
 "tree": [[1, "main", 1.0, 5.0, 1], [2, "h", 0.5, 1.0, 2], [3, "f", 0.5, 0.5, 3], [2, "f", 2.5, 2.5, 7]]}
END
diff_ --json a.sqlite b.sqlite >ab.json 2>said
is "nothing is said" "$(cat said)" ""
is "f: rows of one name are added up" "$(value ab.json "[row('region_exclusive', region='f', run='a')[k] for k in ('median', 'min', 'max', 'runs')]")" "2 2 2 1"
is "f: change" "$(value ab.json "[row('region_exclusive', region='f', run='b')[k] for k in ('median', 'difference', 'relative', 'presence', 'significant')]")" "3 1 50 both -"
is "g: gone, not zero" "$(value ab.json "[row('region_exclusive', region='g', run='b')[k] for k in ('median', 'difference', 'relative', 'presence', 'runs')]")" "- - - gone 0"
is "h: new" "$(value ab.json "[row('region_inclusive', region='h', run='b')[k] for k in ('median', 'difference', 'presence')]")" "1 - new"
is "visits" "$(value ab.json "[row('region_visits', region=r, run='b')['median'] for r in ('f', 'main')]")" "10 1"
is "largest change first, equal ones by name" "$(value ab.json "[r['region'] for r in d['region_exclusive']['rows'] if r['run'] == 'b']")" \
    "f g h zero main"
is "call paths by their text" "$(value ab.json "[(r['call_path'] + ' ' + str(r['depth'])) for r in d['callpath_exclusive']['rows'] if r['run'] == 'b']")" \
    "main/g 2 main/f 2 main/h 2 main/h/f 3 g 1 main 1"
is "a call path" "$(value ab.json "[row('callpath_exclusive', call_path='main/f', run=r)['median'] for r in 'ab']")" "2 2.5"
like "in text: missing is no zero" "$(diff_ --by region a.sqlite b.sqlite)" '^ *1\.00 s +- +- +- +gone +g$'
like "in text: new" "$(diff_ --by region a.sqlite b.sqlite)" '^ *- +500 ms +- +- +new +h$'
like "in text: a change" "$(diff_ --by region a.sqlite b.sqlite)" '^ *2\.00 s +3\.00 s +\+1\.00 s +\+50\.0 +f$'
like "the other way round" "$(diff_ --by region --reference b a.sqlite b.sqlite)" '^ *3\.00 s +2\.00 s +-1\.00 s +-33\.3 +f$'
for which in 2 b b.sqlite; do
    is "--reference $which" "$(diff_ --json --reference $which a.sqlite b.sqlite >x.json; value x.json "row('runs', reference='yes')['run']")" b
done
is "--region, in call paths too" "$(diff_ --json --region 'f*' --region main/g a.sqlite b.sqlite >x.json; value x.json "sorted({r['call_path'] for r in d['callpath_visits']['rows']})")" \
    "main/f main/g main/h/f"
is "--top" "$(diff_ --csv --top 1 --by region --metric visits a.sqlite b.sqlite | grep -c '^region_visits,')" 2
like "--top says of how many" "$(diff_ --top 1 --by region a.sqlite b.sqlite)" '^Regions: exclusive time \(1 of 5\)$'
is "--metric, --by" "$(diff_ --csv --metric inclusive --by callpath a.sqlite b.sqlite | grep -oE '^(region|callpath)_[a-z]*' | sort -u)" callpath_inclusive
is "sentences first, within the width" "$(diff_ --width 60 --top 1 a.sqlite b.sqlite | sed -n '2p;4,/^$/p' | awk 'length > 60 { print }
    NR == 1 || /^b takes .* than a \(/ { n++ } END { print n }')" 2
is "--sections" "$(diff_ --csv --sections runs a.sqlite b.sqlite | grep -oE '^[a-z_]+,' | sort -u | tr -d '\n')" "changes,notes,runs,table,"

# Strong scaling: D = 8, 4.5, 3 s. par takes 8 s on 1, 2 and 4 processes together: exponent -1. ser takes 1 s a process: 0. bad
# takes 0.5 s, 2 s, 8 s: a process takes 2^k times as long, exponent 1.
for n in 1 2 4; do
    database n$n.sqlite <<END
{"run": {"processes": $n, "duration": $(python3 -c "print({1: 8, 2: 4.5, 4: 3}[$n])")},
 "flat": [["par", 8.0, 8.0, $n], ["ser", $n.0, $n.0, $n], ["bad", $(python3 -c "print(0.5 * $n * $n)"), 1.0, 1]]}
END
done
diff_ --json --by region n1.sqlite n2.sqlite n4.sqlite >n.json
is "speed-up" "$(value n.json "[r['speed_up'] for r in d['scaling']['rows']]")" "1 1.777777778 2.666666667"
is "efficiency" "$(value n.json "[r['efficiency'] for r in d['scaling']['rows']]")" "100 88.88888889 66.66666667"
is "exponents" "$(value n.json "['%.6f' % row('scaling_regions', region=r)['exponent'] for r in ('par', 'ser', 'bad')]")" "-1.000000 0.000000 1.000000"
is "residuals" "$(value n.json "['%.6f' % row('scaling_regions', region=r)['residual'] for r in ('par', 'ser', 'bad')]")" "0.000000 0.000000 0.000000"
is "losses, in seconds and shares of 20" "$(value n.json "[(r['region'], r['loss'], r['share'], r['non_scalable']) for r in d['scaling_regions']['rows']]")" \
    "('bad', 7.5, 37.5, 'yes') ('ser', 3, 15, 'yes') ('par', 0, 0, 'no')"
diff_ --json --by region --scaling weak n1.sqlite n2.sqlite n4.sqlite >n.json
is "weak: efficiency" "$(value n.json "[r['efficiency'] for r in d['scaling']['rows']]")" "100 177.7777778 266.6666667"
is "weak: losses" "$(value n.json "[(r['region'], r['loss'], r['non_scalable']) for r in d['scaling_regions']['rows']]")" \
    "('bad', 6, 'yes') ('ser', 0, 'no') ('par', -24, 'no')"
is "two runs have no residual" "$(diff_ --json --by region n1.sqlite n4.sqlite >x.json; value x.json "[row('scaling_regions', region='bad')[k] for k in ('exponent', 'residual', 'runs')]")" "1 - 2"
is "relative to the fewest, whatever the reference" "$(diff_ --json --reference 2 n1.sqlite n4.sqlite >x.json; value x.json "[r['efficiency'] for r in d['scaling']['rows']]")" "100 66.66666667"
is "as many processes: no scaling" "$(diff_ --csv a.sqlite b.sqlite | grep -c '^scaling')" 0
like "that is said when it is asked for" "$(diff_ --sections scaling a.sqlite b.sqlite)" 'all runs have as many processes'
is "--scaling none" "$(diff_ --csv --scaling none n1.sqlite n4.sqlite | grep -c '^scaling')" 0
database t4.sqlite <<'END'
{"run": {"processes": 1, "locations": 4, "duration": 4}, "flat": [["par", 8.0, 8.0, 4]]}
END
is "--count locations" "$(diff_ --json --count locations n1.sqlite t4.sqlite >x.json; value x.json "[r['efficiency'] for r in d['scaling']['rows']]")" "100 50"

# Repetitions: apart has ranges that don't overlap, noise has; some is in two of three.
i=0
for v in "1.0 1.0" "1.2 1.4" "1.1 0.8"; do
    i=$((i + 1))
    set -- $v
    [ $i = 3 ] && some= || some=", [\"some\", $i.0, $i.0, 1]"
    echo "{\"run\": {\"duration\": $1}, \"flat\": [[\"apart\", $1, $1, 1], [\"noise\", $2, $2, 1]$some]}" | database p$i.sqlite
    echo "{\"run\": {\"duration\": $1}, \"flat\": [[\"apart\", 1.3$i, 1, 1], [\"noise\", 1.$i, $2, 1]$some]}" | database q$i.sqlite
done
echo '{"flat": [["apart", 1.25, 1, 1], ["noise", 0.9, 1, 1], ["some", 1.5, 1, 1]]}' | database q4.sqlite
diff_ --json p=p1.sqlite,p2.sqlite,p3.sqlite q=q1.sqlite,q2.sqlite,q3.sqlite q=q4.sqlite >rep.json
is "median and range" "$(value rep.json "[row('region_exclusive', region='apart', run=r)[k] for r in 'pq' for k in ('median', 'min', 'max', 'runs')]")" "1.1 1 1.2 3 1.315 1.25 1.33 4"
is "significant or noise" "$(value rep.json "[row('region_exclusive', region=r, run='q')['significant'] for r in ('apart', 'noise', 'some')]")" "1 0 -"
text=$(diff_ --by region --metric exclusive p=p1.sqlite,p2.sqlite,p3.sqlite q=q1.sqlite,q2.sqlite,q3.sqlite,q4.sqlite)
like "in text: significant" "$text" '^ *1\.10 s +1\.31 s +\+215 ms +\+19\.5 +\* +1\.00 s to 1\.20 s +1\.25 s to 1\.33 s +apart$'
like "in text: noise" "$text" ' ~ .* noise$'
like "in text: in two of three" "$text" ' in 2 of 3 .* some$'
fails 2 "repetitions with other numbers of processes" diff_ x=n1.sqlite,n2.sqlite y=n4.sqlite
mentions "it says so" "'n1.sqlite' and 'n2.sqlite' are repetitions of 'x', but have 1 and 2 processes"

# A recursion deeper than blanks show, and than a path is told.
python3 -c '
import json
print(json.dumps({"flat": [["f", 1.0, 1.0, 1]], "tree": [[d, "f" if d < 2000 else "  last", 0.001 * d, 1.0, 1] for d in range(1, 2001)]}))' | database deep.sqlite
diff_ --json --by callpath --metric visits deep.sqlite deep.sqlite >x.json
is "deep call paths" "$(value x.json "[len(d['callpath_visits']['rows']), max(r['depth'] for r in d['callpath_visits']['rows']), max(len(r['call_path']) for r in d['callpath_visits']['rows']) < 1200]")" "4000 2000 True"
like "what is left out is said" "$(value x.json "[r['call_path'] for r in d['callpath_visits']['rows'] if r['depth'] == 2000][0]")" '/f/\(1488 levels\)/f/.*/f/  last$'

# ------------------------------------------------------------------------------------------------- --fail-above --

ok "within 30 %" diff_ --fail-above 60 --by region --region main --region f a.sqlite b.sqlite
fails 3 "f has grown by 50 %" diff_ --fail-above 49 --by region --region f a.sqlite b.sqlite
mentions "f stands in the table" '^b +region +2 +3 +\+50\.0 +f$'
is "the duration is not, at 25 %" "$(grep -c '^b +duration' "$work/.fails")" 0
fails 3 "the duration has grown by 25 %" diff_ --fail-above 24 --by region --region none a.sqlite b.sqlite
mentions "it stands in the table" '^b +duration +4 +5 +\+25\.0'
fails 3 "a new region" diff_ --fail-above 1000 --by region a.sqlite b.sqlite
mentions "it stands in the table" '^b +region +- +0\.5 +- +h$'
ok "a new region that is small" diff_ --fail-above 1000 --ignore-below 20 --by region a.sqlite b.sqlite
is "and gone ones are none" "$(grep -c '^b .* g$' "$work/.ok")" 0
ok "faster is not slower" diff_ --fail-above 0 --by region --region 'f' b.sqlite a.sqlite
fails 3 "repetitions: apart" diff_ --fail-above 5 p=p1.sqlite,p2.sqlite,p3.sqlite q=q1.sqlite,q2.sqlite,q3.sqlite,q4.sqlite
ok "repetitions: may be noise" diff_ --fail-above 5 p=p1.sqlite,p2.sqlite,p3.sqlite q=q1.sqlite,q2.sqlite,q3.sqlite --region noise \
    --by region
fails 3 "the same without repetitions" diff_ --fail-above 5 p1.sqlite q3.sqlite --region noise --by region
fails 2 "other numbers of processes" diff_ --fail-above 5 n1.sqlite n2.sqlite
mentions "it says so" 'no run has as many processes as the reference'
fails 2 "without a profile" diff_ --fail-above 5 --sections runs a.sqlite b.sqlite
echo '{"run": {"duration": 100}, "flat": [["main", 1.0, 1.0, 1]]}' | database long.sqlite
like "large percents have all their digits" "$(diff_ a.sqlite long.sqlite)" '^long takes 100 s, 96\.0 s \(2400 %\) more than a'
echo '{"run": {"status": "salvaged", "duration": 4}, "losses": 3, "flat": [["main", 1.0, 1.0, 1]]}' | database lost.sqlite
echo '{"run": {"status": "failed", "duration": 4}, "flat": [["main", 1.0, 1.0, 1]]}' | database failed.sqlite.incomplete
fails 1 "no verdict over a salvaged run" diff_ --fail-above 5 a.sqlite lost.sqlite
mentions "it says so" "there is no verdict, since 'lost.sqlite' is not complete"
diff_ a.sqlite lost.sqlite failed.sqlite.incomplete >x 2>said
like "a salvaged run is told loudly" "$(cat said)" "warning: 'lost.sqlite' is SALVAGED: .*3 losses"
like "in the table, too" "$(cat x)" "^WARNING +'lost.sqlite' is SALVAGED"
like "and a failed one, whose label has no endings" "$(cat said)" "warning: 'failed.sqlite.incomplete' has the status 'failed'"
like "its label" "$(cat x)" '^failed +no +failed '

# ------------------------------------------------------------------------------------------------- labels and instances

mkdir -p d1 d2
cp a.sqlite d1/run.sqlite
cp b.sqlite d2/run.sqlite
is "what to know is wrapped" "$(COLUMNS=80 "$top_builddir/tcflow-diff" --sections runs d1/run.sqlite d2/run.sqlite 2>/dev/null |
    sed -n '/^What to know/,/^$/d; /^kind  text/,/^$/p' | awk 'length($0) > 80 { long = 1 } /^      [^ ]/ { more = 1 } END { print long + 0, more + 0 }')" "0 1"
is "equal names" "$(diff_ --json d1/run.sqlite d2/run.sqlite >x.json; value x.json "[r['run'] for r in d['runs']['rows']]")" "d1/run d2/run"
is "the same file twice" "$(diff_ --json a.sqlite a.sqlite a.sqlite >x.json; value x.json "[r['run'] for r in d['runs']['rows']]")" "a a#2 a#3"
mkdir -p here/x there/x three/y
cp a.sqlite here/x/run.sqlite
cp a.sqlite there/x/run.sqlite
cp a.sqlite three/y/run.sqlite
is "files of one name have the folders that tell them apart" \
    "$(diff_ --json here/x/run.sqlite there/x/run.sqlite three/y/run.sqlite >x.json; value x.json "[r['run'] for r in d['runs']['rows']]")" \
    "here/x/run there/x/run y/run"
is "nothing has changed" "$(value x.json "{r['difference'] for r in d['callpath_inclusive']['rows']} | {r['relative'] for r in d['region_visits']['rows']}")" "{0}"
like "that is noted" "$(value x.json "[r['text'] for r in d['notes']['rows']]")" "'a.sqlite' and 'a.sqlite' are of the same trace|no repetitions"
cp a.sqlite 'x=1,2.sqlite'
is "a file with = and , in its name" "$(diff_ --json 'x=1,2.sqlite' 'l=x=1,2.sqlite' b.sqlite >x.json; value x.json "[r['run'] for r in d['runs']['rows']]")" "x=1,2 l b"
files=
i=0
[ -z "${TCFLOW_LONG:-}" ] && many=10 || many=100
while [ $i -lt $many ]; do
    files="$files f$i=a.sqlite"
    i=$((i + 1))
done
ok "$many files" diff_ --json $files b.sqlite
cp "$work/.ok" x.json
is "all of them" "$(value x.json "[len(d['runs']['rows']), sum(r['median'] for r in d['region_exclusive']['rows'] if r['region'] == 'f')]")" "$((many + 1)) $((2 * many + 3))"
ok "$many files as text" diff_ --width 80 $files b.sqlite
is "all of them" "$(grep -cE '^ *2\.00 s .* f$' "$work/.ok" | awk '{ print ($1 > '$many' / 4) }')" 1
echo '{"flat": [["f", 1.0, 1.0, 1]], "instance": {"profile": ["one", "two"]}}' | database two.sqlite
diff_ --json two.sqlite two=two.sqlite >x.json
is "the first of two instances" "$(value x.json "row('region_exclusive', region='f', run='two')['median']")" 1
like "it is said which" "$(cat x.json)" "has 2 instances of profile; one is compared"
is "--instance" "$(diff_ --json --instance two two.sqlite two=two.sqlite >x.json; value x.json "row('region_exclusive', region='f', run='two')['median']")" 10
fails 2 "--instance that no run has" diff_ --instance tow two.sqlite two=two.sqlite
like "that is said" "$(cat "$work/.fails")" "--instance 'tow': no run has a filter instance of that name"

# -------------------------------------------------------------------------------------------------------- hostile names

python3 - <<'END' >hostile.json
import json
names = ["it's", 'a "b"', "100%s%n", "</script><script>alert(1)</script>", "line\nbreak\ttab\r", "\x1b[31mred\x1b[0m", "<img src=x onerror=alert(1)>",
         "&amp;", "a/b", "a", "b", "", "  blanks  ", "\u202eright to left", "gr\u00f6\u00dfer \u65e5\u672c", "x" * 5000, "'; DROP TABLE tables; --",
         "=1+1", "\\", "\u2028", "\u0001", "{{x}}", "${x}"]
print(json.dumps({"run": {"input": "</title>"}, "flat": [[n, 1.0 + i / 64, 2.0, 1] for i, n in enumerate(names)],
                  "tree": [[1, n, 1.0 + i / 64, 2.0, 1] for i, n in enumerate(names)],
                  "patterns": [["p", "</script>", 1.0, 1]], "paths": [["p", n, 1.0 + i / 64, 1] for i, n in enumerate(names)]}))
END
database h1.sqlite <hostile.json
sed 's/1\.0/2.0/' hostile.json | database h2.sqlite
agree "hostile names" strong h1 h1=h1.sqlite h2=h2.sqlite
ok "hostile names as text" diff_ --top 0 h1.sqlite "</script>%s%n"=h2.sqlite --width 100
is "nothing steers the terminal" "$(tr -d '\n' <"$work/.ok" | LC_ALL=C grep -c "$(printf '[\001-\037\177]')")" 0
like "a line break is told" "$(cat "$work/.ok")" 'line\\nbreak\\ttab\\r'
like "an escape is told" "$(cat "$work/.ok")" '\\x1b\[31mred'
like "a change of direction is told" "$(cat "$work/.ok")" '\\u202eright'
is "no line is wider than the terminal" "$(python3 -c "
import unicodedata
w = lambda s: sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in 'WF' else 1 for c in s)
print(max(w(l.rstrip()) for l in open('$work/.ok', encoding='utf-8') if not l.startswith(('WARNING', 'note'))) <= 100)")" True

# --------------------------------------------------------------------------------------------------------- no databases

: >empty.sqlite
echo "no database at all, but longer than its header" >text.sqlite
mkdir folder.sqlite
python3 -c "
import sqlite3
sqlite3.connect('foreign.sqlite').execute('CREATE TABLE t (a)')"
echo '{"user_version": 0, "flat": []}' | database old.sqlite
echo '{"user_version": 2, "flat": []}' | database newer.sqlite
echo '{"application_id": 7, "flat": []}' | database alien.sqlite
echo '{"flat": [], "sql": ["DELETE FROM run"]}' | database norun.sqlite
echo '{"flat": [], "sql": ["DROP TABLE tables"]}' | database notables.sqlite
echo '{"flat": [["f", 1.0, 1.0, 1]], "sql": ["DROP TABLE profile_flat_profile"]}' | database dropped.sqlite
echo '{"flat": [["f", 1.0, 1.0, 1]], "sql": ["ALTER TABLE profile_flat_profile RENAME TO t", "CREATE VIEW profile_flat_profile AS SELECT * FROM t"]}' | database view.sqlite
echo '{"flat": [["f", 1.0, 1.0, 1]], "drop_column": ["flat_profile", "inclusive"]}' | database column.sqlite
echo '{"flat": [["f", 1.0, 1.0, 1]], "tree": [[1, "f", 1.0, 1.0, 1], [3, "g", 1.0, 1.0, 1]]}' | database depth.sqlite
echo '{}' | database bare.sqlite
refused()
{
    fails 1 "$1" diff_ a.sqlite "$2"
    mentions "$1: it says so" "$3"
    is "$1: nothing else is said" "$(grep -vc '^tcflow-diff: ' "$work/.fails")" 0
}
refused "no such file" none.sqlite "cannot open 'none.sqlite': No such file"
refused "an empty file" empty.sqlite "'empty.sqlite' is empty; .*database = FILE"
refused "a text" text.sqlite "'text.sqlite' is no SQLite database"
refused_folder=$(diff_ a.sqlite folder.sqlite 2>&1) && tap 1 "a folder without a trace" || like "a folder without a trace" "$refused_folder" \
    "this is a folder without an anchor file"
if [ -x "$top_builddir/tcflow" ]; then
    cp -r "$top_srcdir/examples/trace" one && cp -r "$top_srcdir/examples/trace" two && chmod -R u+w one two
    ok "traces are compared, by the names of their folders" diff_ one two/traces.otf2
    "$top_builddir/tcflow-diff" one nowhere >said 2>&1
    is "nothing is read where an input isn't there" "$(cat said)" "tcflow-diff: cannot open 'nowhere': No such file or directory"
    "$top_builddir/tcflow-diff" one two >said 2>&1
    is "files that are removed are not told" "$(grep -c '^tcflow-diff: reading' said) $(grep -c wrote said)" "2 0"
    is "where a table is parted, files stand once" \
        "$(COLUMNS=60 "$top_builddir/tcflow-diff" one two 2>/dev/null | grep -c '^run .* file$')" 1
    "$top_builddir/tcflow-diff" one two/traces.otf2 --json >traces.json 2>/dev/null
    is "they are equal" "$(python3 -c 'import json; r = json.load(open("traces.json"))["runs"]["rows"]
print([x["run"] for x in r], len({x["duration"] for x in r}))' 2>&1)" "['one', 'two'] 1"
fi
refused "a device" /dev/zero "'/dev/zero' is no regular file"
refused "another program's database" foreign.sqlite "'foreign.sqlite' is a SQLite database, but none of results of tcflow"
refused "another program's number" alien.sqlite "'alien.sqlite' is a SQLite database, but none of results of tcflow"
refused "an old schema" old.sqlite "'old.sqlite' has schema 0, of an older tcflow .* run tcflow again"
refused "a newer schema" newer.sqlite "'newer.sqlite' has schema 2, of a newer tcflow"
refused "no run" norun.sqlite "'norun.sqlite' does not tell of the run: .* missing or empty"
refused "no list of tables" notables.sqlite "'notables.sqlite' has no tables .tables. and .columns."
refused "a table that is listed only" dropped.sqlite "'dropped.sqlite' lists a table .profile_flat_profile., but there is none"
refused "a view in place of a table" view.sqlite "'view.sqlite' lists a table .profile_flat_profile., but there is none"
refused "a column is missing" column.sqlite "the table .profile_flat_profile. has no column .inclusive."
refused "levels are missing" depth.sqlite "call path of depth 3 behind one of depth 1"
refused "no profile" bare.sqlite "'bare.sqlite' has no table .flat_profile. of profile: run tcflow again with profile in the chain"
is "no call tree anywhere is one note" "$(diff_ p1.sqlite p2.sqlite q1.sqlite | grep -c 'calltree = yes')" 1
fails 1 "no waits" diff_ --sections waits a.sqlite b.sqlite
mentions "it says so" "'a.sqlite' has no table .patterns. of wait_states: run tcflow again with wait_states in the chain"
fails 1 "no call tree" diff_ --by callpath p1.sqlite p2.sqlite
mentions "it says so" 'with profile in the chain and calltree = yes'
diff_ h1.sqlite a.sqlite >x 2>said
like "a section that only some have" "$(cat said)" "warning: 'a.sqlite' has no table .patterns. of wait_states"
ok "runs alone need no profile" diff_ --sections runs bare.sqlite a.sqlite

# Bits that flip, ends that are cut off: an answer or a message, nothing else.
cat >damage.py <<'END'
import random, sys
data, seed = bytearray(open(sys.argv[1], "rb").read()), int(sys.argv[3])
r = random.Random(seed)
if seed % 4 == 0:
    del data[r.randrange(16, len(data)):]
for _ in range(0 if seed % 4 == 0 else 1 if seed % 4 == 1 else 30):
    data[r.randrange(100 if seed % 2 else 16, len(data))] = r.randrange(256)
open(sys.argv[2], "wb").write(data)
END
wrong= refusals=0 answers=0
i=1
while [ $i -le "$damaged" ]; do
    python3 damage.py s2.1.sqlite damaged.sqlite $i
    diff_ s2.1.sqlite damaged.sqlite --html x.html --overwrite >x 2>said
    case $? in
        0) answers=$((answers + 1)) ;;
        1 | 2) grep -q '^tcflow-diff: ' said && refusals=$((refusals + 1)) || wrong="$wrong $i(silent)" ;;
        *) wrong="$wrong $i" ;;
    esac
    i=$((i + 1))
done
is "$damaged damaged databases" "$wrong" ""
ok "most of them are refused ($refusals), none without a word" test "$refusals" -ge $((damaged / 3))

# ---------------------------------------------------------------------------------------------------------------- usage

fails 2 "no files" diff_
fails 2 "one file" diff_ a.sqlite
mentions "it says so" 'expected two databases or more'
fails 2 "one label" diff_ x=a.sqlite,b.sqlite
mentions "it says so" "all files have the label 'x'"
fails 2 "no label" diff_ =a.sqlite b.sqlite
fails 2 "an empty file name" diff_ x=a.sqlite, b.sqlite
fails 2 "an unknown option" diff_ --nothing a.sqlite b.sqlite
fails 2 "an unknown reference" diff_ --reference 3 a.sqlite b.sqlite
mentions "it says what is known" "expected a label, a file, or a number from 1 to 2"
for bad in --by=x --metric=x --sections=x --sections= --sections=runs, --scaling=x --count=x --top=-1 --top=x --width=3 \
    --fail-above=x --fail-above=-1 --fail-above=nan --fail-above= --ignore-below=x; do
    fails 2 "$bad" diff_ $bad a.sqlite b.sqlite
done
fails 2 "--csv --json" diff_ --csv --json a.sqlite b.sqlite
fails 2 "--json and the page to one place" diff_ --json --html - a.sqlite b.sqlite
ok "--help" diff_ --help
ok "--version" diff_ --version
if [ -c /dev/full ]; then
    diff_ a.sqlite b.sqlite >/dev/full 2>said
    is "a full disk" "$?" 1
    like "a full disk: the message" "$(cat said)" 'cannot write to standard output: No space left'
fi
cp a.sqlite before.sqlite
chmod a-w a.sqlite
ok "a file that may not be written" diff_ a.sqlite b.sqlite
same "it is left as it was" a.sqlite before.sqlite
is "nothing lies beside it" "$(ls | grep -c '^a.sqlite.')" 0

# ----------------------------------------------------------------------------------------------------------------- page

ok "a page" diff_ --html page.html h1.sqlite "</title>&amp;"=h2.sqlite
fails 2 "it is not replaced" diff_ --html page.html a.sqlite b.sqlite
mentions "it says how" "'page.html' exists already; --overwrite allows"
ok "unless with --overwrite" diff_ --overwrite --html page.html h1.sqlite "</title>&amp;"=h2.sqlite
fails 2 "a folder" diff_ --overwrite --html folder.sqlite a.sqlite b.sqlite
fails 1 "no such folder" diff_ --html none/page.html a.sqlite b.sqlite
diff_ --html - h1.sqlite "</title>&amp;"=h2.sqlite >stdout.html
same "--html -" stdout.html page.html
python3 -c '
import json
print(json.dumps({"flat": [["f%d" % i, 1.0 + i, 1.0, 1] for i in range(2500)]}))' | database many.sqlite
diff_ --html many.html many.sqlite many.sqlite >x
is "a page has the first 2000 rows" "$(grep -c '^\["f[0-9]*",' many.html)$(grep -o 'exclusive time ([0-9 a-z]*)' many.html)" \
    "6000exclusive time (2000 of 2500)"
is "or as many as --top says" "$(diff_ --top 0 --html - many.sqlite many.sqlite | grep -c '^\["f[0-9]*",')" 7500
is "it loads nothing" "$(grep -ciE '(src|href) *=|url\(|@import|https?:' page.html)" "$(grep -ciE 'img src=x' page.html)"
is "names are no markup" "$(grep -cE '<img|alert\(1\)</script>' page.html)" 0
if have chromium; then
    look()
    {
        mkdir chrome
        timeout 120 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking \
            --disable-component-update --disable-sync --enable-logging=stderr --user-data-dir="$work/chrome" --virtual-time-budget=5000 \
            --dump-dom "file://$work/$1" >dom.html 2>console
        rm -rf chrome
    }
    look page.html
    ok "the page in Chromium has the tables of the JSON" sh -c '
        timeout 60 "$1" --json h1.sqlite "</title>&amp;"=h2.sqlite >page.json && python3 "$2" page.json dom.html' - \
        "$top_builddir/tcflow-diff" "$here/same_page.py"
    is "the console is silent" "$(grep -E 'CONSOLE' console)" ""
    diff_ --overwrite --html page.html s2.1.sqlite s4.1.sqlite >/dev/null
    look page.html
    ok "a page of two runs has the tables of the JSON" sh -c '
        timeout 60 "$1" --json s2.1.sqlite s4.1.sqlite >page.json && python3 "$2" page.json dom.html' - \
        "$top_builddir/tcflow-diff" "$here/same_page.py"
    sed 's|</body>|<script>document.querySelector("\#region_exclusive input").value = "mpi_RECV";\
        document.querySelector("\#region_exclusive input").dispatchEvent(new Event("input"));\
        document.querySelectorAll("\#callpath_visits th button")[1].click();</script></body>|' page.html >moved.html
    look moved.html
    ok "search and order" python3 "$here/same_page.py" page.json dom.html --found region_exclusive MPI_Recv --sorted callpath_visits 1
else
    skip "the page in Chromium" "chromium is not installed"
fi
done_testing
