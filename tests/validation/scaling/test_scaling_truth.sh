#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Programs with a known cause of scaling loss: their truth is what their text says, the cause takes the share of the time
# that it should, and one of them is recorded at 4, 8 and 16 ranks in order.
. "${top_srcdir:-$(dirname "$0")/../../..}/tests/support/lib.sh"
usual_build_only
here=$top_srcdir/tests/validation
. "$here/smpi.sh"

what=$(smpi_missing) && skip_all "$what is missing"
have otf2-print || skip_all "otf2-print is missing"
have python3 || skip_all "python3 is missing"
export PYTHONDONTWRITEBYTECODE=1

# Truth and text of many programs agree: the cause is in the function of the true path, and its ranks exist.
ok "seeds 1 to 200: the truth is what the text says" python3 - "$here/scaling" <<'END'
import re, sys
sys.path.insert(0, sys.argv[1])
import draw
kinds = set()
for seed in range(1, 201):
    p, again = draw.draw(seed), draw.draw(seed)
    assert p.text == again.text and p.paths == again.paths, "seed %d: drawn twice, two programs" % seed
    kinds.add(p.kind)
    if p.kind is None:
        assert not p.paths and not p.ranks and "amplitude" not in p.text, "seed %d: a cause" % seed
        continue
    assert len(re.findall(r"\bamplitude\b", p.text)) == 1, "seed %d: not one cause" % seed
    assert p.ranks and 0 <= min(p.ranks) and max(p.ranks) < p.sizes[-1], "seed %d: ranks" % seed
    assert p.ranks == sorted(set(p.ranks)) and 0.08 <= p.share <= 0.6, "seed %d: share" % seed
    # the function with the cause in it, up to there
    begin = p.text.rindex("\n{\n", 0, p.text.index("amplitude"))
    function = re.search(r"(\w+)\([^()]*\)$", p.text[:begin]).group(1)
    before = p.text[begin:p.text.index("amplitude")]
    assert not p.only_mpi or "REGION(" not in p.text and "LOOP(" not in p.text, "seed %d: regions" % seed
    leaf = [n for n in p.paths[0] if not n.startswith(("MPI_", "(after"))][-1:]
    assert not leaf or leaf[0] == function or leaf[0] in before, "seed %d: %s isn't around the cause" % (seed, leaf[0])
    if p.paths[0][-1].startswith("(after "):
        assert p.paths[0][-1][7:-1] in p.text, "seed %d: no such call" % seed
assert kinds == set(draw.KINDS) | {None}, "kinds that are never drawn"
END

# One program with a late rank as its cause, and one without.
export SMPI="$here/scaling/smpi" WORK="$work" TCFLOW SCALING="$top_builddir/tcflow-scaling" PRESET="$top_srcdir/examples/scaling.ini"
ok "the recorder compiles" smpi_setup
python3 - "$here/scaling" "$work" >"$work/truth" 2>"$work/said" <<'END'
import json, os, sys
sys.path.insert(0, sys.argv[1])
import draw, validate


def drawn(kind):
    """The first seed of this kind which suits: sizes from 4 on, regions, a cause in a region of its own."""
    for p in map(draw.draw, range(1, 1000)):
        if p.kind == kind and p.sizes[:3] == [4, 8, 16] and not p.only_mpi:
            if not kind or not p.paths[0][-1].startswith("(after") and p.ranks[0] < 4 and p.share > 0.2:
                p.sizes = p.sizes[:3]
                return p


for name, p in ("late", drawn("one rank")), ("none", drawn(None)):
    measured = {}
    archives = validate.recorded(p, os.path.join(sys.argv[2], name), measured)
    place = "", ""
    if os.path.exists(os.environ["SCALING"]) and os.path.exists(os.environ["PRESET"]):
        causes = validate.analyse(p, os.path.join(sys.argv[2], name), archives)["causes"]
        place = validate.judge(p, causes) if p.kind else ("silent" if not causes else causes[0]["call_path"], "")
    print(p.paths[0][-1] if p.kind else "", *p.ranks[:1], p.share, measured["share"], *place, sep="\t")
END
tap $? "the cause's strength is found, and all sizes are recorded" || diag "$(cat "$work/said")"
IFS='	' read -r region rank want share place ranks_right <"$work/truth"
diag "$region on rank $rank, $share of the time, $want wanted"
ok "the cause takes the share that was drawn" awk -v a="$want" -v b="$share" 'BEGIN { exit !(a - b < 0.05 && b - a < 0.05) }'
for ranks in 4 8 16; do
    trace=$work/late/$ranks/traces.otf2
    like "$ranks ranks: check finds nothing" "$(tcflow -q -i "$trace" -o pipeline.chain=check)" '^No findings'
    otf2-print "$trace" 2>"$work/said" | awk -v name="\"$region\"" 'index($0, name) && $1 == "ENTER" { begin[$2] = $3 }
        index($0, name) && $1 == "LEAVE" { time[$2] += $3 - begin[$2] }
        END { for (l in time) print time[l], l }' | sort -rn | head -n 1 >"$work/most"
    is "$ranks ranks: rank $rank is longest in $region" "$(cut -d ' ' -f 2 <"$work/most")" "$rank"
done
if [ -x "$SCALING" ] && [ -e "$PRESET" ]; then
    is "tcflow-scaling has the cause first, and its rank" "$place $ranks_right" "1 True"
    is "of the other program it says nothing" "$(tail -n 1 "$work/truth" | cut -f 4)" "silent"
else
    skip "tcflow-scaling's answer" "tcflow-scaling or examples/scaling.ini isn't there"
fi
done_testing
