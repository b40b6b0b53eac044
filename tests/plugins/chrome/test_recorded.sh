#!/bin/sh
# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Files that programs record here: Chromium's own tracing, in JSON and in Perfetto's form, and PyTorch's profiler over two processes that
# communicate. Each reader finds what another program finds in the file, and every event of the archive that otf2_write makes is there.
. "${top_srcdir:-$(dirname "$0")/../..}/tests/support/lib.sh"
. "$top_srcdir/tests/support/readers.sh"

have python3 || skip_all "python3 is not installed"
"$TCFLOW" --list-sources | grep -q '^  chrome ' || skip_all "built without yajl"
export PYTHONDONTWRITEBYTECODE=1
cd "$work" || exit 1

# recorded NAME READER FILE: what is said of a file that was recorded
recorded()
{
    ok "$1: as another program reads it" agrees "$2" "$3"
    rm -rf copy
    ok "$1: a copy" "$TCFLOW" -q -i "$3" -o pipeline.chain=otf2_write -o otf2_write.path=copy
    is "$1: which has all of its calls" "$("$TCFLOW" -q -i copy -o pipeline.chain=print -o print.format=json | grep -c '"event":"ENTER"')" \
        "$(grep -c '^call' expected)"
    ok "$1: a profile" "$TCFLOW" -q -i "$3" -o pipeline.chain="profile load_imbalance comm_comp check"
}

browser=$(command -v chromium || command -v chromium-browser)
if [ -z "$browser" ]; then
    skip "traces of Chromium" "Chromium is not installed"
else
    page='data:text/html,<h1>recorded</h1><script>for (let i = 0; i < 1e6; i++);</script>'
    for format in json proto; do
        timeout 100 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$work/user" --timeout=2500 --dump-dom \
            --trace-startup=toplevel,cc,blink,v8 --trace-startup-duration=1 --trace-startup-file="$work/browser.$format" \
            --trace-startup-format="$format" "$page" >said 2>&1
        if [ ! -s "browser.$format" ]; then # other versions have other options
            skip "a trace of Chromium, $format" "this Chromium records none"
        elif [ "$format" = json ]; then
            recorded "Chromium, $format" chrome browser.json
        else
            recorded "Chromium, $format" perfetto browser.proto
        fi
    done
fi

torch=
for python in /usr/bin/python3 python3; do
    ! "$python" -c 'import torch.distributed, torch.profiler' 2>/dev/null || { torch=$python && break; }
done
if [ -z "$torch" ]; then
    skip "traces of PyTorch" "PyTorch is not installed (Debian: python3-torch)"
else
    cat >program.py <<'end'
import os, sys
import torch
import torch.distributed as dist
from torch.profiler import ProfilerActivity, profile

rank = int(sys.argv[1])
dist.init_process_group("gloo", init_method="file://" + os.path.abspath("rendezvous"), rank=rank, world_size=2)
x = torch.ones(64, 64)
with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as recording:
    for _ in range(4):
        y = (x @ x).relu().sum(0)
        dist.all_reduce(y)
        dist.send(y, 1) if rank == 0 else dist.recv(y, 0)
        dist.barrier()
recording.export_chrome_trace("rank%d.json" % rank)
end
    timeout 100 "$torch" program.py 1 >said.1 2>&1 &
    timeout 100 "$torch" program.py 0 >said.0 2>&1
    wait
    if [ -s rank0.json ] && [ -s rank1.json ]; then
        recorded "PyTorch" chrome rank0.json
        ok "two processes of PyTorch" "$TCFLOW" -q -i "rank0.json rank1.json" -o pipeline.chain="profile wait_states check"
    else
        skip "traces of PyTorch" "this PyTorch records none: $(tail -n 1 said.0)"
    fi
fi
done_testing
