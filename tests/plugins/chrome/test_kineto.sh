#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Files of PyTorch's profiler, one a rank, are one run: collective operations and messages of process groups are those of the program
# that a script made up, and those that another program finds in the files; of files that don't belong together nothing is made up.
# Two files of Chrome are the lines of each. All files here are made.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/readers.sh"

python3 -c 'import json' 2>/dev/null || skip_all "python3 is not installed"
"$TCFLOW" --list-sources | grep -q '^  chrome ' || skip_all "built without yajl"
kineto=$top_srcdir/tests/plugins/chrome/kineto.py
cd "$work" || exit 1

# made SEED RANKS [FLAW]: rank0.json and so on, truth; $all has their names
made()
{
    rm -f rank?.json truth
    python3 "$kineto" make "$1" . "$2" $3
    all=$(echo rank?.json)
}

failed=
for seed in $(seeds_of 3); do
    for form in 2 3 4 "3 gloo"; do
        made "$seed" $form
        ranks_of "$kineto" "$all"
        diff truth expected >why && diff expected got >>why || failed="$failed $seed, $form: $(head -n 3 why)"
    done
done
is "what the program did, and what the files say" "$failed" ""
ok "something was compared" [ "$(wc -l <got)" -gt 200 ]

made 1 4
"$TCFLOW" -q -i "$all" -o pipeline.chain=check -o check.format=json >raw.json
"$TCFLOW" -q -i "$all" -o pipeline.survey=clock_estimate -o clock_estimate.clocks=node -o pipeline.chain="presync clc_forward check" \
    -o check.format=json -o check.output=check.json >/dev/null
violations='import json, sys
print(json.load(open(sys.argv[1]))["verdict"]["rows"][0]["count"])'
ok "the clocks of the files differ" [ "$(python3 -c "$violations" raw.json)" -gt 100 ]
is "and are corrected" "$(python3 -c "$violations" check.json)" 0
"$TCFLOW" -q -i "$all" -o pipeline.survey=clock_estimate -o clock_estimate.clocks=node -o pipeline.chain="presync wait_states" >waits
like "waits at collectives of accelerators" "$(cat waits)" "Wait at N x N +[0-9.e-]+ +[0-9.]+ +[1-9]"
"$TCFLOW" -i "$all" -o pipeline.chain=pass >whole.log 2>&1
is "nothing is left out of what is whole" "$(grep -c 'left out' whole.log)" 0
"$TCFLOW" -q -i "$all" -o pipeline.chain=print >by-phase
python3 -c 'import json, sys
for name in sys.argv[1:]:
    trace = json.load(open(name))
    json.dump(trace, open(name, "w"), sort_keys=True)' $all
ok "arguments come before the phase" grep -q '"args": {[^}]*}, "cat": "[a-z_]*", "dur": [0-9.]*, "name": "[^"]*", "ph": "X"' rank0.json
"$TCFLOW" -q -i "$all" -o pipeline.chain=print >by-name
same "the order of an event's members doesn't matter" by-phase by-name

made 2 4 late
ranks_of "$kineto" "$all"
same "one file begins later" expected got
"$TCFLOW" -i "$all" -o pipeline.chain=pass >late.log 2>&1
like "counted" "$(cat late.log)" "[0-9]+ collective operations are left out, for not all members have as many of them: as of communicator 'process group"
made 5 3 other
ranks_of "$kineto" "$all"
same "another operation in between" expected got
like "counted" "$("$TCFLOW" -i "$all" -o pipeline.chain=pass 2>&1)" "[0-9]+ collective operations are left out, for members have other operations"
made 3 4
ranks_of "$kineto" "rank0.json rank3.json"
same "files are missing" expected got
like "counted" "$("$TCFLOW" -i "rank0.json rank3.json" -o pipeline.chain=pass 2>&1)" \
    "[0-9]+ collective operations are left out, for members are in none of the files: .* of which 2 of [34] members are known"
sed -i 's/"distributedInfo"/"somethingElse"/' rank?.json
events_of "$all" && python3 "$top_srcdir/tests/support/ranks.py" lines >got
is "files without a rank" "$(cat got)" ""
like "counted" "$("$TCFLOW" -i "$all" -o pipeline.chain=pass 2>&1)" \
    "[0-9]+ operations of process groups are left out, for the file doesn't say of which group, or which rank wrote it"

# Two files of Chrome: the lines of each, with the file's name in front of its processes. Ids of flows are those of a file.
for seed in 1 2; do
    python3 "$top_srcdir/tests/plugins/chrome/random_chrome.py" "$seed" 2000 "part$seed.json"
    python3 "$top_srcdir/tests/plugins/chrome/chrome.py" "part$seed.json" | awk -F '\t' -v OFS='\t' -v of="part$seed.json: " '
        { $2 = of $2; if ($1 == "message") $5 = of $5; print }' >"of$seed"
done
events_of "part1.json part2.json"
sort printed >both
sort of1 of2 >expected
same "two files of Chrome as one run" expected both
done_testing
