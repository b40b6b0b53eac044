# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# What the benches share; each sources it with the name of its own. Sets `here`, `top_builddir`, `tcflow`, and `work`: a folder for
# traces in SCRATCH (/dev/shm), which goes when the bench ends.
# shellcheck shell=bash disable=SC2034 # the bench uses them
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top_builddir=${top_builddir:-$here/../../build}
tcflow=${TCFLOW:-$top_builddir/tcflow}
base=${SCRATCH:-/dev/shm}
[ -w "$base" ] || base=${TMPDIR:-/tmp}
work=$(mktemp -d "$base/tcflow-$1.XXXXXX")
trap 'rm -rf "$work"' EXIT
