#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Damaged archives: each ends in a message, in time, and with `salvage` in what is good; see damage.c. Two archives are
# damaged in some hundred ways, and the corpus holds files that once were trouble. DAMAGE_ROUNDS (default 0) adds rounds
# with other random damage, more of it, of some minutes each.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
LSAN_OPTIONS=suppressions=$top_srcdir/tests/support/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}
export LSAN_OPTIONS

have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"
rounds=${DAMAGE_ROUNDS:-0}
if [ -z "${TCFLOW_LONG:-}" ]; then
    small="--flips 1 --cuts 64" long="--flips 0 --cuts 64" seconds=300
else
    small="--flips 12 --cuts 12" long="--flips 4 --cuts 32" seconds=20
fi
# Where sanitizers are built in, what they find must show; libotf2 leaks where it fails.
ASAN_OPTIONS=detect_leaks=0:exitcode=99
UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:exitcode=99
export ASAN_OPTIONS UBSAN_OPTIONS

# damaged NAME FOLDER OPTION...: all is well with all damaged copies of an archive, whatever reads it.
damaged()
{
    damaged_by direct "$@"
    first=$1 second=$2
    shift 2
    damaged_by libotf2 "$first" "$second" --events-only "$@"
}

damaged_by()
{
    damaged_reader=$1
    damaged_name="$2, read by $1"
    folder=$3
    shift 3
    rm -rf "$work/scratch"
    mkdir "$work/scratch"
    "$top_builddir/tests/framework/damage/damage" --tcflow "$TCFLOW" --oracle "$top_builddir/tests/support/oracle/oracle" \
        --reader "$damaged_reader" --seconds "$seconds" "$@" "$folder" "$work/scratch" >"$work/table" 2>&1
    tap $? "$damaged_name"
    diag "$(head -c 8000 "$work/table")"
}

# archive NAME KIND OPTION...: makes one.
archive()
{
    archive_name=$1
    kind=$2
    shift 2
    timeout 60 "$generate" "$kind" --out "$work/$archive_name" "$@" >"$work/generate" 2>&1
    tap $? "the archive $archive_name is generated" || diag "$(cat "$work/generate")"
}

archive small random --seed 1 --ranks 4 --events 2500 --features p2p,nonblocking,collectives,attributes,metrics
archive long bench --locations 2 --events 64000 --chunk-kib 256
damaged "an archive of four locations" "$work/small" $small
damaged "an archive with several chunks in a file" "$work/long" --events-only $long

mkdir "$work/corpus"
cp -R "$top_srcdir/tests/framework/damage/corpus/." "$work/corpus"
chmod -R u+w "$work/corpus"
find "$work/corpus" -name '*.gz' -exec gzip -d {} +
damaged "the corpus" "$work/corpus" --overlays

round=1
while [ "$round" -le "$rounds" ]; do
    rm -rf "$work/small"
    archive small random --seed "$round" --ranks $((round % 4 + 1)) --events 2000 --features all,-mpi-threads
    damaged "round $round, random archive" "$work/small" --seed "$round" --flips 150
    damaged "round $round, several chunks" "$work/long" --seed "$round" --flips 60 --cuts 4
    round=$((round + 1))
done
done_testing
