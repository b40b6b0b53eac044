#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Traces of so many locations that slices end where their location waits, which other tests have too few for: results are
# those of libotf2's reader, whose slices don't; while locations wait, little of them is in memory; a copy is whole,
# of which more waits to be written than there is room for; and domains that are short of room seldom wait for each
# other.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
cd "$work" || exit 1

"$generate" bench --locations 256 --events 400000 --chunk-kib 256 --skew 300000 --out wrong >/dev/null || exit 1
printf '%s\n' '[pipeline]' 'input = wrong/traces.otf2' 'survey = clock_estimate mu_estimate wait_states' \
    'chain = presync clc_forward clc_backward check otf2_write' '[presync]' 'unsynchronised = keep' '[wait_states]' 'output = waits' \
    'overwrite = yes' '[clc_forward]' 'output = forward' 'overwrite = yes' '[clc_backward]' 'output = backward' 'overwrite = yes' \
    '[check]' 'output = checked' 'overwrite = yes' '[otf2_write]' 'path = out' 'overwrite = yes' >correct.ini

# correct FOLDER OPTION...: all results of the correction in a folder
correct()
{
    folder=$1
    shift
    "$TCFLOW" -q -c correct.ini -o clc_backward.max_events=128 "$@" || return 1
    mkdir "$folder" && mv out waits forward backward checked "$folder"
}

ok "libotf2's reader" correct library -j 1 -o pipeline.reader=libotf2
for options in "-j 1" "-j 2" "-j 1 -o pipeline.slice=64" "-j 1 -o pipeline.slice=2000" "-j 1 -o pipeline.verify=yes"; do
    # shellcheck disable=SC2086 # several words
    ok "the direct reader, $options" correct direct $options
    same_files() { diff -r library direct; }
    ok "the same results, $options" same_files
    rm -rf direct
done
grep -q '^full  *[1-9]' library/backward
tap $? "jumps were spread" || diag "$(head -n 20 library/backward)"

# At their operation 8 KiB of each location wait to be written, 112 MiB of all at most: these are 128, so pieces are written for want of room.
"$generate" bench --locations 16384 --events 12500000 --chunk-kib 256 --out many >/dev/null || exit 1
printf '%s\n' '[pipeline]' 'input = many/traces.otf2' 'chain = check otf2_write' '[check]' 'output = checked' 'overwrite = yes' \
    '[otf2_write]' 'path = copy' >copy.ini
ok "a copy in causal order" "$TCFLOW" -q -j 1 -c copy.ini
same_events() { diff -r many/traces copy/traces; }
ok "is the same, byte for byte" same_events
rm -rf copy many
"$generate" bench --locations 8192 --events 6600000 --chunk-kib 256 --out many >/dev/null || exit 1

if is_instrumented; then
    skip "what slices take" "the memory of this build is another"
else
    "$TCFLOW" -j 1 --summary -i many/traces.otf2 -o pipeline.chain=check >/dev/null 2>said
    most=$(sed -n 's/.* \([0-9]*\)\.[0-9]* MiB of memory at most.*/\1/p' said)
    [ "${most:-1000}" -lt 115 ]
    tap $? "what slices take: $most MiB" || diag "$(cat said)"
fi

# short JOBS: where slices are short and a segment stands behind the filter that holds them
short()
{
    "$TCFLOW" -j "$1" -v --summary -i many/traces.otf2 -o pipeline.chain="presync clc_forward clc_backward check" \
        -o presync.unsynchronised=keep -o pipeline.memory=32MiB >"short.$1" 2>said
}
ok "two domains, short of room" short 2
rests=$(sed -n 's/.*nobody had anything to run once.*/1/p; s/.*nobody had anything to run \([0-9]*\) times.*/\1/p' said)
[ "${rests:-500}" -lt 500 ] # 16; 6,000 where all rest before each slice
tap $? "domains that are short of room rest seldom: ${rests:-not told}" || diag "$(cat said)"
ok "one domain" short 1
same_results() { diff short.1 short.2; }
ok "the same results" same_results

done_testing
