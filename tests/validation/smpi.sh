# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

# Builds C programs and runs them under SimGrid's SMPI, with the recorder of this folder or without. To be sourced; $here
# is this folder, $work one to write in.
#
# A run is deterministic. Each rank has a node of its own: 1 Gflop/s, 10 GB/s and 1 us to a switch that all share; between
# two ranks of one node there is no network. Computing takes the time that the program declares by smpi_execute(), and no
# other. To send and to receive a message takes 0.3 us and 0.1 ns a byte of the processor's time; one of less than 64 KiB
# is sent without waiting for the receiver.

SMPICC=${SMPICC:-smpicc}
SMPIRUN=${SMPIRUN:-smpirun}
smpi_most_ranks=1024

# smpi_missing: prints what is missing here, and succeeds if anything is.
smpi_missing()
{
    if ! command -v "$SMPICC" >/dev/null || ! command -v "$SMPIRUN" >/dev/null; then
        echo "SimGrid's SMPI (Debian: libsimgrid-dev)"
    elif ! smpi_otf2=$(pkg-config --cflags --libs otf2 2>/dev/null || otf2-config --cflags --ldflags --libs 2>/dev/null); then
        echo "OTF2 (Debian: libotf2-trace-dev)"
    else
        return 1
    fi
}

# smpi_setup: compiles the recorder, and describes the nodes.
smpi_setup()
{
    smpi_missing >/dev/null && return 1
    for smpi_file in recorder_archive recorder_functions recorder_mpi; do
        # shellcheck disable=SC2086 # words
        "$SMPICC" -O2 -c "$here/$smpi_file.c" $smpi_otf2 -o "$work/smpi_$smpi_file.o" || return 1
    done
    cat >"$work/smpi_platform.xml" <<EOF
<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="node" suffix="" radical="0-$((smpi_most_ranks - 1))" speed="1Gf" bw="10GBps" lat="1us"
    loopback_bw="1000000GBps" loopback_lat="0us"/>
</platform>
EOF
    smpi_node=0
    while [ "$smpi_node" -lt "$smpi_most_ranks" ]; do
        echo "node$smpi_node"
        smpi_node=$((smpi_node + 1))
    done >"$work/smpi_hosts"
}

# smpi_bare SOURCE PROGRAM [FLAG...]: without the recorder. smpi_recorded: with it; with the flag -finstrument-functions it
# records functions, too.
smpi_bare()
{
    smpi_source=$1
    smpi_program=$2
    shift 2
    "$SMPICC" -O2 "$@" "$smpi_source" -lm -o "$smpi_program"
}
smpi_recorded()
{
    # -Bsymbolic: the program's own MPI calls are the recorder's, however SimGrid loads it.
    # shellcheck disable=SC2086
    smpi_bare "$@" -I"$here" -Wl,-Bsymbolic "$work"/smpi_recorder_*.o $smpi_otf2 -ldl
}

# smpi_run RANKS PROGRAM [ARGUMENT...]: RECORDER_OUT and RECORDER_COST in the environment reach the recorder; with
# SMPI_HOSTS, a file of names from node0 on, ranks run on those nodes.
smpi_run()
{
    smpi_ranks=$1
    shift
    TMPDIR=$work "$SMPIRUN" -np "$smpi_ranks" \
        -platform "$work/smpi_platform.xml" -hostfile "${SMPI_HOSTS:-$work/smpi_hosts}" \
        --log=root.thres:error --cfg=surf/precision:1e-12 \
        --cfg=smpi/simulate-computation:no --cfg=smpi/host-speed:1e9 --cfg=smpi/cpu-threshold:-1 --cfg=smpi/alltoall:pair \
        --cfg=smpi/wtime:0 --cfg=smpi/test:1e-7 --cfg=smpi/iprobe:1e-7 --cfg=smpi/grow-injected-times:no \
        --cfg=smpi/os:0:3e-7:1e-10 --cfg=smpi/ois:0:3e-7:1e-10 --cfg=smpi/or:0:3e-7:1e-10 \
        --cfg=smpi/async-small-thresh:65536 --cfg=smpi/send-is-detached-thresh:65536 "$@"
}
