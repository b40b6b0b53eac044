#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# All filters of tcflow, and the example of one out of tree, keep the rules that tcflow --torture knows.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"

torture=$top_builddir/tcflow-torture
CC=${CC:-cc}
seeds=${SEEDS:-1}

keeps()
{
    what=$1
    shift
    out=$("$torture" "$@" --seed "${FIRST:-1}" --seeds "$seeds" --timeout 120 2>&1)
    status=$?
    is "$what keeps the rules" $status 0
    [ $status -eq 0 ] || diag "$out"
}

for f in "$top_srcdir"/filters.d/*.ini; do
    name=$(basename "$f" .ini)
    set -- "$name"
    case $name in
    timeline) set -- "$@" --survey wait_states ;;
    esac
    keeps "$name" "$@"
done

# With parameters that make them do more.
keeps "select by time" select -o from=1us -o to=5us
keeps "presync after a survey" presync --survey clock_estimate
keeps "clc_backward with its whole chain" clc_backward --survey "clock_estimate mu_estimate" --chain "presync clc_forward clc_backward"
keeps "skew" skew -o drift=10 -o seed=3
keeps "a report of print in JSON" print -o format=json
keeps "overhead with sends that wait" overhead -o rendezvous=1

# Where memory is out the run fails; sanitizers look after memory themselves.
if nm "$torture" 2>/dev/null | grep -q __asan_init; then
    skip "messages for which clock_estimate has no memory" "with a sanitizer no allocation fails"
else
    out=$("$torture" clock_estimate --seed 1 --seeds 1 --step memory -v 2>&1)
    like "messages for which clock_estimate has no memory" "$out" "out of memory for the clocks of"
    is "are not said to be too many" "$(echo "$out" | grep 'fit in .memory')" ""
fi

$CC -std=c11 -g -fPIC -shared -fvisibility=hidden -I"$top_srcdir/include" -o "$work/shift.so" \
    "$top_srcdir/examples/custom-filter/shift.c"
keeps "examples/custom-filter/shift" "$work/shift.so" -o by=5us
done_testing
