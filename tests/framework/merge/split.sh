# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What the tests of several inputs share, behind tests/support/lib.sh and tests/plugins/stream_write/pipes.sh: a trace is split by locations into
# streams, these are read as one input, and all that a chain writes is compared with what it writes of the whole trace.

# locations ANCHOR: their ids, a line each. otf2-print fails on some archives; there may be files of locations that are not defined.
locations()
{
    if otf2-print -G "$1" >"$work/printed" 2>/dev/null && grep -q '^LOCATION ' "$work/printed"; then
        awk '$1 == "LOCATION" && !seen[$2]++ { print $2 }' "$work/printed"
    else
        for file in "${1%.otf2}"/*.evt; do
            basename "$file" .evt
        done | sort -n
    fi
}

# part PARTS NUMBER WAY: those of the ids on standard input that belong to a part. By turns; in blocks; some in none but the last.
part()
{
    awk -v parts="$1" -v part="$2" -v way="$3" '{ id[NR - 1] = $1 }
        END {
            for (i = 0; i < NR; i++) {
                mine = way == "turns" ? i % parts : way == "blocks" ? int(i * parts / NR) : i == 0 ? 0 : parts - 1
                if (mine == part) printf "%s,", id[i]
            }
        }'
}

# split ANCHOR PARTS WAY [OPTION...]: writes $work/part.0, ... and sets $inputs
split()
{
    split_anchor=$1 split_parts=$2 split_way=$3 inputs= split_number=0
    shift 3
    rm -f "$work"/part.*
    locations "$split_anchor" >"$work/ids"
    while [ $split_number -lt "$split_parts" ]; do
        ids=$(part "$split_parts" $split_number "$split_way" <"$work/ids")
        tcflow -q -i "$split_anchor" -o pipeline.chain="select stream_write" \
            -o "$([ -n "$ids" ] && echo "select.locations=$ids" || echo 'select.exclude_kinds=*')" \
            -o stream_write.path="$work/part.$split_number" "$@" || return 1
        inputs="$inputs${inputs:+ }stream:$work/part.$split_number"
        split_number=$((split_number + 1))
    done
}

# merged FOLDER: the chain of $parts over $inputs
merged()
{
    rm -rf "$1"
    mkdir "$1"
    timeout 300 "$TCFLOW" -q -i "$inputs" -o pipeline.chain="$parts" $(settings "$1" $parts) $(options_of $parts) $all_options
}

# as_whole ANCHOR PARTS WAY [OPTION...]: nothing is said when the parts give what the whole trace gives; $chains are compared
as_whole()
{
    split "$@" >"$work/said" 2>&1 || { echo "splitting: $(head -n 3 "$work/said")"; return 1; }
    for c in $chains; do
        "merge_chain_$c"
        all_options=$run_options
        in_one "$1" "$work/one" >"$work/said" 2>&1 || { echo "$c, whole: $(head -n 3 "$work/said")"; return 1; }
        merged "$work/merged" >"$work/said" 2>&1 || { echo "$c, merged: $(head -n 3 "$work/said")"; return 1; }
        differ "$work/one" "$work/merged" || { echo "(chain $c of $*)"; return 1; }
    done
}

merge_chain_copy()
{
    chain_reset
    parts="otf2_write"
}

merge_chain_correct()
{
    chain_reset
    parts="presync clc_forward clc_backward wait_states profile clock_report otf2_write"
}

merge_chain_reports()
{
    chain_reset
    parts="${checks-check} wait_states critical_path comm_matrix profile load_imbalance print"
}
