#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# `make fuzz`: the reader of streams, several streams read as one, the decoder of event files, the parser of settings, and readers of
# other formats, with what the framework makes of what they say, under libFuzzer, with AddressSanitizer and UndefinedBehaviorSanitizer. RUNS (default 1000000) executions each, at most SECONDS_EACH;
# TARGETS (default "stream merge events settings chrome csv hpctoolkit nsight perfetto projections").
# What it finds stays in tests/fuzz/ of the build folder. The inputs to start from are those in tests/fuzz/TARGET/, which found
# something once, and TARGET.tar.gz, a few that reach all that earlier runs have reached (-set_cover_merge=1 -use_counters=0).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "${top_srcdir:-$here/../..}" && pwd)
build=${top_builddir:-$top/build}/tests/fuzz
cc=${FUZZ_CC:-clang}
flags="-std=gnu11 -g -O2 -fno-omit-frame-pointer -fno-sanitize-recover=undefined -I$top/include -I$top -DDEFINITIONS_DANGLING_CAP=64
    -DSTREAM_FIRST_WAIT_MS=0 -DPACKAGE_VERSION=\"fuzz\"
    ${FUZZ_CFLAGS:-$(pkg-config --cflags inih zlib) $(otf2-config --cflags)}"
for name in PLUGIN FILTERS PRESETS SOURCE LIBEXEC BUILD; do # no plugins are looked for
    flags="$flags -DTCFLOW_${name}_DIR=\"/nowhere\""
done
mkdir -p "$build/objects"
objects=
newest=$(find "$top/framework" "$top/include/tcflow" -name '*.h' -exec ls -t {} + | head -n 1)
for file in $(find "$top/framework" "$build/../../framework" -name '*.c' ! -path '*/framework/mpi/*'); do # the second has what is generated
    object=$build/objects/$(basename "$file" .c).o
    case $file in
    */main.c | */command/tcflow.c) continue ;;
    esac
    objects="$objects $object"
    case $file in # no input of a target gets there: counters would only take time
    */otf2_events.c | */otf2_file.c) looked_at="fuzzer-no-link,address,undefined" ;;
    */database*.c | */describe.c | */html*.c | */json.c | */otf2_*.c | */report.c) looked_at=address,undefined ;;
    *) looked_at="fuzzer-no-link,address,undefined -fno-sanitize-coverage=trace-cmp" ;; # a third of the time
    esac
    if [ -z "$(find "$object" -newer "$file" -newer "$newest" 2>/dev/null)" ]; then
        $cc $flags -fsanitize=$looked_at -c -o "$object" "$file"
    fi
done
# Freed memory is kept for less long than it might be: what is in no cache costs a third of the time.
ASAN_OPTIONS=quarantine_size_mb=8:malloc_context_size=4${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS
for target in ${TARGETS:-stream merge events settings chrome csv hpctoolkit nsight perfetto projections}; do
    case $target in
    merge | events) most=4000 ;;
    stream) most=1500 ;;
    hpctoolkit) most=8000 ;;
    nsight) most=20000 ;; # pages of a database
    perfetto | projections) most=3000 ;;
    *) most=1000 ;;
    esac
    $cc $flags -fsanitize=fuzzer,address,undefined -o "$build/fuzz-$target" "$here/fuzz_$target.c" $objects \
        ${FUZZ_LIBS:-$(pkg-config --libs inih zlib) $(otf2-config --ldflags --libs) -lltdl} -lyajl -lz -lsqlite3 -lm
    mkdir -p "$build/$target"
    found= # nothing yet
    [ ! -d "$here/$target" ] || found=$here/$target
    gzip -dc "$here/$target.tar.gz" | tar -x -f - -C "$build/$target"
    "$build/fuzz-$target" -artifact_prefix="$build/" -max_len=$most -timeout=20 -rss_limit_mb=2048 -entropic=0 \
        ${SECONDS_EACH:+-max_total_time=$SECONDS_EACH} -runs="${RUNS:-1000000}" "$build/$target" ${found:+"$found"}
done
