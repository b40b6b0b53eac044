#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Event files that aren't in memory: they are read ahead by a thread of its own where locations are read in turn, and results
# are the same. Which bytes are in memory is made up (cold_files.c).
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

cd "$work" || exit 1
${CC:-cc} -O1 -shared -fPIC -o cold.so "$top_srcdir/tests/framework/cold_files.c" 2>said || skip_all "no compiler"
! is_instrumented || skip_all "a sanitizer or valgrind is loaded first"
"$generate" bench --locations 4 --events 600000 --out trace >/dev/null

begins=$((4 * 16 * 1024)) # of the four files
# run HOW THREADS CHAIN: its report and copy, and the bytes that other threads have wanted
run()
{
    rm -rf report copy count
    env ${1:+COLD=$1} COUNTED="$work/count" WAIT_FOR=$([ $3 = check ] && echo $begins) ${1:+LD_PRELOAD=$work/cold.so} "$TCFLOW" -q \
        --no-progress -j "$2" -i trace/traces.otf2 -o "pipeline.chain=$3 otf2_write" -o "$3.output=report" -o otf2_write.path=copy \
        >stdout 2>said || diag "$(cat said)"
}

for chain in check profile; do
    run "" 1 $chain
    mv report report.warm && mv copy copy.warm
    for how in never sometimes; do
        for threads in 1 2; do
            run $how $threads $chain
            ok "$chain, in memory $how, $threads threads: the same report" cmp report report.warm
            ok "$chain, in memory $how, $threads threads: the same copy" diff -r copy/traces copy.warm/traces
            [ $threads = 1 ] || continue
            if [ $chain = check ]; then
                ok "$chain, in memory $how: files are read ahead" [ "$(cat count)" -ge $begins ]
            else
                is "$chain, in memory $how: one location after another is not read ahead" "$(cat count)" 0
            fi
        done
    done
    rm -rf report.warm copy.warm
done

done_testing
