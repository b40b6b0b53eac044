#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# SIGINT in a pipe of three: to all of it, as a terminal sends it, and to each alone. Who is interrupted says so and exits with
# 130; the others are told by the stream, or by who no longer reads it, and fail. No archive looks complete; each is closed, so that
# what had come can be read.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
LSAN_OPTIONS=suppressions=$top_srcdir/tests/support/lsan.supp:print_suppressions=0${LSAN_OPTIONS:+:$LSAN_OPTIONS}
export LSAN_OPTIONS

have python3 || skip_all "there is no python3"
[ -z "${TCFLOW_WRAPPER:-}" ] || skip_all "the processes are those of valgrind"
repeat=$top_builddir/tests/support/generate/repeat-stream
[ -x "$generate" ] && [ -x "$repeat" ] || skip_all "what makes traces and long streams is not built"
"$generate" bench --locations 4 --events 8000 --out "$work/trace" >"$work/made" 2>&1
tcflow -q -i "$work/trace/traces.otf2" -o pipeline.chain=stream_write -o stream_write.path="$work/once" -o stream_write.matches=no

archive() { echo "$work/archive.$1"; }
between="-q -i - -o pipeline.chain=otf2_write,stream_write -o stream_write.path=-"

# interrupt WHO: statuses of the three; a stream that would take minutes flows through them
interrupt()
{
    rm -rf "$work"/archive.*
    echo "$(archive 1).incomplete $(archive 2).incomplete $(archive 3).incomplete" >"$work/ready"
    # the feeder: rounds of the same windows, 20 ms apart
    timeout 300 python3 "$top_srcdir/tests/plugins/stream_write/interrupt.py" "$work" "$1" \
        sh -c 'exec "$1" 10000 20 <"$2"' - "$repeat" "$work/once" -- \
        "$TCFLOW" $between -o otf2_write.path="$(archive 1)" -- \
        "$TCFLOW" $between -o otf2_write.path="$(archive 2)" -- \
        "$TCFLOW" -q -i - -o pipeline.chain=check,otf2_write -o check.output=/dev/null -o otf2_write.path="$(archive 3)" 2>&1
}

# left: what is wrong with the archives of the three
left()
{
    for k in 1 2 3; do
        [ ! -e "$(archive $k)" ] || echo "archive $k looks complete"
        [ -e "$(archive $k).incomplete" ] || { echo "there is no archive $k"; continue; }
        events=$(tcflow -q -i "$(archive $k).incomplete/traces.otf2" -o pipeline.chain=pass --summary=json 2>&1 |
            sed -n 's/.*"events": \([0-9]*\),.*/\1/p' | head -n 1)
        [ "${events:-0}" -gt 0 ] || echo "archive $k cannot be read, or is empty"
    done
}

is "all of a pipe interrupted" "$(interrupt all)" "130 130 130"
for k in 1 2 3; do
    like "process $k says so" "$(cat "$work/said.$k")" 'ended by SIGINT; outputs are incomplete'
done
is "no archive looks complete, all can be read" "$(left)" ""

is "the first one interrupted" "$(interrupt 1)" "130 1 1"
like "says so" "$(cat "$work/said.1")" 'ended by SIGINT; outputs are incomplete'
like "the second one knows that its writer gave up" "$(cat "$work/said.2")" 'its writer has aborted'
like "and so does the third one" "$(cat "$work/said.3")" 'its writer has aborted'
is "no archive looks complete, all can be read" "$(left)" ""

is "the one in the middle interrupted" "$(interrupt 2)" "1 130 1"
like "the first one knows that nobody reads" "$(cat "$work/said.1")" 'whoever read the stream .* has closed it'
like "the second one says so" "$(cat "$work/said.2")" 'ended by SIGINT; outputs are incomplete'
like "the third one knows that its writer gave up" "$(cat "$work/said.3")" 'its writer has aborted'
is "no archive looks complete, all can be read" "$(left)" ""

is "the last one interrupted" "$(interrupt 3)" "1 1 130"
like "the first one knows that nobody reads" "$(cat "$work/said.1")" 'whoever read the stream .* has closed it'
like "and so does the second one" "$(cat "$work/said.2")" 'whoever read the stream .* has closed it'
like "the third one says so" "$(cat "$work/said.3")" 'ended by SIGINT; outputs are incomplete'
is "no archive looks complete, all can be read" "$(left)" ""

# A signal that comes just before a call that waits for the other end of a FIFO isn't forgotten there.
mkfifo "$work/fifo"
cat >"$work/late.c" <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

int open(const char *path, int flags, ...)
{
    int (*next)(const char *, int, ...) = (int (*)(const char *, int, ...))dlsym(RTLD_NEXT, "open");

    if (strstr(path, "/fifo") && !(flags & (O_NOFOLLOW | O_NONBLOCK | O_PATH)))
        raise(SIGTERM);
    return next(path, flags, 0666);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
int __open_2(const char *path, int flags, ...) __attribute__((alias("open"))); /* with _FORTIFY_SOURCE */
int __open64_2(const char *path, int flags, ...) __attribute__((alias("open")));
END
if nm -D "$TCFLOW" 2>/dev/null | grep -Eq '__[at]san_init'; then
    skip "a signal in front of a call that waits" "the sanitizer wants to be the first library"
elif ${CC:-cc} -shared -fPIC -o "$work/late.so" "$work/late.c" -ldl >"$work/made" 2>&1; then
    fails 143 "a reader that begins to wait for its writer just behind SIGTERM ends" env LD_PRELOAD="$work/late.so" \
        timeout -s KILL 60 "$TCFLOW" -q -i "stream:$work/fifo" -o pipeline.chain=pass
    fails 143 "and so does a writer that waits for its reader" env LD_PRELOAD="$work/late.so" timeout -s KILL 60 \
        "$TCFLOW" -q -i "$work/trace/traces.otf2" -o pipeline.chain=stream_write -o stream_write.path="$work/fifo"
else
    skip "a signal in front of a call that waits" "no compiler: $(head -n 1 "$work/made")"
fi

done_testing
