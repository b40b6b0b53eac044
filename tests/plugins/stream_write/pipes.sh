# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What the tests of streams share, behind tests/support/lib.sh: the same chain in one process and in several, over pipes.
#
# The parts of a chain are separated by "|" in $parts; what they write goes to files in a folder, and the folders are compared.

# Reports of these filters are compared, where a chain has them.
reporting="check wait_states critical_path root_cause comm_matrix profile distances load_imbalance message_histogram
    time_profile skew clock_report clc_forward clc_backward presync overhead"

# settings FOLDER FILTER...: options that send what the filters write to the folder
settings()
{
    settings_folder=$1
    shift
    for filter in "$@"; do
        case $filter in
        otf2_write) echo "-o otf2_write.path=$settings_folder/archive" ;;
        print) echo "-o print.output=$settings_folder/print.txt" ;;
        stream_write) echo "-o stream_write.path=-" ;;
        *) case " $(echo $reporting) " in
            *" $filter "*) echo "-o $filter.output=$settings_folder/$filter.csv -o $filter.format=csv" ;;
            esac ;;
        esac
    done
}

# options_of FILTER...: those in $options that are of these filters, and of the pipeline
options_of()
{
    for option in $options; do
        for filter in "$@" pipeline; do
            case $option in
            "$filter".*) echo "-o $option" ;;
            esac
        done
    done
}

# in_one ANCHOR FOLDER: all parts in one process; the survey goes first
in_one()
{
    rm -rf "$2"
    mkdir "$2"
    chain=$(echo "$parts" | tr '|' ' ')
    timeout 300 "$TCFLOW" -q -i "$1" -o pipeline.chain="$chain" ${survey:+-o "pipeline.survey=$survey"} \
        $(settings "$2" $chain) $(options_of $chain $survey) $all_options
}

# in_pipes ANCHOR FOLDER: a process for each part
in_pipes()
{
    rm -rf "$2"
    mkdir "$2"
    script= input=$1 first=1 rest="$parts|"
    while [ -n "$rest" ]; do
        part=$(echo ${rest%%|*})
        rest=${rest#*|}
        chain=$part${rest:+ stream_write}
        say="timeout 300 \"$TCFLOW\" -q -i '$input' -o pipeline.chain='$chain' $(settings "$2" $chain | tr '\n' ' ')"
        say="$say $(options_of $part $([ $first = 0 ] || echo $survey) | tr '\n' ' ') $all_options"
        [ $first = 1 ] && say="$say ${survey:+-o 'pipeline.survey=$survey'}"
        [ -n "$rest" ] && say="$say $stream_options"
        script="$script${script:+ | }{ $say || echo failed >>'$2/failed'; }"
        input=- first=0
    done
    eval "$script"
    [ ! -e "$2/failed" ]
}

# reports_differ FILE FILE: sums of floating point numbers depend on the order in which locations come, in the last digits, and so
# does the order of rows that are equal otherwise
reports_differ()
{
    cmp -s "$1" "$2" && return 1
    sort "$1" >"$work/sorted.1"
    sort "$2" >"$work/sorted.2"
    ! awk -F, 'function far(a, b) { return a != b && !(a + 0 == a && b + 0 == b && (a - b) ^ 2 <= 1e-18 * (a ^ 2 + b ^ 2)) }
        NR == FNR { line[FNR] = $0; n = FNR; next }
        { m = split(line[FNR], was, ","); bad = m != NF
          for (i = 1; i <= NF && !bad; i++) bad = far(was[i], $i)
          if (bad) exit }
        END { exit bad || FNR != n }' "$work/sorted.1" "$work/sorted.2"
}

# differ FOLDER FOLDER: what the chains wrote; says nothing when all is equal
differ()
{
    for what in "$1"/*.csv "$1"/print.txt; do
        [ -e "$what" ] || continue
        reports_differ "$what" "$2/${what##*/}" || continue
        echo "${what##*/}:"
        diff "$what" "$2/${what##*/}" | head -n 5 | cut -c 1-200
        return 1
    done
    [ -d "$1/archive" ] || return 0
    for differ_folder in "$1" "$2"; do
        {
            otf2-print -I "$differ_folder/archive/traces.otf2"
            otf2-print -G -C -T "$differ_folder/archive/traces.otf2"
            (cd "$differ_folder/archive" && find . | sort && cat traces.marker traces.*.thumb traces/*.snap 2>/dev/null | cksum)
        } >"$differ_folder/print.archive" 2>/dev/null
        "$top_builddir/tests/support/oracle/oracle" dump "$differ_folder/archive/traces.otf2" >"$differ_folder/dump.archive" 2>&1
        [ -s "$differ_folder/dump.archive" ] || { echo "nothing in $differ_folder/archive"; return 1; }
    done
    for what in print dump; do
        cmp -s "$1/$what.archive" "$2/$what.archive" && continue
        echo "$what of the archive:"
        diff "$1/$what.archive" "$2/$what.archive" | head -n 5 | cut -c 1-200
        return 1
    done
}

# as_one ANCHOR: nothing is said when both ways give the same
as_one()
{
    in_one "$1" "$work/one" >"$work/one.said" 2>&1 || { echo "in one process: $(head -n 3 "$work/one.said")"; return 1; }
    in_pipes "$1" "$work/several" >"$work/several.said" 2>&1 || {
        echo "in several: $(head -n 6 "$work/several.said")"
        return 1
    }
    differ "$work/one" "$work/several"
}

# The chains. chain_N sets parts, survey, options (by filter), stream_options (of the writers), all_options (of every process)
chain_reset()
{
    parts= survey= options= stream_options= all_options=
}

# The correction: each step in a process of its own.
chain_correct()
{
    chain_reset
    parts="presync | clc_forward clc_backward | wait_states profile clock_report otf2_write"
    survey="mu_estimate"
    stream_options="-o stream_write.columns=time_raw"
}

# Everything that reports, behind a bare hand-over.
chain_reports()
{
    chain_reset
    parts="pass | check wait_states critical_path root_cause comm_matrix profile distances load_imbalance message_histogram time_profile print"
    options="root_cause.window=100000 root_cause.causes=65536" # nothing falls out, whatever the schedule
}

# What was dropped has left its marks; and a third process only copies.
chain_select()
{
    chain_reset
    parts="select | wait_states check | otf2_write"
    options="select.exclude_kinds=MPI_RECV,MPI_COLLECTIVE_BEGIN,MPI_ISEND_COMPLETE"
}

# The two halves of one correction, with the column that the first leaves to the second.
chain_halves()
{
    chain_reset
    parts="presync clc_forward | clc_backward otf2_write"
    stream_options="-o stream_write.columns=jump"
}
