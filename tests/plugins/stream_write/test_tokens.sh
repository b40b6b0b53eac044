#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Tokens of streams over TCP: a reader takes the stream of a writer with its token alone, and a writer gives it to no other
# reader; whoever changes a byte on the way, or is silent, is told; beyond this machine nothing goes without a token.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

have python3 || skip_all "there is no python3"
cd "$work" || exit 1
unset TCFLOW_TOKEN
trace=$top_srcdir/examples/trace/traces.otf2
tcflow -q -i "$trace" -o pipeline.chain=print -o print.output=plain
port=$((20000 + $$ % 20000))
printf 'a token of more than sixteen bytes\n' >token
printf 'another token of as many bytes ...\n' >other
printf 'too short\n' >short
cp token open
chmod 600 token other short
chmod 644 open

# await FILE: until the reader says that it listens
await()
{
    tries=0
    while ! grep -qs 'waiting for the writer' "$1" && [ $tries -lt 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
}
# taken NAME: the writer has ended well, and the reader with what it has sent
taken()
{
    taken_status=$?
    wait $reader
    is "$1" "$taken_status $? $(cmp plain got 2>&1)" "0 0 "
}
# read_at AT OPTION...: a reader in the background
read_at()
{
    at=$1
    shift
    rm -f got reader
    rm -f reader # else what the last one has said is taken for this one's
    timeout 20 "$TCFLOW" -v -i "$at" -o pipeline.chain=print -o print.output=got "$@" >reader 2>&1 &
    reader=$!
    await reader
}
write_to()
{
    at=$1
    shift
    timeout 20 "$TCFLOW" -q -i "$trace" -o pipeline.chain=stream_write -o stream_write.path="$at" -o stream_write.wait=1s "$@" >writer 2>&1
}

# Beyond this machine: refused before anything is sent.
fails 2 "a reader at all addresses wants a token" timeout 20 "$TCFLOW" -q -i "tcp:0.0.0.0:$port" -o pipeline.chain=pass
like "that is said" "$(cat .fails)" 'prove that it has a token'
fails 1 "a writer to another machine does, too" write_to tcp:192.0.2.1:9
like "that is said, too" "$(cat writer)" 'another machine, and there is no token'

read_at "tcp:$port" -o pipeline.token=token
if grep -q 'built without libsodium' reader; then
    wait $reader
    is "without libsodium there are no tokens" $? 2
    done_testing
fi
write_to "tcp:$port" -o stream_write.token=token
taken "the writer with the token"
export TCFLOW_TOKEN='a token of more than sixteen bytes'
read_at "tcp:0.0.0.0:$port"
write_to "tcp:$port"
taken "tokens of the environment, beyond this machine"
unset TCFLOW_TOKEN
read_at "tcp:$port" -o pipeline.token=token
write_to "tcp:$port" -o stream_write.token=token -o stream_write.compression=none
taken "large frames are several boxes"

# Others.
read_at "tcp:$port" -o pipeline.token=token
write_to "tcp:$port" -o stream_write.token=other
is "a writer with another token fails" $? 1
like "and hears why" "$(cat writer)" 'another token|does not have the token'
write_to "tcp:$port"
is "one without a token fails" "$? $(grep -c 'asks for a token\|has closed it' writer)" "1 1"
python3 -c "
import socket, sys
s = socket.create_connection(('127.0.0.1', $port))
s.recv(40)
s.sendall(b'\x89TCA\r\n\x1a\n' + bytes(64))
try:
    print(len(s.recv(100)))
except ConnectionResetError:
    print(0)" >guess
is "one that guesses gets nothing back" "$(cat guess)" 0
write_to "tcp:$port" -o stream_write.token=token
taken "and the right one is still taken"
like "who had another token is told of" "$(cat reader)" 'is closed: its token is another one'
like "and who had none" "$(cat reader)" 'is closed: it proves no token'

read_at "tcp:$port"
write_to "tcp:$port" -o stream_write.token=token
is "a writer gives its stream to no reader without the token" $? 1
like "and says so" "$(cat writer)" 'asks for no token|another token'
write_to "tcp:$port"
wait $reader

# Who is in between sees no contents, and can change, repeat or leave out nothing.
cat >between.py <<'END'
"""between.py PORT TO HOW: passes on what a writer sends to port TO, but for a byte, a box or the end of it."""
import socket, sys, threading
port, to, how = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
listener = socket.socket()
listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
listener.bind(("127.0.0.1", port))
listener.listen()
print("ready", flush=True)
writer, _ = listener.accept()
reader = socket.create_connection(("127.0.0.1", to))
def back():
    while data := reader.recv(65536):
        writer.sendall(data)
threading.Thread(target=back, daemon=True).start()
def take(n):
    data = b""
    while len(data) < n:
        more = writer.recv(n - len(data))
        if not more:
            raise EOFError
        data += more
    return data
seen = b""
try:
    reader.sendall(take(72))
    reader.sendall(take(24))
    for k in range(1 << 30):
        head = take(4)
        box = take(int.from_bytes(head, "little"))
        seen += box
        if k == 5 and how == "change":
            box = box[:3] + bytes([box[3] ^ 1]) + box[4:]
        if k == 5 and how == "length":
            head = (len(box) - 1).to_bytes(4, "little")
            box = box[:-1]
        if k == 5 and how == "twice":
            reader.sendall(head + box)
        if k == 5 and how == "missing":
            continue
        reader.sendall(head + box)
except (EOFError, OSError):
    pass
assert b"MPI_Send" not in seen and len(seen) > 1000
try:
    reader.shutdown(socket.SHUT_WR)
    while reader.recv(1000):
        pass
except OSError:
    pass
print("done", flush=True)
END
for how in nothing change length twice missing; do
    read_at "tcp:$port" -o pipeline.token=token
    python3 between.py $((port + 1)) "$port" $how >between 2>&1 &
    between=$!
    tries=0
    while [ ! -s between ] && [ $tries -lt 200 ]; do
        sleep 0.05
        tries=$((tries + 1))
    done
    write_to "tcp:$((port + 1))" -o stream_write.token=token
    wait $reader
    status=$?
    wait $between
    case $how in
    nothing)
        is "passed on: the stream is read, and nobody in between sees a name of it" "$status $(cmp plain got) $(tail -n 1 between)" "0  done"
        ;;
    *)
        is "$how: the reader fails" $status 1
        like "$how: and says so" "$(cat reader)" 'was altered on its way'
        ;;
    esac
done

# Files with tokens.
fails 2 "a token that others may read" tcflow -q -i "tcp:$port" -o pipeline.chain=pass -o pipeline.token=open
like "is told" "$(cat .fails)" 'other users may read it'
fails 2 "a short one" tcflow -q -i "tcp:$port" -o pipeline.chain=pass -o pipeline.token=short
fails 2 "one that isn't there" tcflow -q -i "tcp:$port" -o pipeline.chain=pass -o pipeline.token=none
write_to "tcp:$port" -o stream_write.token=open
is "of a writer" "$? $(grep -c 'other users may read it' writer)" "2 1"

# Whoever is silent is closed after ten seconds.
read_at "tcp:$port" -o pipeline.token=token
timeout 40 python3 -c "
import socket, time
s = socket.create_connection(('127.0.0.1', $port))
while s.recv(100):
    pass
print('closed')" >silent 2>&1
is "a silent stranger is closed" "$(cat silent)" closed
write_to "tcp:$port" -o stream_write.token=token
taken "and the writer is taken"
like "that is told" "$(cat reader)" 'it has sent nothing of use for ten seconds'
done_testing
