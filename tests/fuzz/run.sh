#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# `make fuzz`: filters over traces of random and hostile values, and what writers and readers make of these; the reader of streams,
# several streams read as one, the decoder of event files, the parser of settings, and readers of other formats, with what the
# framework makes of what they say, under libFuzzer, with AddressSanitizer and UndefinedBehaviorSanitizer. RUNS (default 1000000)
# executions each, at most SECONDS_EACH, by random numbers from SEED on (default: another one each time); TARGETS (default "values
# copies stream merge events settings chrome csv hpctoolkit nsight perfetto projections"); JOBS (default: all cores) compilers, and
# then targets, at a time. FUZZ_CHECKS (default "address,undefined") are the sanitizers, which may be none, in a folder of their
# own then, FUZZ_BUILD.
# What it finds stays in tests/fuzz/ of the build folder. The inputs to start from are those in tests/fuzz/TARGET/, which found
# something once, and TARGET.tar.gz, a few that reach all that earlier runs have reached (-set_cover_merge=1 -use_counters=0).
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "${top_srcdir:-$here/../..}" && pwd)
built=${top_builddir:-$top/build}
build=${FUZZ_BUILD:-$built/tests/fuzz}
cc=${FUZZ_CC:-clang}
jobs=${JOBS:-$(nproc)}
checks=${FUZZ_CHECKS-address,undefined} checked=${checks:+-fsanitize=$checks}
flags="-std=gnu11 -g ${FUZZ_OPTIMISE:--O2} -fno-omit-frame-pointer ${checks:+-fno-sanitize-recover=$checks} -I$top/include -I$top -DDEFINITIONS_DANGLING_CAP=64
    -DSTREAM_FIRST_WAIT_MS=0 -DDIRECT_ALL_WAITING=65536 -DGATHER_LEAST_MEMORY=4096 -DSORTER_LEAST_RECORDS=256 -DSORTER_MOST_RUNS=8 -DPROJECTIONS_IDS_MOST=1024 -DPACKAGE_VERSION=\"fuzz\"
    ${FUZZ_CFLAGS:-$(pkg-config --cflags inih zlib) $(otf2-config --cflags)}"
for name in PLUGIN FILTERS PRESETS SOURCE LIBEXEC BUILD; do # no plugins are looked for
    flags="$flags -DTCFLOW_${name}_DIR=\"/nowhere\""
done
mkdir -p "$build/objects" "$build/plugins/shared"
commands=$build/commands # a line each, which are run side by side
: >"$commands"
headers=$(find "$top/framework" "$top/include" "$top/plugins" -name '*.h' -exec ls -t {} + 2>/dev/null | head -n 1)

# compile OBJECT SOURCE OPTION...: unless the object is newer than the source and all headers
compile()
{
    compile_to=$1 compile_from=$2
    shift 2
    [ -n "$(find "$compile_to" -newer "$compile_from" -newer "$headers" 2>/dev/null)" ] ||
        echo "$cc $(echo $flags | sed 's/"/\\"/g') $* -c -o $compile_to $compile_from" >>"$commands"
}
objects=
for file in $(find "$top/framework" "$built/framework" -name '*.c' ! -path '*/framework/mpi/*'); do # the second has what is generated
    object=$build/objects/$(basename "$file" .c).o
    case $file in
    */main.c | */command/tcflow.c) continue ;;
    */base/large_pages.c | */base/machine.c | */base/paths.c | */foreign/temporary.c) file=$here/$(basename "$file") ;; # what takes less time
    esac
    objects="$objects $object"
    case $file in # no input of a target gets there: counters would only take time
    */otf2_events.c | */otf2_file.c) looked_at="-fsanitize=fuzzer-no-link $checked" ;;
    */database*.c | */describe.c | */html*.c | */json.c | */otf2_*.c | */report.c) looked_at=$checked ;;
    *) looked_at="-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp $checked" ;; # a third of the time
    esac
    compile "$object" "$file" $looked_at
done

# Filters for the targets of made traces: each is a plugin, with symbols of its own, and links what it calls of plugins/shared.
case " ${TARGETS:=values copies stream merge events settings chrome csv hpctoolkit nsight perfetto projections} " in
*" values "* | *" copies "*)
    in_plugin="-fPIC -fvisibility=hidden -fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp $checked"
    for file in $(find "$top/plugins" -name '*.c' | LC_ALL=C sort); do
        name=${file#"$top/plugins/"}
        [ "${name%%/*}" = shared ] || grep -q '^TCF_FILTER = ' "$top/plugins/${name%%/*}/${name%%/*}.c" || continue
        mkdir -p "$build/plugins/${name%%/*}"
        compile "$build/plugins/${name%%/*}/$(echo "${name#*/}" | tr / -).o" "$file" $in_plugin
    done
    ;;
esac
tr '\n' '\0' <"$commands" | xargs -0 -r -n 1 -P "$jobs" sh -c
case " $TARGETS " in
*" values "* | *" copies "*)
    if [ ! -e "$build/plugins/shared.a" ] || [ -n "$(find "$build/plugins/shared" -name '*.o' -newer "$build/plugins/shared.a")" ]; then
        rm -f "$build/plugins/shared.a"
        ar rc "$build/plugins/shared.a" "$build"/plugins/shared/*.o
    fi
    for folder in "$build"/plugins/*/; do
        name=$(basename "$folder")
        plugin=$build/plugins/$name.so
        [ "$name" != shared ] || continue
        [ -e "$plugin" ] && [ -z "$(find "$folder" "$build/plugins/shared.a" -newer "$plugin" -type f)" ] ||
            $cc -shared $checked -o "$plugin" "$folder"*.o "$build/plugins/shared.a" -lz -lsqlite3 -lm
    done
    TCFLOW_FUZZ_PLUGINS=$build/plugins
    export TCFLOW_FUZZ_PLUGINS
    ;;
esac

# Freed memory is kept for less long than it might be: what is in no cache costs a third of the time. A find is run again without these.
ASAN_OPTIONS=quarantine_size_mb=1:thread_local_quarantine_size_kb=256:malloc_context_size=1:max_malloc_fill_size=0:clear_shadow_mmap_threshold=1000000000:allocator_release_to_os_interval_ms=-1${ASAN_OPTIONS:+:$ASAN_OPTIONS}
export ASAN_OPTIONS
# fuzz TARGET: links the target, and runs it.
fuzz()
{
    case $1 in
    merge | events) most=4000 ;;
    values | copies) most=600 ;; # some dozens of events
    stream) most=1500 ;;
    hpctoolkit) most=8000 ;;
    nsight) most=20000 ;; # pages of a database
    perfetto | projections) most=3000 ;;
    chrome) most=1500 ;;
    *) most=1000 ;;
    esac
    mkdir -p "$build/$1"
    found= # nothing yet
    [ ! -d "$here/$1" ] || found=$here/$1
    $cc $flags -fsanitize=fuzzer $checked -rdynamic -o "$build/fuzz-$1" "$here/fuzz_$1.c" $objects \
        ${FUZZ_LIBS:-$(pkg-config --libs inih zlib) $(otf2-config --ldflags --libs) -lltdl} -lyajl -lz -lsqlite3 -lm &&
        gzip -dc "$here/$1.tar.gz" | tar -x -f - -C "$build/$1" &&
        "$build/fuzz-$1" -artifact_prefix="$build/" -max_len=$most -timeout=20 -rss_limit_mb=2048 -entropic=0 \
            ${SECONDS_EACH:+-max_total_time=$SECONDS_EACH} ${SEED:+-seed=$SEED} -runs="${RUNS:-1000000}" "$build/$1" ${found:+"$found"}
}

# worker K: every jobs-th target, from the K-th on. What a target says stands in TARGET.log, and is shown at its end.
worker()
{
    turn=0 failed=0
    for target in $TARGETS; do
        turn=$((turn + 1))
        [ $((turn % jobs)) -eq "$1" ] || continue
        fuzz "$target" >"$build/$target.log" 2>&1 || failed=1
        cat "$build/$target.log"
    done
    return $failed
}
workers= status=0 k=0
trap 'trap - TERM; kill 0' INT TERM # processes in the background don't see a keyboard's interrupt
while [ "$k" -lt "$jobs" ]; do
    worker "$k" &
    workers="$workers $!"
    k=$((k + 1))
done
for process in $workers; do
    wait "$process" || status=1
done
exit $status
