#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The rule of framework/base/output.h holds for all outputs: nothing that exists is written to or removed before PATH itself is
# replaced, no link is followed, an interrupted stream can be salvaged into its own name, and no output replaces an input.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

cd "$work" || exit 1
trace=$top_srcdir/examples/trace/traces.otf2
bin=$top_builddir

# write KIND PATH [OPTION...]: the output of a kind
write()
{
    kind=$1 path=$2
    shift 2
    case $kind in
    report) run check "$path" output -o check.format=csv "$@" ;;
    print) run print "$path" output "$@" ;;
    stream) run stream_write "$path" path "$@" ;;
    perfetto) run perfetto_trace "$path" path "$@" ;;
    archive) run otf2_write "$path" path "$@" ;;
    knots) run skew "$path" truth -o skew.offset=1ms "$@" ;;
    estimate) run clock_report /dev/null output -o pipeline.survey=clock_estimate -o clock_estimate.knots="$path" \
        -o clock_estimate.overwrite_knots=no "$@" ;;
    database) run "check profile" /dev/null output -o profile.output=/dev/null -o pipeline.database="$path" "$@" ;;
    page) run check /dev/null output -o pipeline.html_report="$path" "$@" ;;
    diff) "$bin/tcflow-diff" --html "$path" a.sqlite b.sqlite ;;
    synth) rm -rf made && "$bin/tcflow-synth" --events 100 --truth "$path" made ;;
    simulated) "$bin/tcflow-synth" --events 100 "$path" ;;
    calibrate) "$bin/tcflow-calibrate" --copy none --from loops/traces.otf2 -o "$path" ;;
    esac
}

# run FILTER PATH KEY [OPTION...]
run()
{
    filter=$1 path=$2 key=$3
    shift 3
    tcflow -q -i "$trace" -o "pipeline.chain=$filter" -o "${filter%% *}.$key=$path" "$@"
}

# of FILE...: contents, links and numbers of links
of()
{
    for file; do
        [ -e "$file" ] || [ -L "$file" ] || continue
        echo "$file $(stat -c '%F %h' "$file") $(readlink "$file") $([ -f "$file" ] && cksum <"$file")"
    done
}

kinds="report print stream perfetto archive knots estimate synth simulated"
write database a.sqlite 2>said && write database b.sqlite && kinds="$kinds database diff"
write page a.html 2>said && kinds="$kinds page"
"$bin/tcflow-synth" --events 2000 loops >/dev/null
write calibrate probe >said 2>&1 && kinds="$kinds calibrate"

for kind in $kinds; do
    rm -rf there
    mkdir there
    echo precious >there/file.incomplete
    echo victim >there/victim
    ln -s victim there/link.incomplete
    ln there/victim there/hard.incomplete
    mkfifo there/pipe.incomplete
    mkdir there/folder.incomplete
    mkdir there/two.incomplete there/two.2.incomplete
    before=$(of there/*)
    for name in file link hard pipe folder two; do
        write "$kind" "there/$name" >said 2>&1 || { tap 1 "$kind beside $name.incomplete"; diag "$(cat said)"; continue; }
        tap "$([ -s "there/$name" ] && [ ! -L "there/$name" ]; echo $?)" "$kind beside $name.incomplete"
        rm -rf "there/$name"
    done
    is "$kind: what was there is as it was" "$(of there/*)" "$before"
done

# What a run replaces stays as it is, whoever else has it by another name, and a new file takes its place.
# overwriting KIND PATH: as write(), with leave to replace
overwriting()
{
    case $1 in
    report) write "$1" "$2" -o check.overwrite=yes ;;
    print) write "$1" "$2" -o print.overwrite=yes ;;
    stream) write "$1" "$2" -o stream_write.overwrite=yes ;;
    perfetto) write "$1" "$2" -o perfetto_trace.overwrite=yes ;;
    archive) write "$1" "$2" -o otf2_write.overwrite=yes ;;
    knots) write "$1" "$2" -o skew.overwrite=yes ;;
    estimate) write "$1" "$2" -o clock_estimate.overwrite_knots=yes ;;
    database | page) write "$1" "$2" -o pipeline.overwrite=yes ;;
    diff) "$bin/tcflow-diff" --overwrite --html "$2" a.sqlite b.sqlite ;;
    synth) rm -rf made && "$bin/tcflow-synth" --overwrite --events 100 --truth "$2" made ;;
    simulated) "$bin/tcflow-synth" --overwrite --events 100 "$2" ;;
    calibrate) "$bin/tcflow-calibrate" --force --copy none --from loops/traces.otf2 -o "$2" ;;
    esac
}
for kind in $kinds; do
    rm -rf there
    mkdir there
    if [ "$kind" = calibrate ]; then cp probe there/out; else write "$kind" there/out >said 2>&1; fi
    [ -d there/out ] || ln there/out there/other
    before=$(of there/other)
    overwriting "$kind" there/out >said 2>&1 || { tap 1 "$kind: overwrite"; diag "$(cat said)"; }
    is "$kind: the old file is as it was, but for its name" "$(of there/other | sed 's/file [0-9]/file N/')" \
        "$(echo "$before" | sed 's/file [0-9]/file N/')"
    [ -d there/out ] || is "$kind: the new one is another" "$(of there/out | sed 's/.*file \([0-9]\).*/\1/')" 1
done

# A complete output is on the disk before it gets its name, and the name after that.
if ${CC:-cc} -O1 -shared -fPIC -o noted.so "$top_srcdir/tests/framework/noted_syncs.c" -ldl 2>said &&
    ! is_instrumented; then
    for kind in $kinds; do
        rm -rf there syncs
        mkdir there
        (
            export SYNCS="$work/syncs" LD_PRELOAD="$work/noted.so"
            overwriting "$kind" there/out
        ) >said 2>&1
        is "$kind is synced, renamed, and synced by name" "$(grep there syncs | sed "s|$work/||g; s|sync there/out.incomplete.*|sync file|")" \
"sync file
rename there/out.incomplete there/out
sync there"
    done
else
    skip "syncs" "the program can't be looked at"
fi

write stream whole.tcf
# Two writers of one output: the second is refused, or writes a file of its own; none is mixed.
mkfifo slow
for kind in report print stream perfetto database page archive; do
    case " $kinds " in *" $kind "*) ;; *) continue ;; esac
    rm -rf there
    mkdir there
    (trace=stream:slow write "$kind" there/out >said.first 2>&1; echo $? >status.first) &
    first=$!
    exec 8>slow
    head -c 3000 whole.tcf >&8
    tries=0
    while [ "$kind" != report ] && [ "$kind" != database ] && [ "$kind" != page ] && [ ! -e there/out.incomplete ] && [ $tries -lt 100 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    write "$kind" there/out >said.second 2>&1
    second=$?
    tail -c +3001 whole.tcf >&8
    exec 8>&-
    wait $first
    case $kind in
    print | stream | perfetto | archive)
        is "two writers of one $kind: the second is refused" "$second $(cat status.first)" "2 0"
        like "and told why" "$(cat said.second)" 'is being written by another filter or run'
        ;;
    *)
        is "two writers of one $kind: the first one's file stays" "$second $(cat status.first)" "0 1"
        like "and the other is told where its results are" "$(cat said.first)" 'exists already; the results are in'
        ;;
    esac
    cp -R there/out kept
    rm -rf there/*
    write "$kind" there/out >said 2>&1
    if [ "$kind" = stream ]; then # its frames depend on when the events came
        for file in kept there/out; do
            "$TCFLOW" -q -i "stream:$file" -o pipeline.chain=print >events && mv events "$file"
        done
    fi
    [ "$kind" = page ] || [ "$kind" = database ] || [ "$kind" = perfetto ] || ok "$kind: what is there is one writer's" diff -r there/out kept
    rm -rf kept
done

# An interrupted stream, salvaged into the name that it was to have.
head -c "$(($(wc -c <whole.tcf) / 2))" whole.tcf >s.tcf.incomplete
before=$(of s.tcf.incomplete)
for by in stream:s.tcf.incomplete -; do
    rm -f s.tcf
    fails 1 "a salvaged stream: the loss is told" tcflow -i "$by" -o pipeline.salvage=yes -o pipeline.chain=stream_write \
        -o stream_write.path=s.tcf <s.tcf.incomplete
    fails 1 "it can be read" tcflow -i stream:s.tcf -o pipeline.chain=pass
    like "with events" "$(cat .fails)" 'lost what follows event [1-9][0-9]'
    is "what it was made of is as it was" "$(of s.tcf.incomplete)" "$before"
done
for kind in report database page; do
    case " $kinds " in *" $kind "*) ;; *) continue ;; esac
    trace=stream:s.tcf.incomplete write "$kind" s.tcf -o pipeline.salvage=yes -o pipeline.overwrite=yes -o check.overwrite=yes \
        >/dev/null 2>&1
    is "as input of a $kind: it is as it was" "$(of s.tcf.incomplete)" "$before"
done

# An input is not replaced, whichever of several it is, whether it is read here or by a process in front.
for part in m0 m1; do
    cp -R "$(dirname "$trace")" "$part"
    chmod -R u+w "$part"
done
cp whole.tcf in.tcf
before=$(of in.tcf m?/traces.* m?/traces/*)
# refused NAME INPUT... -- OPTION...
refused()
{
    name=$1
    shift
    fails 2 "$name" tcflow "$@"
    like "$name: the message" "$(cat .fails)" 'is the input or a part of it'
}
refused "the stream that is read" -i stream:in.tcf -o pipeline.chain=stream_write -o stream_write.path=in.tcf -o stream_write.overwrite=yes
fails 2 "from standard input" sh -c '"$0" -i - -o pipeline.chain=stream_write -o stream_write.path=in.tcf \
    -o stream_write.overwrite=yes <in.tcf' "$TCFLOW"
own=$trace trace=m0/traces.otf2
for kind in report print stream perfetto knots estimate database page; do
    case " $kinds " in *" $kind "*) ;; *) continue ;; esac
    for file in traces.otf2 traces.def traces/0.evt; do
        overwriting "$kind" "m0/$file" >said 2>&1
        is "$kind onto $file: refused" "$?" 2
        like "$kind onto $file: the message" "$(cat said)" 'is the input or a part of it|exists and is no'
    done
done
trace=$own
case " $kinds " in
*" diff "*)
    before_diff=$(of a.sqlite b.sqlite)
    for file in a.sqlite b.sqlite; do
        "$bin/tcflow-diff" --overwrite --html $file a.sqlite b.sqlite >said 2>&1
        is "a page of tcflow-diff onto $file: refused" "$?" 2
    done
    is "and the databases are as they were" "$(of a.sqlite b.sqlite)" "$before_diff"
    mkdir -p a
    ok "a folder that is called as a database is no part of it" "$bin/tcflow-diff" --html a/page.html a.sqlite b.sqlite
    ;;
esac
mkdir -p in
for overwrite in no yes; do
    ok "nor is one that is called as a stream" tcflow -q -i stream:in.tcf -o pipeline.chain=print -o print.output=in/events -o print.overwrite=$overwrite
done
"$bin/tcflow-calibrate" --force --copy none --from loops/traces.otf2 -o loops/traces.otf2 >said 2>&1
is "tcflow-calibrate onto its input: refused" "$?" 2
ok "which can be read" tcflow -q -i loops/traces.otf2 -o pipeline.chain=pass
refused "the second of two inputs" -i stream:in.tcf -i m1/traces.otf2 -o pipeline.chain=otf2_write -o otf2_write.path=m1 \
    -o otf2_write.overwrite=yes
mkdir elsewhere
(cd m1 && tcflow -q -i traces.otf2 -o pipeline.chain=stream_write -o stream_write.path=-) >piped.tcf
fails 2 "over a pipe, with a relative path" sh -c 'cd elsewhere && "$0" -i - -o pipeline.chain=otf2_write \
    -o otf2_write.path=../m1 -o otf2_write.overwrite=yes <../piped.tcf' "$TCFLOW"
like "over a pipe: the message" "$(cat "$work/.fails")" 'is the input or a part of it'

# A file that a parameter names is read, too, and so are the settings.
printf '[pipeline]\nchain = check\n' >used.ini
printf 'SCOREP_REGION_NAMES_BEGIN\nEXCLUDE x\nSCOREP_REGION_NAMES_END\n' >used.filter
ln used.ini hard.ini
kept=$(of used.*)
for file in used.ini ./used.ini hard.ini; do
    fails 2 "the settings, as $file" "$TCFLOW" -c used.ini -i m0 -o check.output=$file -o check.overwrite=yes
    like "the settings, as $file: the message" "$(cat "$work/.fails")" "check.output: '$file' is read \\(the settings\\), and would be overwritten"
done
fails 2 "a filter file" "$TCFLOW" -i m0 -o pipeline.chain="select check" -o select.filter_file=used.filter -o check.output=used.filter \
    -o check.overwrite=yes
like "a filter file: the message" "$(cat "$work/.fails")" "check.output: 'used.filter' is read \\(select.filter_file\\)"
is "they have not changed" "$(of used.*)" "$kept"

# Standard files that are closed, or are files with names of their own.
for closed in '>&-' '<&- >&-' '>&- 2>&-' '<&- >&- 2>&-'; do
    rm -rf copied
    sh -c '"$0" -q -i m0/traces.otf2 -o pipeline.chain="otf2_write check" -o otf2_write.path=copied '"$closed" "$TCFLOW" 2>said
    is "results for a standard output that is closed ($closed): the run fails" "$?" 1
    is "and their text is in no file" "$(cat copied* copied*/* copied*/*/* 2>/dev/null | grep -c clock_violations)" 0
done
ln -s /proc/self/fd/1 out.link
"$TCFLOW" -q -i m0 -o pipeline.chain=check -o check.output=out.link -o check.overwrite=yes >out.file 2>said
is "a link to standard output, which is a file: refused" "$? $(readlink out.link)" "2 /proc/self/fd/1"
like "and told" "$(cat said)" "output 'out.link' is what standard input, output or error of this run is"
"$TCFLOW" -q -i m0 -o pipeline.chain=check -o check.output=out.file -o check.overwrite=yes >out.file 2>said
is "the file that standard output is: refused" "$?" 2
"$TCFLOW" -q -i m0 -o pipeline.chain=check -o check.output=out.link | grep -q clock_violations
is "a link to a pipe takes results" "$?" 0
is "no input has changed" "$(of in.tcf m?/traces.* m?/traces/*)" "$before"

done_testing
