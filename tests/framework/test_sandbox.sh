#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# [pipeline] sandbox: a plugin reaches what its parameters name, and no other file, program, process or socket; what
# tcflow itself needs stays: inputs of all kinds, links among them, outputs, temporary files, sockets that are in use.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

cd "$work" || exit 1
confined() { tcflow -o pipeline.sandbox=auto "$@"; }
trace=$top_srcdir/examples/trace/traces.otf2
mkdir plugins in out elsewhere temporary
TMPDIR=$work/temporary
export TMPDIR
${CC:-cc} -std=gnu11 -fPIC -shared -I"$top_srcdir/include" -o plugins/nosy.so "$top_srcdir/tests/framework/nosy.c" 2>said ||
    skip_all "no compiler: $(head -n 1 said)"

says=$(confined --check -i "$trace" -o pipeline.chain=pass)
like "--check says what is restricted" "$says" '^(sandbox: .*files by|sandbox: not of files|no sandbox)'
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
        like "that is said" "$(cat .fails)" 'not of|no Landlock|no seccomp|libseccomp'
        ;;
    esac
fi

# nosy OPTION...: what the filter found
nosy()
{
    echo secret >elsewhere/file
    echo its own >in/file
    NOSY=$work/elsewhere/file confined --plugin-path plugins -i "$trace" -o pipeline.chain=nosy -o nosy.input=in/file \
        -o nosy.output=out/file "$@" 2>&1 | sed -n 's/.*nosy: //p'
}
answer()
{
    printf '%s\n' "$found" | sed -n "s/^$1: //p"
}
found=$(nosy -o pipeline.sandbox=off)
is "without a sandbox a plugin does what the user may do: another file" "$(answer "another file")" done
is "a program" "$(answer "a program")" 0
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
if [ $calls = yes ]; then
    is "no program" "$(answer "a program")" 77
    is "no socket" "$(answer "a socket")" EAFNOSUPPORT
    is "no signal" "$(answer "a signal")" EPERM
else
    skip "system calls" "$says"
fi

# What a run needs itself.
tcflow -q -i "$trace" -o pipeline.sandbox=off -o pipeline.chain=print -o print.output=plain
same_as()
{
    rm -f got
    ok "$1" confined -q "$2" "$3" -o pipeline.chain=print -o print.output=got
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
(cd "$(dirname "$trace")" && confined -q -i traces.otf2 -o pipeline.chain=print -o print.output="$work/relative")
same "relative names" plain relative
confined -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path=out/stream
same_as "a stream" -i stream:out/stream
mkfifo fifo
confined -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path=fifo &
same_as "a FIFO" -i stream:fifo
wait
confined -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path="unix:$work/socket" &
same_as "a Unix socket" -i "unix:$work/socket"
wait
port=$((20000 + $$ % 20000))
confined -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path="tcp:localhost:$port" &
same_as "TCP, by the name of a host" -i "tcp:$port"
wait
is "/dev/null" "$(confined -q -i "$trace" -o pipeline.chain=print -o print.output=/dev/null 2>&1)" ""
like "a trace that isn't there: what else is" "$(confined -i "$(dirname "$trace")/nothing.otf2" -o pipeline.chain=pass 2>&1)" 'nothing.otf2'
confined -q -i "$trace" -o pipeline.chain=perfetto_trace -o perfetto_trace.path=out/trace.json -o perfetto_trace.format=json
if tcflow --list-sources | grep -q chrome; then
    ok "another format" confined -q -i out/trace.json -o pipeline.memory=64KiB -o pipeline.chain=print -o print.output=out/events
fi
if tcflow --version | grep -q '^databases: SQLite'; then
    ok "a database, with temporary files" confined -q -i "$trace" -o pipeline.chain="profile" -o pipeline.database=out/all.sqlite
fi
ok "domains" confined -q -i "$trace" -j 2 -o pipeline.chain="check" -o check.output=out/check
ok "an archive in an archive's place" confined -q -i "$trace" -o pipeline.chain=otf2_write -o otf2_write.path=out/copy
ok "again" confined -q -i "$trace" -o pipeline.chain=otf2_write -o otf2_write.path=out/copy -o otf2_write.overwrite=yes
is "nothing is left of temporary files" "$(ls temporary)" ""
done_testing
