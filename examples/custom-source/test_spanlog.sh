#!/bin/sh
# Test of spanlog: the example becomes these events, and what is wrong is refused. `test_spanlog.sh torture`: whatever is damaged
# is read or refused with a reason.
cd "$(dirname "$0")" || exit 1
tcflow=${TCFLOW:-tcflow}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "test_spanlog: $*" >&2
    exit 1
}

# events FILE [OPTION...]: kind, location and time of each event
events()
{
    file=$1
    shift
    "$tcflow" -q --plugin-path . -i "$file" -o pipeline.chain=print -o print.order=location "$@" >"$work/printed" || return
    awk '$3 ~ /^[0-9]+$/ { print $1, $2, $3 }' "$work/printed"
}

damaged()
{
    "$tcflow" -q --plugin-path . -i "$work/damaged.spanlog" -o pipeline.chain=pass >"$work/said" 2>&1
    case $? in
        0) ;;
        1) grep -q 'error: ' "$work/said" || fail "$1: refused without a reason" ;;
        *) fail "$1: $(cat "$work/said")" ;;
    esac
}

if [ "${1:-}" = torture ]; then
    size=$(wc -c <example.spanlog)
    at=0
    while [ "$at" -lt "$size" ]; do
        head -c "$at" example.spanlog >"$work/damaged.spanlog"
        damaged "cut behind $at bytes"
        for byte in '\000' '\377' '-' '9' '\n'; do
            { head -c "$at" example.spanlog; printf "$byte"; tail -c +$((at + 2)) example.spanlog; } >"$work/damaged.spanlog"
            damaged "byte $at is '$byte'"
        done
        at=$((at + 1))
    done
    echo "test_spanlog: passed the torture"
    exit
fi

events example.spanlog >"$work/got" || fail "the example is not read"
cat >"$work/expected" <<END
ENTER 0 0
ENTER 0 10
LEAVE 0 30
LEAVE 0 100
ENTER 1 5
ENTER 1 20
LEAVE 1 20
LEAVE 1 90
END
diff "$work/expected" "$work/got" || fail "the example became other events"
echo "0 7 3 back" >"$work/back.spanlog"
! events "$work/back.spanlog" >/dev/null 2>"$work/said" || fail "a call that ends before it begins was read"
grep -q "line 1: the call ends at 3, before it begins" "$work/said" || fail "the reason is missing: $(cat "$work/said")"
echo "test_spanlog: passed"
