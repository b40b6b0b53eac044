#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# `make validate-scaling`: how often tcflow-scaling finds the one known cause of programs that are drawn from seeds, and is
# silent where there is none. README.md says what is drawn and compared. Each program is recorded under SimGrid's SMPI at
# each of its sizes; validate.py does the rest.
#
# FIRST (1), LAST (60): the seeds. OUT: folder for scaling.txt and scaling.json ("validation"). KEEP: a folder where programs,
# archives and databases stay; what is there already isn't recorded again. TCFLOW, SCALING, PRESET: the programs and the
# settings under test. BLAS, OPENBLAS: the libraries of the case study Nekbone.
# Ends with 77 when something is missing.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
here=$top/tests/validation
top_builddir=${top_builddir:-$top/build}
export TCFLOW=${TCFLOW:-$top_builddir/tcflow} SCALING=${SCALING:-$top_builddir/tcflow-scaling}
export PRESET=${PRESET:-$top/examples/scaling.ini}
out=${OUT:-validation}
. "$here/smpi.sh"

missing()
{
    echo "validate-scaling: $* is missing: nothing to be done here" >&2
    exit 77
}
! what=$(smpi_missing) || missing "$what"
command -v python3 >/dev/null || missing python3
for file in "$TCFLOW" "$SCALING" "$PRESET"; do
    [ -e "$file" ] || missing "$file"
done

base=${SCRATCH:-/dev/shm}
[ -w "$base" ] || base=${TMPDIR:-/tmp}
work=$(mktemp -d "$base/tcflow-scaling.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$out"
smpi_setup
export SMPI=$here/scaling/smpi WORK=$work PYTHONDONTWRITEBYTECODE=1
python3 "$here/scaling/validate.py" ${KEEP:+--keep "$KEEP"} --out "$out" "${FIRST:-1}" "${LAST:-60}"
python3 "$here/scaling/cases.py"
