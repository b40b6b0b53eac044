#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Where an archive is written to: nothing that exists is touched unless overwrite = yes, and never the input; under its
# name stands a complete archive or none, however the run ends; its definitions state what was really written.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

have otf2-print || skip_all "otf2-print is not installed (Debian: otf2-tools)"
oracle=$top_builddir/tests/support/oracle/oracle
cd "$work" || exit 1

timeout 60 "$generate" random --out in --seed 1 --ranks 3 --events 2000 --features p2p,collectives \
    --wrong-event-counts >generate 2>&1
tap $? "a trace is generated" || diag "$(cat generate)"

copy()
{
    tcflow -i in/traces.otf2 -o pipeline.chain=otf2_write "$@"
}

# All that lies in a folder, with its contents and times, in one number.
state()
{
    (cd "$1" && find . -exec stat -c '%n %F %s %i %Y %N' {} + | sort && find . -type f -exec cksum {} + | sort) | cksum
}

# readable ANCHOR: otf2-print reads all of it.
readable()
{
    otf2-print "$1" >printed 2>&1 && ! grep -q 'error:' printed
}

# kept NAME PATTERN STATUS OPTION...: the run ends with this status and such a message, and nothing changes in $work/in
# and whatever is in $work/there.
kept()
{
    kept_name=$1
    kept_pattern=$2
    kept_status=$3
    shift 3
    before="$(state in) $(state there)"
    if fails "$kept_status" "$kept_name" copy "$@"; then
        like "$kept_name: the message" "$(cat "$work/.fails")" "$kept_pattern"
        is "$kept_name: nothing is touched" "$(state in) $(state there)" "$before"
    fi
}

# Events of each location: as stated, and as they are.
stated()
{
    otf2-print -G "$1" 2>/dev/null | sed -nE 's/^LOCATION +([0-9]+) .*# Events: ([0-9]+).*/\1 \2/p' | sort
}
found()
{
    "$oracle" dump "$1" 2>/dev/null | awk '$1 ~ /^[0-9]+$/ { n[$1]++ } END { for (i in n) print i, n[i] }' | sort
}

# -------------------------------------------------------------------------------------------------------- what is there

mkdir there
ok "a new archive" copy -o otf2_write.path=there/out
ok "it is complete" readable there/out/traces.otf2
is "nothing else is left" "$(ls there)" out
kept "an archive that exists" "there/out exists already; 'overwrite = yes' replaces it" 2 -o otf2_write.path=there/out
kept "its name with a slash" 'exists already' 2 -o otf2_write.path=there/out/
echo text >there/file
kept "a file" 'there/file exists already' 2 -o otf2_write.path=there/file
kept "a file, with overwrite" 'there/file exists and is not a folder with an archive' 2 \
    -o otf2_write.path=there/file -o otf2_write.overwrite=yes
mkdir there/mine
echo text >there/mine/file
kept "a folder of something else, with overwrite" 'there/mine exists and is not a folder with an archive' 2 \
    -o otf2_write.path=there/mine -o otf2_write.overwrite=yes
ln -s nowhere there/link
kept "a symbolic link to nothing" 'there/link exists already' 2 -o otf2_write.path=there/link
mkdir there/left.incomplete
echo text >there/left.incomplete/file
ok "what is left of an earlier run is no obstacle" copy -o otf2_write.path=there/left
is "and stays" "$(ls there/left.incomplete) $(ls there/left)" "file traces
traces.def
traces.otf2"
mkdir there/empty
ok "an empty folder is filled" copy -o otf2_write.path=there/empty
ok "with an archive" readable there/empty/traces.otf2

before=$(stat -c %i there/out)
echo text >there/out/traces/999.evt
ok "overwrite = yes" copy -o otf2_write.path=there/out -o otf2_write.overwrite=yes
ok "the new archive is complete" readable there/out/traces.otf2
[ ! -e there/out/traces/999.evt ] && [ "$(stat -c %i there/out)" != "$before" ] && [ ! -e there/out.incomplete ]
tap $? "nothing of the old one is left"
echo text >there/out/notes
ok "overwrite = yes where something else lies, too" copy -o otf2_write.path=there/out -o otf2_write.overwrite=yes
is "what else lay there is kept" "$(cat there/out.old/notes)" text
echo more >there/out/notes
ok "once more, where PATH.old is taken" copy -o otf2_write.path=there/out -o otf2_write.overwrite=yes
is "what else lay there is kept beside it" "$(cat there/out.old/notes there/out.2.old/notes; ls -d there/out*)" "text
more
there/out
there/out.2.old
there/out.old"

# ------------------------------------------------------------------------------------------------------------ the input

ln -s in link
mkdir anchors
ln -s ../in/traces.otf2 anchors/traces.otf2
ln -s ../in/traces.def anchors/traces.def
ln -s ../in/traces anchors/traces
for path in in in/ ./in ../"$(basename "$work")"/in link link/ "$work/in"; do
    kept "output = input, as $path" 'is the input or a part of it' 2 -o otf2_write.path="$path" -o otf2_write.overwrite=yes
done
kept "output = input, without overwrite" 'exists already' 2 -o otf2_write.path=in
before=$(state in)
for anchor in link/traces.otf2 anchors/traces.otf2; do
    fails 2 "output = input, read as $anchor" tcflow -i "$anchor" -o pipeline.chain=otf2_write -o otf2_write.path=in \
        -o otf2_write.overwrite=yes
done
fails 2 "output = the folder of links through which the input is read" tcflow -i anchors/traces.otf2 \
    -o pipeline.chain=otf2_write -o otf2_write.path=anchors -o otf2_write.overwrite=yes
# An anchor elsewhere: its event files lie in the folder that is to be replaced.
mkdir split
cp in/traces.def split && cp -R in/traces split && ln -s ../in/traces.otf2 split/traces.otf2
split=$(state split)
fails 2 "output = the folder of the event files" tcflow -i split/traces.otf2 -o pipeline.chain=otf2_write \
    -o otf2_write.path=split -o otf2_write.overwrite=yes
is "they are still there" "$(state split)" "$split"
is "the input is untouched" "$(state in)" "$before"
mv in in.incomplete
ok "an unfinished archive is salvaged into its name" tcflow -q -i in.incomplete/traces.otf2 -o pipeline.chain=otf2_write \
    -o otf2_write.path=in -o otf2_write.overwrite=yes
ok "it is complete" readable in/traces.otf2
rm -r in
mv in.incomplete in
is "the input is still untouched" "$(state in)" "$before"

# ------------------------------------------------------------------------------------------------- where nothing can be

fails 2 "two write to one path" copy -o pipeline.chain="one two" \
    -o one.filter=otf2_write -o one.path=there/both -o one.overwrite=yes \
    -o two.filter=otf2_write -o two.path=there/both -o two.overwrite=yes
like "two write to one path: the message" "$(cat "$work/.fails")" "each needs a file of its own"
rm -rf there/both.incomplete
kept "no parent folder" "'there/no/such' cannot be created: No such file or directory" 2 \
    -o otf2_write.path=there/no/such
kept "a file as parent" "'there/file/out' cannot be created: Not a directory" 2 -o otf2_write.path=there/file/out
if [ "$(id -u)" -ne 0 ]; then
    mkdir read-only
    chmod a-w read-only
    kept "a read-only folder" "cannot be created: Permission denied" 2 -o otf2_write.path=read-only/out
else
    skip "a read-only folder" "root may write everywhere"
fi

timeout 60 "$generate" bench --locations 4 --events 400000 --out long >generate 2>&1
tap $? "a longer trace is generated" || diag "$(cat generate)"

# unfinished NAME FOLDER: only an incomplete archive is there, and no other name.
unfinished()
{
    is "$1: only PATH.incomplete is there" "$(ls "$2")" out.incomplete
}

# A file that may not grow: as on a full disk, but for one file. The limit counts in units of 512 bytes or 1 KiB.
mkdir limited
limited()
{
    trap '' XFSZ 2>/dev/null
    ulimit -f 300
    "$TCFLOW" -i long/traces.otf2 -o pipeline.chain=otf2_write -o otf2_write.path=limited/out -o otf2_write.writer="$1" -j "$2"
}
# A full disk, where this may be tried.
mkdir full
cat >full.sh <<'END'
mount -t tmpfs -o size=1m none full || exit 99
"$TCFLOW" -i long/traces.otf2 -o pipeline.chain=otf2_write -o otf2_write.path=full/out -o otf2_write.writer="$1" -j "$2"
status=$?
ls full >listed
exit $status
END
for writer in "direct 1" "libotf2 1" "direct 3"; do
    case $writer in
    direct*) large="'limited/out.incomplete/traces/[0-9]*.evt' cannot be written: File too large" \
        space="'full/out.incomplete/traces/[0-9]*.evt' cannot be written: No space" ;;
    libotf2*) large="limited/out.incomplete.*could not be written to its end" \
        space=" in 'full/out.incomplete': .*space" ;;
    esac
    (limited $writer >said 2>&1)
    is "$writer, files may not grow: exit status" "$?" 1
    like "$writer, files may not grow: the message" "$(cat said)" "tcflow: error: .*$large"
    unfinished "$writer, files may not grow" limited
    rm -rf limited/out.incomplete
    if unshare -m sh -c 'mount -t tmpfs -o size=1m none full' 2>/dev/null; then
        TCFLOW=$TCFLOW timeout 60 unshare -m sh full.sh $writer >said 2>&1
        is "$writer, a full disk: exit status" "$?" 1
        like "$writer, a full disk: the message" "$(cat said)" "tcflow: error: .*$space"
        is "$writer, a full disk: only PATH.incomplete is there" "$(cat listed)" out.incomplete
    else
        skip "$writer, a full disk" "not allowed to mount"
    fi
done

# --------------------------------------------------------------------------------------------------------- interruption

mkdir plugins
cat >plugins/slow.c <<'END'
#include <tcflow/filter.h>
#include <time.h>
static tcf_status slow_slice(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    nanosleep(&(struct timespec){0, 5000000}, NULL);
    return TCF_OK;
}
TCF_FILTER = {.head = TCF_FILTER_HEAD, .name = "slow", .version = "1", .summary = "Takes its time",
              .can = TCF_CAN_DOMAINS, .slice = slow_slice};
END
if ${CC:-cc} -std=gnu11 -fPIC -shared -I"$top_srcdir/include" -o plugins/slow.so plugins/slow.c 2>said; then
    # interrupted SIGNAL STATUS [DOMAINS]: when some events are written. Background jobs of a shell ignore SIGINT, so env resets it.
    interrupted()
    {
        rm -rf cut
        mkdir cut
        env --default-signal=INT,TERM,HUP "$TCFLOW" --plugin-path plugins -i long/traces.otf2 -o pipeline.chain="slow otf2_write" \
            -o pipeline.slice=256 -o otf2_write.path=cut/out -j "${3:-1}" >said 2>&1 &
        pid=$!
        tries=0
        while [ ! -e cut/out.incomplete/traces/0.evt ] && [ $tries -lt 600 ]; do
            sleep 0.1
            tries=$((tries + 1))
        done
        sleep 0.5
        kill -s "$1" $pid
        wait $pid 2>/dev/null
        is "exit status after SIG$1" "$?" "$2"
        unfinished "SIG$1" cut
    }
    for n in 3 1; do
        interrupted INT 130 $n
        # A location whose first event did not come has no event file, which otf2-print remarks upon.
        is "what was written until SIGINT is what its definitions state, domains: $n" \
            "$(stated cut/out.incomplete/traces.otf2 | grep -v ' 0$')" "$(found cut/out.incomplete/traces.otf2)"
        otf2-print cut/out.incomplete/traces.otf2 >printed 2>/dev/null
        is "otf2-print reads it, too, domains: $n" "$(grep -cE '^[A-Z_]+ +[0-9]+ +[0-9]+' printed)" \
            "$("$oracle" dump cut/out.incomplete/traces.otf2 2>/dev/null | grep -c '^[0-9]')"
        events=$("$oracle" dump cut/out.incomplete/traces.otf2 2>/dev/null | grep -c '^[0-9]')
        [ "$events" -gt 0 ] && [ "$events" -lt 400000 ]
        tap $? "it is a part, domains: $n: $events events"
    done
    interrupted TERM 143
    interrupted KILL 137
    ok "the next run leaves it" tcflow -i long/traces.otf2 -o pipeline.chain=otf2_write -o otf2_write.path=cut/out \
        -o otf2_write.overwrite=yes
    is "then the archive is there" "$(ls cut)" "out
out.incomplete"
    ok "and complete" readable cut/out/traces.otf2

    # A run that fails behind the last event: all that was written can be read, of locations without events, too.
    cat >plugins/fails.c <<'END'
#include <tcflow/filter.h>
static tcf_status fails_slice(tcf_self *self, tcf_slice *s)
{
    (void)self, (void)s;
    return TCF_OK;
}
static tcf_status fails_end(tcf_self *self)
{
    return self->host->fail(self, "no more");
}
TCF_FILTER = {.head = TCF_FILTER_HEAD, .name = "fails", .version = "1", .summary = "Fails in the end",
              .can = TCF_CAN_DOMAINS, .slice = fails_slice, .end = fails_end};
END
    ${CC:-cc} -std=gnu11 -fPIC -shared -I"$top_srcdir/include" -o plugins/fails.so plugins/fails.c
    timeout 60 "$generate" random --out empty --seed 2 --ranks 3 --events 2000 --features p2p --empty-locations 2 >generate 2>&1
    for n in 1 3; do
        rm -rf cut && mkdir cut
        fails 1 "a run that fails in its end, domains: $n" tcflow --plugin-path plugins -i empty/traces.otf2 -j $n \
            -o pipeline.chain="fails otf2_write" -o otf2_write.path=cut/out
        like "it says why, domains: $n" "$(cat "$work/.fails")" "no more"
        unfinished "a run that fails in its end, domains: $n" cut
        ok "what it leaves is whole, domains: $n" diff -r empty/traces cut/out.incomplete/traces
        is "its definitions are there, domains: $n" "$(stated cut/out.incomplete/traces.otf2)" "$(stated empty/traces.otf2)"
    done
else
    diag "$(cat said)"
    skip "interruption" "no compiler"
fi

# ----------------------------------------------------------------------------------------------------- what is in there

[ "$(stated in/traces.otf2)" != "$(found in/traces.otf2)" ]
tap $? "the input states wrong numbers of events"
is "the copy states the true ones" "$(stated there/out/traces.otf2)" "$(found there/out/traces.otf2)"
is "which are those of the input" "$(found there/out/traces.otf2)" "$(found in/traces.otf2)"

# clock ANCHOR: global offset and trace length as stated; span ANCHOR: as they are.
clock()
{
    otf2-print -G "$1" 2>/dev/null | sed -nE 's/^CLOCK_PROPERTIES .*Global Offset: ([0-9]+), Length: ([0-9]+).*/\1 \2/p'
}
span()
{
    "$oracle" dump "$1" 2>/dev/null | awk '/^[0-9]/ { print $3 }' | sort -n | sed -n '1p;$p' | {
        read -r first
        read -r last
        echo "$first $((last - first))"
    }
}
is "an unchanged trace keeps its clock properties" "$(clock there/out/traces.otf2)" "$(clock in/traces.otf2)"
if ${CC:-cc} -std=gnu11 -fPIC -shared -I"$top_srcdir/include" -o plugins/shift.so \
    "$top_srcdir/examples/custom-filter/shift.c" 2>said; then
    ok "a copy with times changed" tcflow --plugin-path plugins -i in/traces.otf2 -o pipeline.chain="shift otf2_write" \
        -o shift.by=5s -o otf2_write.path=shifted
    is "its clock properties are those of what was written" "$(clock shifted/traces.otf2)" "$(span shifted/traces.otf2)"
    [ "$(span shifted/traces.otf2)" != "$(span in/traces.otf2)" ]
    tap $? "which have changed"
else
    skip "a copy with times changed" "no compiler"
fi
done_testing
