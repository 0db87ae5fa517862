#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# memcheck.sh <build folder> <transport>
#
# Method: an OpenSHMEM, an ARMCI and a native program run under valgrind's memcheck, which puts memory at low addresses
# and has a few system calls only. It finds no fault, and the programs end well. The launcher and its daemon do likewise, but
# over shm only, because libbpf passes the kernel bytes that it has not written.
set -u
build=$(realpath "$1")
transport=$2
code=0
memcheck=(valgrind -q --error-exitcode=9)

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
        "${memcheck[@]}" "$build/tests/${words[0]}" "${words[@]:1}" 2>&1 >/dev/null)
    status=$?
    if ((status != 0)) || [[ -n $said ]]; then
        echo "$program: exit code $status, expected 0 and silence, got: $said"
        code=1
    fi
done
if [[ $transport == shm ]]; then
    said=$(timeout 120 "${memcheck[@]}" --trace-children=yes --trace-children-skip='*/c_program' \
        "$build/tools/syncline" run "${options[@]}" -- "$build/tests/api/c_program" 2>&1 >/dev/null)
    status=$?
    if ((status != 0)) || [[ -n $said ]]; then
        echo "syncline run: exit code $status, expected 0 and silence, got: $said"
        code=1
    fi
fi
exit $code
