#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# memcheck.sh <build folder> <transport>
#
# Method: an OpenSHMEM, an ARMCI and a native program run under valgrind's memcheck, which puts memory at low addresses
# and has a few system calls only. It finds no fault, and the programs end well.
set -u
build=$(realpath "$1")
transport=$2
code=0

command -v valgrind >/dev/null || {
    echo "Skipped: there is no valgrind"
    exit 77
}
[[ $transport != xdp || $EUID == 0 ]] || {
    echo "Skipped: the xdp transport needs root"
    exit 77
}
options=(-n 2 -t "$transport" --peer-timeout 60000)
[[ $transport == shm ]] || options+=(-N 2)
[[ $transport != udp ]] || options+=(--udp-port $((10000 + $$ % 20000)))
for program in "shmem/forks traced" armci/memcheck api/c_program; do
    read -ra words <<<"$program"
    said=$(timeout 120 "$build/tools/syncline" run "${options[@]}" -- \
        valgrind -q --error-exitcode=9 "$build/tests/${words[0]}" "${words[@]:1}" 2>&1 >/dev/null)
    status=$?
    if ((status != 0)) || [[ -n $said ]]; then
        echo "$program: exit code $status, expected 0 and silence, got: $said"
        code=1
    fi
done
exit $code
