#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The two readers of event files deliver the same: of archives with all kinds of records, of chunks of all sizes, in
# both byte orders, with records of unknown kinds, and of damaged files; see compare.c. ROUNDS (default 1, 3 with
# TCFLOW_LONG) is the number of random archives.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
LSAN_OPTIONS=suppressions=$top_srcdir/tests/support/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}
ASAN_OPTIONS=detect_leaks=0:exitcode=99 # libotf2 leaks where it fails
export LSAN_OPTIONS ASAN_OPTIONS

compare=$top_builddir/tests/framework/readers/compare
if [ -z "${TCFLOW_LONG:-}" ]; then
    rounds=${ROUNDS:-1} places=60
else
    rounds=${ROUNDS:-3} places=400
fi

# archive NAME KIND OPTION...: makes one.
archive()
{
    archive_name=$1
    kind=$2
    shift 2
    timeout 120 "$generate" "$kind" --out "$work/$archive_name" "$@" >"$work/generate" 2>&1 ||
        { tap 1 "the archive $archive_name is generated" || diag "$(cat "$work/generate")"; }
}

# compared NAME ARCHIVE OPTION...: both readers deliver the same of a copy.
compared()
{
    compared_name=$1
    from=$2
    shift 2
    rm -rf "$work/copy"
    cp -RL "$from" "$work/copy" && chmod -R u+w "$work/copy"
    timeout 1000 "$compare" "$@" "$work/copy" >"$work/compared" 2>&1
    tap $? "$compared_name" || diag "$(grep -v '^#' "$work/compared" | head -c 4000)"
    diag "$(grep '^# .*: [0-9]* locations\|^# [0-9]* cases' "$work/compared")"
}

archive everything everything --no-thumbnails
compared "all kinds of records and mapping tables, in both byte orders" "$work/everything" --swap
compared "among them records of unknown kinds" "$work/everything" --strange --swap
compared "damaged files with all kinds of records" "$work/everything" --cuts "$places" --flips $((places * 2))
compared "damaged files in the other byte order" "$work/everything" --swap --cuts $((places / 4)) --flips "$places"
compared "a recorded trace" "$top_srcdir/examples/trace" --strange --swap --cuts "$places" --flips "$places"

compared "a leave whose type becomes that of a timestamp" "$top_srcdir/examples/trace" --swap --flip 0,5155,3

round=1
while [ "$round" -le "$rounds" ]; do
    archive odd odd --seed "$round" --locations 8 --events 800
    compared "round $round: odd events" "$work/odd" --seed "$round" --strange --swap --cuts "$places" --flips "$places"
    archive random random --seed "$round" --ranks 4 --events 40000 --chunk-bytes 262144 --sparse-locations --empty-locations 1 \
        --missing-locations 1 --features all,counters,io,rma,streams,flushes,nested,persistent
    compared "round $round: a random program" "$work/random" --seed "$round" --strange --swap
    archive extremes extremes --seed "$round" --locations 4 --events 3000
    compared "round $round: numbers at which their encoding changes" "$work/extremes" --seed "$round" --strange --swap --cuts "$places"
    rm -rf "$work/odd" "$work/random" "$work/extremes"
    round=$((round + 1))
done

archive quiet quiet --events 40000
compared "locations of very different lengths" "$work/quiet" --swap --strange
archive alone no-messages --processes 4 --streams 2 --behind 1000
compared "locations that never communicate" "$work/alone" --swap
rm -rf "$work/quiet" "$work/alone"
for folder in ${TRACES:-}; do
    for anchor in "$folder"/traces.otf2 "$folder"/*/traces.otf2; do
        [ ! -f "$anchor" ] || compared "${anchor%/*}" "${anchor%/*}" --swap --cuts $((places / 20)) --flips $((places / 20))
    done
done

for kib in 256 1024 4096; do
    archive chunks bench --locations 2 --events $((kib * 400)) --chunk-kib "$kib"
    compared "several chunks of $kib KiB" "$work/chunks" --swap
    [ "$kib" -gt 256 ] || compared "several chunks, damaged" "$work/chunks" --cuts $((places / 10)) --flips $((places / 10))
    rm -rf "$work/chunks"
done

# results NAME OPTION...: the chain's output is the same with both readers.
results()
{
    results_name=$1
    shift
    for reader in direct libotf2; do
        ok "$results_name, by $reader" "$TCFLOW" -q --no-progress -i "$work/large/traces.otf2" -o pipeline.reader=$reader "$@"
        mv "$work/.ok" "$work/$reader.out"
    done
    same "$results_name" "$work/direct.out" "$work/libotf2.out"
}

archive large random --seed 2 --ranks 30 --events 60000
results "print" -o pipeline.chain=print
results "check and wait_states" -o "pipeline.chain=check wait_states"
results "a survey that wants few events" -o "pipeline.chain=presync profile" -o pipeline.survey=clock_estimate

# 120 locations (30 ranks with threads), and a limit below them.
few()
{
    (ulimit -n 40 && "$TCFLOW" -q --no-progress -i "$work/large/traces.otf2" "$@")
}
"$TCFLOW" -q --no-progress -i "$work/large/traces.otf2" -o pipeline.chain=wait_states >"$work/many.out"
ok "more locations than files can be open" few -o pipeline.chain=wait_states
same "they have the same results" "$work/.ok" "$work/many.out"
fails 1 "libotf2's reader says what it needs" few -o pipeline.chain=wait_states -o pipeline.reader=libotf2
like "and what to do" "$(cat "$work/.fails")" 'limit is 40 .*reader = direct'

# A later version of the format: byte 7 of the anchor.
like "--check names the reader" "$("$TCFLOW" --check -i "$work/large/traces.otf2" -o pipeline.chain=pass)" \
    'traces.otf2: event files are read by direct \(as nothing asks for libotf2\)'
printf '\004' | dd of="$work/large/traces.otf2" bs=1 seek=7 conv=notrunc 2>/dev/null
like "a newer version is left to libotf2" "$("$TCFLOW" --check -i "$work/large/traces.otf2" -o pipeline.chain=pass 2>/dev/null)" \
    'read by libotf2 \(as version 4 of the format is newer than 3'
like "with a note" "$("$TCFLOW" --no-progress -i "$work/large/traces.otf2" -o pipeline.chain=pass 2>&1)" \
    'warning: .*event files are read by libotf2 \(as version 4'
fails 1 "direct refuses it" "$TCFLOW" -i "$work/large/traces.otf2" -o pipeline.chain=pass -o pipeline.reader=direct
like "and says why" "$(cat "$work/.fails")" 'version 4 of the format.*versions up to 3'

# What neither of them reads: bytes 28 and 29 of the anchor say how files are stored, and whether they are compressed.
for place in 28 29; do
    rm -rf "$work/other"
    cp -RL "$top_srcdir/examples/trace" "$work/other" && chmod -R u+w "$work/other"
    printf '\002' | dd of="$work/other/traces.otf2" bs=1 seek=$place conv=notrunc 2>/dev/null
    for reader in auto direct libotf2; do
        fails 1 "byte $place, $reader: it is refused" "$TCFLOW" -i "$work/other" -o pipeline.chain=pass -o pipeline.reader=$reader
        like "and not taken for damage" "$(cat "$work/.fails")" 'SION container or in memory; only plain files|the archive is compressed, and'
    done
done
done_testing
