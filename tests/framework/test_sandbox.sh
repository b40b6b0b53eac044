#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# The sandbox, without being asked for: a plugin reaches what its parameters name, and no other file, program, process or
# socket; what tcflow itself needs stays: inputs of all kinds, links among them, outputs, temporary files, sockets that are in
# use, the pager and the program that makes pages.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

cd "$work" || exit 1
trace=$top_srcdir/examples/trace/traces.otf2
mkdir plugins in out elsewhere temporary
TMPDIR=$work/temporary
export TMPDIR
${CC:-cc} -std=gnu11 -fPIC -shared -I"$top_srcdir/include" -o plugins/nosy.so "$top_srcdir/tests/framework/nosy.c" 2>said ||
    skip_all "no compiler: $(head -n 1 said)"

says=$(tcflow --check -i "$trace" -o pipeline.chain=pass)
like "--check says what is restricted, and why not more" "$says" \
    '^(sandbox: (files by Landlock [0-9]+|files are not restricted \(.*\)); (system calls by seccomp|system calls are not restricted \(.*\))|no sandbox.*)$'
like "off" "$(tcflow --check -i "$trace" -o pipeline.chain=pass -o pipeline.sandbox=off)" '^no sandbox$'
fails 2 "another word" tcflow --check -i "$trace" -o pipeline.chain=pass -o pipeline.sandbox=maybe

files=no calls=no
case $says in *"files by Landlock"*) files=yes ;; esac
case $says in *"system calls by seccomp"*) calls=yes ;; esac
if [ $files$calls = yesyes ]; then
    ok "on" tcflow -q -i "$trace" -o pipeline.chain=pass -o pipeline.sandbox=on
else
    case $says in
    *"no sandbox"*) diag "$says" ;; # an instrumented program is restricted where that is asked for alone
    *)
        fails 2 "on, where the system lacks something" tcflow -q -i "$trace" -o pipeline.chain=pass -o pipeline.sandbox=on
        like "that is said" "$(cat .fails)" 'no Landlock|no seccomp|libseccomp'
        ;;
    esac
fi

# nosy OPTION...: what the filter found
nosy()
{
    echo secret >elsewhere/file
    echo its own >in/file
    NOSY=$work/elsewhere/file tcflow --plugin-path plugins -i "$trace" -o pipeline.chain=nosy -o nosy.input=in/file \
        -o nosy.output=out/file "$@" 2>&1 | sed -n 's/.*nosy: //p'
}
answer()
{
    printf '%s\n' "$found" | sed -n "s/^$1: //p"
}
found=$(nosy -o pipeline.sandbox=off)
is "without a sandbox a plugin does what the user may do: another file" "$(answer "another file")" done
is "a program" "$(answer "a program")" 0
is "shared memory" "$(answer "shared memory")" done
is "the mode of a file" "$(answer "the mode of a file")" done
rm -f elsewhere/* out/*
found=$(nosy)
for what in "its input" "its output" "a temporary file"; do
    is "$what is there" "$(answer "$what")" done
done
if [ $files = yes ]; then
    for what in "its input, to write" "another file" "another file, to write" "a new file" "removal" "the users"; do
        is "$what is not" "$(answer "$what")" EACCES
    done
    is "and what isn't the plugin's is as it was" "$(ls elsewhere; cat elsewhere/file in/file)" "$(printf 'file\nsecret\nits own')"
    is "temporary files leave nothing behind" "$(ls temporary)" ""
else
    skip "files" "$says"
fi
# It holds for each preset, and for each reader of another format.
everything()
{
    printf '%s\n' "$found" | sed -n -E 's/^(its input, to write|another file|another file, to write|a new file|removal|the users|a program|a socket|a signal|shared memory|the mode of a file): //p' |
        sort | uniq -c | tr -s ' ' | tr '\n' ';'
}
with_all=" 1 77; 6 EACCES; 1 EAFNOSUPPORT; 3 EPERM;"
if [ $files$calls = yesyes ]; then
    for preset in "$top_srcdir"/presets/*.ini; do
        chain=$(sed -n '/^chain *=/,/^[^ ]*$/{/^ /p;s/^chain *= *//p;}' "$preset" | tr '\n' ' ')
        rm -rf out && mkdir out
        found=$(nosy -c "$preset" -o pipeline.chain="$chain nosy" -o pipeline.html_report= -o pipeline.database=out/all.sqlite -o pipeline.overwrite=yes \
            $(case $chain in *otf2_write*) echo -o otf2_write.path=out/corrected ;; esac))
        is "the preset $(basename "$preset" .ini)" "$(everything)" "$with_all"
    done
    rm -rf out && mkdir out formats formats/logs
    tests=$top_srcdir/tests/plugins
    python3 "$tests/projections/projections.py" make 1 formats/logs/ring.sts
    python3 "$tests/hpctoolkit/hpctoolkit.py" make 1 formats/db small
    python3 "$tests/nsight/nsight.py" make 1 formats/nsight.sqlite
    printf 'start,end,process,name\n0,10,0,a\n' >formats/spans.csv
    printf '[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"a"}]' >formats/trace.json
    tcflow -q -i "$trace" -o pipeline.chain=perfetto_trace -o perfetto_trace.path=formats/trace.pftrace
    for input in logs db nsight.sqlite spans.csv trace.json trace.pftrace; do
        if tcflow --check -i "$work/formats/$input" -o pipeline.chain=pass >/dev/null 2>&1; then
            found=$(trace=$work/formats/$input && nosy)
            is "the format of $input" "$(everything)" "$with_all"
        else
            skip "the format of $input" "its reader isn't built"
        fi
    done
else
    skip "presets and readers" "$says"
fi
found=$(nosy)

if [ $calls = yes ]; then
    is "no program" "$(answer "a program")" 77
    is "no socket" "$(answer "a socket")" EAFNOSUPPORT
    is "no signal" "$(answer "a signal")" EPERM
    is "no memory shared with other processes" "$(answer "shared memory")" EPERM
    is "no other mode of a file" "$(answer "the mode of a file")" EPERM
    is "no typing into the terminal" "$(answer "typing")" EPERM
else
    skip "system calls" "$says"
fi

# A plugin that needs what it doesn't name as a path.
if [ $files = yes ]; then
    echo secret >elsewhere/file
    needs() { NOSY=$work/nothing tcflow -q --plugin-path plugins -i "$trace" -o pipeline.chain=nosy -o nosy.needs=elsewhere/file "$@"; }
    fails 1 "a plugin that opens a file which is no parameter of the type path" needs
    like "it is told what is in the way, and what to do" "$(cat .fails)" "in a sandbox, .*type .path. .*sandbox = off"
    ok "without a sandbox it does" needs -o pipeline.sandbox=off
    fails 1 "a failure with another reason" tcflow -q -i "$trace" -o pipeline.chain=print -o print.output=/dev/full
    is "isn't the sandbox's" "$(grep -c sandbox .fails)" 0
fi

# What a run needs itself.
tcflow -q -i "$trace" -o pipeline.sandbox=off -o pipeline.chain=print -o print.output=plain
same_as()
{
    rm -f got
    ok "$1" tcflow -q "$2" "$3" -o pipeline.chain=print -o print.output=got
    same "$1: the same" plain got
}
same_as "an archive" -i "$trace"
mkdir linked
ln -s "$trace" linked/traces.otf2
ln -s "${trace%.otf2}.def" linked/traces.def
mkdir linked/traces
for file in "${trace%.otf2}"/*; do
    ln -s "$file" linked/traces/
done
same_as "links to files elsewhere" -i linked
(cd "$(dirname "$trace")" && tcflow -q -i traces.otf2 -o pipeline.chain=print -o print.output="$work/relative")
same "relative names" plain relative
tcflow -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path=out/stream
same_as "a stream" -i stream:out/stream
mkfifo fifo
tcflow -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path=fifo &
same_as "a FIFO" -i stream:fifo
wait
tcflow -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path="unix:$work/socket" &
same_as "a Unix socket" -i "unix:$work/socket"
wait
port=$((20000 + $$ % 20000))
tcflow -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path="tcp:localhost:$port" &
same_as "TCP, by the name of a host" -i "tcp:$port"
wait
is "/dev/null" "$(tcflow -q -i "$trace" -o pipeline.chain=print -o print.output=/dev/null 2>&1)" ""
like "a trace that isn't there: what else is" "$(tcflow -i "$(dirname "$trace")/nothing.otf2" -o pipeline.chain=pass 2>&1)" 'nothing.otf2'
tcflow -q -i "$trace" -o pipeline.chain=perfetto_trace -o perfetto_trace.path=out/trace.json -o perfetto_trace.format=json
if tcflow --list-sources | grep -q chrome; then
    ok "another format" tcflow -q -i out/trace.json -o pipeline.memory=64KiB -o pipeline.chain=print -o print.output=out/events
fi
mkdir tables
for name in one two; do
    printf 'start,end,process,name\n0,10,0,a\n2,5,0,b\n' >tables/$name.csv
done
ok "several files of another format" tcflow -q -i "tables/one.csv tables/two.csv" -o pipeline.chain=print -o print.output=out/several
is "both are read" "$(grep -c '^ENTER' out/several)" 4
if tcflow --version | grep -q '^databases: SQLite'; then
    ok "a database, with temporary files" tcflow -q -i "$trace" -o pipeline.chain="profile" -o pipeline.database=out/all.sqlite
fi
tcflow -q -i "$trace" -o pipeline.chain=print >by_redirection
same "standard output" plain by_redirection
bash -c '"$1" -q -i stream:<(cat out/stream) -o pipeline.chain=print -o print.output=>(cat >got)' bash "$TCFLOW" 2>said
for i in 1 2 3 4 5 6 7 8 9 10; do
    cmp -s plain got || sleep 0.1
done
same "the shell's <() and >()" plain got
ok "domains" tcflow -q -i "$trace" -j 2 -o pipeline.chain="check" -o check.output=out/check
ok "an archive in an archive's place" tcflow -q -i "$trace" -o pipeline.chain=otf2_write -o otf2_write.path=out/copy
ok "again" tcflow -q -i "$trace" -o pipeline.chain=otf2_write -o otf2_write.path=out/copy -o otf2_write.overwrite=yes
is "nothing is left of temporary files" "$(ls temporary)" ""

# The programs that a run starts: by a helper that knows them.
if tcflow --version | grep -q '^databases: SQLite'; then
    page() { tcflow -q --plugin-path plugins -i "$trace" -o pipeline.chain="nosy profile" -o profile.output=/dev/null "$@"; }
    NOSY=$work/elsewhere/file ok "a page" page -o pipeline.html_report=out/page.html
    like "which is one" "$(head -c 300 out/page.html)" "HTML report of tcflow"
    NOSY=$work/elsewhere/file ok "a page and a database" page -o pipeline.html_report=out/page2.html -o pipeline.database=out/page2.sqlite
    found=$(NOSY=$work/elsewhere/file tcflow --plugin-path plugins -i "$trace" -o pipeline.chain=nosy -o pipeline.html_report=out/page3.html 2>&1 |
        sed -n 's/.*nosy: //p')
    [ $calls = no ] || is "still no program of a plugin's" "$(answer "a program")" 77
    rm -f said
    fails 1 "a page on a full disk" sh -c "ulimit -f 20; exec '$TCFLOW' -q -i '$trace' -o pipeline.chain=profile -o profile.output=/dev/null \
        -o pipeline.html_report=out/page4.html"
    is "isn't there" "$(ls out/page4.html* 2>/dev/null)" ""
fi
if command -v python3 >/dev/null; then
    NOSY=$work/elsewhere/file TCFLOW_PAGER="sed s/^/paged:/" python3 "$top_srcdir/tests/framework/on_terminal.py" 100 "$TCFLOW" --no-progress \
        --plugin-path plugins -i "$trace" -o pipeline.chain="profile nosy" >shown
    like "the pager" "$(cat shown)" '^paged:.*profile'
    [ $calls = no ] || like "and no program of a plugin's beside it" "$(cat shown)" 'nosy: a program: 77'
    like "and the end is the run's" "$(tail -n 1 shown)" '^status 0$'
fi

# However the run ends, its helper and its folder go.
mkfifo held
sh -c 'exec 7>held; exec sleep 60' &
holder=$!
"$TCFLOW" -q -i stream:held -o pipeline.chain=print -o print.output=/dev/null &
run=$!
for i in $(seq 100); do
    [ -z "$(ls temporary)" ] || break
    sleep 0.1
done
[ $files = no ] || like "a run has a folder for temporary files" "$(ls temporary)" '^tcflow-run\.'
kill -KILL $run
wait $run 2>/dev/null
kill $holder
for i in $(seq 100); do
    [ -n "$(ls temporary)" ] || break
    sleep 0.1
done
is "which goes when the run is killed" "$(ls temporary)" ""
# Whoever kills a run before there is a helper finds no folder that nobody removes.
mkdir "$work/killed"
cat >"$work/killed.c" <<'END'
#include <signal.h>
#include <sys/types.h>

pid_t fork(void)
{
    raise(SIGKILL);
    return -1;
}
END
if ! nm -D "$TCFLOW" 2>/dev/null | grep -Eq '__[at]san_init' && [ -z "${TCFLOW_WRAPPER:-}" ] &&
    ${CC:-cc} -shared -fPIC -o "$work/killed.so" "$work/killed.c" >"$work/made" 2>&1; then
    fails 137 "a run that is killed where its helper begins" sh -c "TMPDIR='$work/killed' LD_PRELOAD='$work/killed.so' exec '$TCFLOW' \
        -q -i '$top_srcdir/examples/trace/traces.otf2' -o pipeline.chain=pass"
    is "leaves no folder" "$(ls "$work/killed")" ""
else
    skip "a run that is killed where its helper begins" "no compiler, or other programs are in between"
fi

# What may be restricted isn't left open where the machine cannot say what something is.
cat >"$work/no_stat.c" <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int fstat(int fd, struct stat *st)
{
    if (!(fcntl(fd, F_GETFL) & O_PATH))
        return (int)syscall(SYS_newfstatat, fd, "", st, AT_EMPTY_PATH);
    errno = EIO;
    return -1;
}
END
if [ $files = yes ] && ! nm -D "$TCFLOW" 2>/dev/null | grep -Eq '__[at]san_init' && [ -z "${TCFLOW_WRAPPER:-}" ] &&
    ${CC:-cc} -shared -fPIC -o "$work/no_stat.so" "$work/no_stat.c" >"$work/made" 2>&1; then
    like "files are restricted where an I/O error hides which are folders" \
        "$(LD_PRELOAD="$work/no_stat.so" tcflow --check -i "$top_srcdir/examples/trace/traces.otf2" -o pipeline.chain=pass 2>&1)" "files by Landlock"
    # A file that it cannot look at would be missed later, and without it nothing is restricted.
    sed -i -e '/^int fstat/,$d' "$work/no_stat.c"
    cat >>"$work/no_stat.c" <<'END'
#include <stdlib.h>
#include <string.h>
int open(const char *path, int flags, ...)
{
    if (!(flags & O_PATH) || strcmp(path, getenv("UNSEEN")) != 0)
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, 0666);
    errno = EIO;
    return -1;
}
END
    ${CC:-cc} -shared -fPIC -o "$work/no_open.so" "$work/no_stat.c" && mkdir "$work/defaults" && cp "$top_srcdir"/filters.d/*.ini "$work/defaults"
    fails 1 "an I/O error where the sandbox looks at the folder of defaults" env TCFLOW_FILTERS_D="$work/defaults" UNSEEN="$work/defaults" \
        LD_PRELOAD="$work/no_open.so" "$TCFLOW" -q -i "$top_srcdir/examples/trace/traces.otf2" -o pipeline.chain=pass
    like "that is said" "$(cat "$work/.fails")" "the sandbox cannot leave '$work/defaults': Input/output error"
else
    skip "files are restricted where an I/O error hides which are folders" "no Landlock, no compiler, or other programs are in between"
    skip "an I/O error where the sandbox looks at the folder of defaults" "the same"
fi

# Where the last file that may be open is the sandbox's own, what it could not leave open isn't said to be damaged.
wrong=
for most in 4 5 6 7 8 9 10 12 16 20; do
    (ulimit -n "$most" && exec "$TCFLOW" -q -i "$top_srcdir/examples/trace/traces.otf2" -o pipeline.chain=pass) >"$work/few" 2>&1
    if [ $? -ne 0 ] && ! grep -Eq "Too many open files|cannot open shared object|open files" "$work/few"; then
        wrong="$wrong $most: $(head -n 1 "$work/few")"
    fi
done
is "few open files: the reason is said" "$wrong" ""

done_testing
