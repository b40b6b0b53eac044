#!/usr/bin/env bash
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# `make validate-diagnosis`: how often the first sentence of a diagnosis names the one flaw that was put into a program, and
# how often nothing stands out in healthy ones. README.md says what is drawn and compared.
#
# FIRST (1), LAST (10): the seeds. KINDS: only these flaws ("late_sender healthy"). OUT: folder for diagnosis.txt and
# diagnosis.json ("validation"). TCFLOW, SYNTH: the programs.
set -euo pipefail

top=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
top_builddir=${top_builddir:-$top/build}
export TCFLOW=${TCFLOW:-$top_builddir/tcflow} SYNTH=${SYNTH:-$top_builddir/tcflow-synth}
command -v python3 >/dev/null || { echo "validate-diagnosis: python3 is missing: nothing to be done here" >&2; exit 77; }
base=${SCRATCH:-/dev/shm}
[ -w "$base" ] || base=${TMPDIR:-/tmp}
WORK=$(mktemp -d "$base/tcflow-diagnosis.XXXXXX")
export WORK PYTHONDONTWRITEBYTECODE=1
trap 'rm -rf "$WORK"' EXIT
out=${OUT:-validation}
mkdir -p "$out"
python3 "$top/tests/validation/diagnosis/validate.py" --out "$out" --kinds "${KINDS:-}" "${FIRST:-1}" "${LAST:-10}"
