#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Who may connect to a reader's socket, and who is taken for the writer: whoever sends nothing, something else or half a header
# neither ends the run nor holds it, a second reader ends no first one, and a Unix socket belongs to its user alone.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

have python3 || skip_all "there is no python3"
cd "$work" || exit 1
chmod 755 .
trace=$top_srcdir/examples/trace/traces.otf2
tcflow -q -i "$trace" -o pipeline.chain=print -o print.output=plain
port=$((20000 + $$ % 20000))

cat >strangers.py <<'END'
"""strangers.py AT KIND...: connects to unix:PATH or tcp:PORT, does what each kind says, and prints `ready`. Ends with its input."""
import socket, sys
at, kinds = sys.argv[1], sys.argv[2:]
magic = b"\x89TCF\r\n\x1a\n"
kept = []
for kind in kinds:
    if at.startswith("unix:"):
        s = socket.socket(socket.AF_UNIX)
        s.connect(at[5:])
    else:
        s = socket.create_connection(("127.0.0.1", int(at[4:])))
    if kind == "close":
        s.close()
        continue
    kept.append(s)
    if kind == "half":
        s.sendall(magic)
    elif kind == "half-close":
        s.sendall(magic[:4])
        s.close()
    elif kind == "other":
        s.sendall(b"GET / HTTP/1.1\r\n\r\n")
    else:
        assert kind == "silent"
print("ready", flush=True)
sys.stdin.read()
END

# await FILE: until the reader says that it listens
await()
{
    tries=0
    while ! grep -qs 'waiting for the writer' "$1" && [ $tries -lt 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
}

# after AT KIND...: is the stream of a writer read that comes behind such strangers?
after()
{
    rm -f got
    rm -f reader # else what the last one has said is taken for this one's
    timeout 60 "$TCFLOW" -v -i "$1" -o pipeline.chain=print -o print.output=got >reader 2>&1 &
    reader=$!
    await reader
    mkfifo hold
    python3 strangers.py "$@" <hold >ready &
    strangers=$!
    exec 8>hold
    tries=0
    while [ ! -s ready ] && [ $tries -lt 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    timeout 60 "$TCFLOW" -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path="$1" >writer 2>&1 || cat writer
    wait $reader || cat reader
    exec 8>&-
    wait $strangers
    rm -f hold ready
    cmp plain got
}

for at in "unix:$work/socket" "tcp:$port"; do
    for kinds in close silent half half-close other "close silent half half-close other silent silent"; do
        is "${at%%:*}: the writer comes behind: $kinds" "$(after "$at" $kinds 2>&1)" ""
    done
    case $kinds in *other*) like "${at%%:*}: and that is told" "$(cat reader)" 'is closed: what it sends is not a stream' ;; esac
    silent=$(printf 'silent %.0s' 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 33 34 35 36 37 38 39 40)
    is "${at%%:*}: the writer comes behind 40 that are silent" "$(after "$at" $silent 2>&1)" ""
done

# A second reader of the same name is told so, and the first one goes on.
rm -f got
rm -f reader
timeout 60 "$TCFLOW" -v -i "unix:$work/socket" -o pipeline.chain=print -o print.output=got >reader 2>&1 &
reader=$!
await reader
is "a socket belongs to its user alone" "$(stat -c %a socket)" 600
fails 1 "a second reader of the same name" timeout 60 "$TCFLOW" -q -i "unix:$work/socket" -o pipeline.chain=pass
like "is told that there is one" "$(cat .fails)" 'Address already in use'
ok "the first one still waits" kill -0 $reader
tcflow -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path="unix:$work/socket"
wait $reader
is "and reads the stream" "$? $(cmp plain got)" "0 "
(
    umask 0
    rm -f reader
    timeout 60 "$TCFLOW" -v -i "unix:$work/open" -o pipeline.chain=pass >reader 2>&1 &
    await reader
    stat -c %a open >mode
    tcflow -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path="unix:$work/open"
    wait
)
is "whatever umask says" "$(cat mode)" 600

# Another user neither writes into a reader's socket nor reads what is written, even where the modes of files allow it.
as_nobody()
{
    setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}
if [ "$(id -u)" -eq 0 ] && [ -z "${TCFLOW_WRAPPER:-}" ] && as_nobody "$TCFLOW" --version >/dev/null 2>&1 &&
    as_nobody test -r "$trace" && as_nobody test -x "$work"; then
    rm -f got
    rm -f reader
    timeout 60 "$TCFLOW" -v -i "unix:$work/socket" -o pipeline.chain=print -o print.output=got >reader 2>&1 &
    reader=$!
    await reader
    chmod 777 socket
    fails 1 "another user's stream" as_nobody "$TCFLOW" -q -i "$trace" -o pipeline.chain=stream_write \
        -o stream_write.path="unix:$work/socket"
    like "isn't even sent" "$(cat .fails)" 'whoever reads there is another user'
    tcflow -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path="unix:$work/socket"
    wait $reader
    is "the user's own is read" "$? $(cmp plain got)" "0 "
    like "and the other one is named" "$(cat reader)" 'is closed: it belongs to another user'
else
    skip "another user" "this takes root, a program that others may start, and a folder that they may search"
fi

# Without a host nobody from elsewhere can connect.
if [ -r /proc/net/tcp ]; then
    rm -f reader
    timeout 60 "$TCFLOW" -v -i "tcp:$port" -o pipeline.chain=pass >reader 2>&1 &
    reader=$!
    await reader
    is "tcp:PORT listens on this machine alone" "$(awk -v port="$(printf ':%04X' $port)" '$4 == "0A" && $2 ~ port "$" { print $2 }' \
        /proc/net/tcp)" "$(printf '0100007F:%04X' $port)"
    tcflow -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path="tcp:$port"
    wait $reader
fi

done_testing
