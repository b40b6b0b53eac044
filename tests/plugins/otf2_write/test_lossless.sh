#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# A copy is what it was copied from: otf2-print prints both alike, and the stored times and fields of every event are
# equal. Over an archive with every kind of record, over random traces, and the bundled one; alone in the chain and
# behind a filter that needs causal order; with slices of several sizes. SEEDS (default 2) random traces a kind.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
LSAN_OPTIONS=suppressions=$top_srcdir/tests/support/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}
export LSAN_OPTIONS

have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"
oracle=$top_builddir/tests/support/oracle/oracle
slices="1 7 0"
[ -n "${TCFLOW_LONG:-}" ] || slices=7

# What otf2-print says of an archive. Left out is what is rightly different in a copy: the version of libotf2 that wrote
# it, and its chunk sizes.
printed()
{
    otf2-print -I "$1" 2>"$work/said" | grep -vE '^(Version|Chunk size) '
    otf2-print -G -C -T "$1" 2>>"$work/said"
    otf2-print "$1" 2>>"$work/said"
    grep -v '^\[OTF2\]' "$work/said" # libotf2 on files that aren't there, by their full paths
}

# The number of events that a location's definition states; in a copy it is always the true one.
without_counts()
{
    sed -E '/^LOCATION /s/# Events: [0-9]+/# Events: N/'
}

# Which files there are, and the contents of those that otf2-print doesn't show. A copy has local definitions for
# every location, even where there are none to be written.
files()
{
    (cd "$1" && find . -name "$2*" -o -path "./$2/*" | sed "s/^.\/$2/traces/" | grep -v '/[0-9]*\.def$' | sort)
    cat "$1/$2".*.thumb 2>/dev/null | cksum
    cat "$1/$2.marker" "$1/$2"/*.snap 2>/dev/null | cksum
}

# take ANCHOR [FILTER]: what is to be found in every copy of it. FILTER goes over what otf2-print says.
take()
{
    anchor=$1
    filter=${2:-cat}
    printed "$anchor" | $filter >"$work/original.print"
    "$oracle" dump "$anchor" >"$work/original.dump" 2>/dev/null
    files "$(dirname "$anchor")" "$(basename "$anchor" .otf2)" >"$work/original.files"
}

# copied [option...]: makes a copy of the trace taken, and compares. Says nothing if all is well.
copied()
{
    rm -rf "$work/copy" "$work/health"
    timeout 120 "$TCFLOW" -q -i "$anchor" -o otf2_write.path="$work/copy" "$@" || return 1
    printed "$work/copy/traces.otf2" | $filter >"$work/copy.print"
    "$oracle" dump "$work/copy/traces.otf2" >"$work/copy.dump" 2>/dev/null
    files "$work/copy" traces >"$work/copy.files"
    for what in print dump files; do
        diff "$work/original.$what" "$work/copy.$what" >"$work/differences" && continue
        echo "$what, options $*:"
        head -n 6 "$work/differences" | cut -c 1-200
        return 1
    done
}

# all_copies: several ways to make a copy of the trace taken.
all_copies()
{
    status=0
    for slice in $slices; do
        [ "$slice" = 1 ] || copied -o pipeline.slice="$slice" -o pipeline.chain=otf2_write || status=1
        [ "$slice" = 7 ] ||
            copied -o pipeline.slice="$slice" -o pipeline.chain="check otf2_write" -o check.output="$work/health" ||
            status=1
    done
    return $status
}

# EZTrace, which recorded it, states wrong numbers of events.
take "$top_srcdir/examples/trace/traces.otf2" without_counts
ok "the bundled trace" all_copies
[ -s "$work/original.print" ] && [ -s "$work/original.dump" ]
tap $? "it prints at all"
ok "behind a filter that changes nothing" copied -o pipeline.chain="pass otf2_write"
ok "smaller chunks than the original's" copied -o pipeline.chain=otf2_write -o otf2_write.chunk=256KiB

mkdir "$work/renamed"
for f in "$top_srcdir"/examples/trace/traces*; do
    cp -R "$f" "$work/renamed/halo.new${f##*/traces}"
done
take "$work/renamed/halo.new.otf2" without_counts
ok "an anchor file of another name" copied -o pipeline.chain=otf2_write

"$generate" everything --out "$work/everything" >"$work/generate" 2>&1
tap $? "an archive of every kind of record is generated" || diag "$(cat "$work/generate")"
anchor=$(ls "$work"/everything/*.otf2)
take "$anchor"
ok "every kind of record" all_copies
like "local definitions that are not written are told" \
    "$(tcflow -i "$anchor" -o pipeline.chain=otf2_write -o otf2_write.path="$work/told" -o pipeline.salvage=yes 2>&1)" \
    'otf2_write: [1-9][0-9]* definitions in the files of single locations are not written'
is "its thumbnails are there" "$(ls "$work/copy" | grep -c 'thumb$')" "$(ls "$work/everything" | grep -c 'thumb$')"
for what in marker thumb snap; do
    find "$work/copy" -name "*.$what" | grep -q .
    tap $? "its copy has a file of kind .$what"
done

# random NAME FILTER OPTIONS...: FILTER goes over what otf2-print says.
random()
{
    name=$1
    filter=$2
    shift 2
    why=
    for seed in $(seeds_of 2); do
        rm -rf "$work/trace"
        if timeout 60 "$generate" random --out "$work/trace" --seed "$seed" --ranks $((seed % 5 + 2)) \
            --events 1500 "$@" >"$work/generate" 2>&1; then
            take "$work/trace/traces.otf2" "$filter"
            all_copies >"$work/why" 2>&1 || why="$why seed $seed: $(head -n 8 "$work/why")"
        else
            why="$why seed $seed is not generated: $(head -n 1 "$work/generate")"
        fi
    done
    is "$name: random traces" "$why" ""
}

random "all features" cat --features all,-mpi-threads
random "messages and threads" cat --features p2p,nonblocking,any-source,mpi-threads
random "clocks that are off, sparse ids" cat --features all,-mpi-threads --clock-offset-ns 1000000000 \
    --clock-drift-ppm 100 --clock-offset-records 5 --sparse-locations --sparse-regions
random "shuffled and repeated definitions" cat --features all,-mpi-threads --shuffle-definitions --repeat-definitions
random "definitions of its own for every rank" cat --features p2p,collectives,subcomms,attributes --regions-per-rank \
    --comms-per-rank
random "locations without events, without files, that end early" cat --features p2p,collectives,openmp \
    --empty-locations 2 --missing-locations 2 --end-early 0.3
random "wrong numbers of events" without_counts --features p2p,collectives --wrong-event-counts
random "lost messages" cat --features p2p,nonblocking,collectives --lose-sends 0.05 --lose-receives 0.05 \
    --never-complete 0.2

# Event files of more than one chunk.
"$generate" bench --locations 3 --events 250000 --chunk-kib 256 --out "$work/long" >"$work/generate" 2>&1
tap $? "a trace of several chunks is generated" || diag "$(cat "$work/generate")"
take "$work/long/traces.otf2"
ok "several chunks" copied -o pipeline.chain=otf2_write
ok "several chunks, in causal order" copied -o pipeline.chain="check otf2_write" -o check.output="$work/health"
rm -rf "$work/long"

done_testing
