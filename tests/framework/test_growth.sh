#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What a run costs grows with its input, not with the square of it: instructions as valgrind counts them, at two sizes of which
# one is four times the other. n log n gives a little more than 4, n^2 gives 16.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"

have valgrind || skip_all "there is no valgrind"
[ -z "${TCFLOW_WRAPPER:-}" ] || skip_all "this is valgrind already"
! is_sanitized || skip_all "valgrind and the sanitizers exclude each other"
cd "$work" || exit 1

# cost OPTION...: millions of instructions of a run, or nothing
cost()
{
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$TCFLOW" -q "$@" 2>said >/dev/null
    sed -n 's/.*Collected : *\([0-9]*\).*/\1/p' said
}

# grows NAME BASE SMALL LARGE: costs of nothing, of a size, and of four times that
grows()
{
    if [ -z "$2" ] || [ -z "$3" ] || [ -z "$4" ]; then
        tap 1 "$1"
        diag "not counted: '$2' '$3' '$4'; $(tail -n 5 said)"
        return
    fi
    times=$(awk -v a="$2" -v b="$3" -v c="$4" 'BEGIN { printf "%.1f", (c - a) / (b > a ? b - a : 1) }')
    awk -v t="$times" 'BEGIN { exit !(t > 0 && t < 8) }'
    tap $? "$1: four times the size, $times times the cost" || diag "instructions: $2, $3, $4"
}

# Sizes: half of those of long runs.
twice=$(usually 1 2)

# ini N KIND: a file of N lines
ini()
{
    printf '[pipeline]\nchain = pass\n'
    case $2 in
    keys) printf '[x]\n' && awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "k" i " = 1" }' ;;
    sections) awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "[s" i "]" }' ;;
    esac
}
for kind in keys sections; do
    for n in 0 1 4; do
        ini $((n * 1500 * twice)) $kind >$n.ini
    done
    grows "$kind of an INI file" "$(cost -c 0.ini)" "$(cost -c 1.ini)" "$(cost -c 4.ini)"
done

# large OPTION N: the folder of such a trace
large()
{
    rm -rf "large$1$2"
    "$generate" large --out "large$1$2" "$1" "$2" >/dev/null && echo "large$1$2/traces.otf2"
}

# grow NAME OPTION N OPTION...: what runs with these options cost, of nothing, N and 4 N of OPTION, or twice as many
grow()
{
    grow_name=$1 grow_what=$2 grow_n=$(($3 * twice))
    shift 3
    grows "$grow_name" "$(cost -i "$(large "$grow_what" 0)" "$@")" "$(cost -i "$(large "$grow_what" $grow_n)" "$@")" \
        "$(cost -i "$(large "$grow_what" $((4 * grow_n)))" "$@")"
}
for filter in root_cause ppg $(usually "" "critical_path wait_states profile iterations"); do
    grow "nested calls, $filter" --depth 1000 -o pipeline.chain=$filter
done
# Beyond 65,536 calls the innermost ones are not followed: to leave them costs as much as others.
grows "calls too deep to be followed" "$(cost -i "$(large --depth 65000)" -o pipeline.chain=wait_states)" \
    "$(cost -i "$(large --depth 65500)" -o pipeline.chain=wait_states)" "$(cost -i "$(large --depth 67000)" -o pipeline.chain=wait_states)"
for filter in wait_states $(usually "" "root_cause critical_path"); do
    n=$((2000 * twice))
    grows "messages in flight, half of them followed, $filter" "$(cost -i "$(large --messages 0)" -o pipeline.chain=$filter)" \
        "$(cost -i "$(large --messages $n)" -o pipeline.chain=$filter -o $filter.max_open=$((n / 2)))" \
        "$(cost -i "$(large --messages $((4 * n)))" -o pipeline.chain=$filter -o $filter.max_open=$((2 * n)))"
done
for reader in direct $(usually "" libotf2); do
    grow "locations without events, $reader" --silent 2000 -o pipeline.chain=pass -o pipeline.reader=$reader
done
for filter in print $(usually "" check); do # print has all locations advance together, by the watermark
    grow "locations without events, $filter" --silent 2000 -o pipeline.chain=$filter
done
# Their sends are merged by time, and pass out of order; with efficiency each waits for its receive.
for filter in check $(usually "" efficiency); do
    grow "threads of a process that send, $filter" --senders 500 -o pipeline.chain=$filter
done
# What is sent on of a stream as it comes, of all locations, has them wait longer.
grow "threads of a process that send, efficiency stream_write" --senders 500 -o pipeline.chain='efficiency stream_write' \
    -o stream_write.path=stream -o stream_write.overwrite=yes
# hostile N: a trace whose clocks are measured 2 N times each, backwards
hostile()
{
    "$generate" hostile --what offsets-backwards --n "$1" --out "hostile$1" >/dev/null && echo "hostile$1/traces.otf2"
}
n=$((1500 * twice))
grows "measurements of clocks, backwards" "$(cost -i "$(hostile 0)" -o pipeline.chain=clock_estimate)" \
    "$(cost -i "$(hostile $n)" -o pipeline.chain=clock_estimate)" "$(cost -i "$(hostile $((4 * n)))" -o pipeline.chain=clock_estimate)"
grow "ranks in a barrier that others miss" --absent 1000 -o pipeline.chain=wait_states
# They follow the lead thread of their process.
grow "locations without events, overhead" --silent 2000 -o pipeline.chain=overhead -o overhead.event=40ns

done_testing
