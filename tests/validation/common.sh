# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What run.sh and run_smpi.sh share: the programs under test, a folder $work to write in, and the time that counts, of a
# trace as it is or compensated with the constants in $work/overhead.ini.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top_builddir=${top_builddir:-$here/../../build}
tcflow=${TCFLOW:-$top_builddir/tcflow}
calibrate=${CALIBRATE:-$top_builddir/tcflow-calibrate}
out=${OUT:-validation}

missing()
{
    echo "validate: $* is missing: nothing to be done here" >&2
    exit 77
}

for program in "$tcflow" "$calibrate"; do
    [ -x "$program" ] || missing "$program"
done
base=${SCRATCH:-/dev/shm}
[ -w "$base" ] || base=${TMPDIR:-/tmp}
work=$(mktemp -d "$base/tcflow-validate.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"

# interval TRACE CHAIN [OPTION...]: seconds from the first leave of the last barrier but one to the last leave of the
# last barrier.
interval()
{
    local trace=$1 chain=$2
    shift 2
    "$tcflow" -q -i "$trace/traces.otf2" -o "pipeline.chain=$chain" "$@" \
        -o select.regions=MPI_Barrier -o select.kinds=LEAVE 2>"$work/stderr" |
        awk '$1 == "LEAVE" { before[$2] = last[$2]; last[$2] = $3 }
             END { for (l in last) { if (first == "" || before[l] < first) first = before[l]
                                     if (last[l] > end) end = last[l] }
                   printf "%.9f\n", (end - first) / 1e9 }' || { cat "$work/stderr" >&2; return 1; }
}

# compensated TRACE MODE [OPTION...], with what $work/overhead.ini says.
compensated()
{
    local trace=$1 mode=$2
    shift 2
    interval "$trace" "overhead select print" -c "$work/overhead.ini" -o "overhead.mode=$mode" \
        -o overhead.format=csv -o overhead.output="$work/report" -o overhead.overwrite=yes "$@"
}

# use_constants FILE: compensated() takes the constants that tcflow-calibrate has written there.
use_constants()
{
    { echo '[pipeline]'; grep -v '^;' "$1"; } >"$work/overhead.ini"
}
