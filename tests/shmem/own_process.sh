#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# own_process.sh <build folder> <configuration> <part>
#
# Method: programs with threads, children and libraries of their own end with the status and the error messages that
# they must have, and with no other message.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$(realpath "$1")
configuration=$2
code=0

run() { # <status> <sentences, as a regular expression, or nothing> <program> [<argument>...]
    local wanted=$1 sentences=$2 status=0 said others
    shift 2
    said=$(timeout 60 "$here/../api/run" "$build" "$configuration" -- "../shmem/$1" "${@:2}" 2>&1 >/dev/null) || status=$?
    ((status == 77)) && exit 77
    others=$(grep -vE "^($sentences)\$" <<<"$said")
    if ((status != wanted)) || [[ -n $others ]] || { [[ -n $sentences && -z $said ]]; }; then
        echo "$*: exit code $status, expected $wanted and '$sentences', got: $said"
        code=1
    fi
}

heap="syncline: this process is a fork\(\) child of a PE: only the PE itself may access the symmetric heap"
stands='PE [0-9]+: shmem_init_thread: the program has [0-9]+ threads, which must stand still while its variables move.*'
tenth=$build/tests/shmem/libpart_10.so
lacks="PE 0: shmem_init: not all PEs have loaded the same .*libpart_10\.so: its variables are not symmetric"

case $3 in
    forks)
        run 0 '' forks copies
        run 0 '' forks traced
        run 0 '' forks rights
        run 0 '' forks narrow
        ;;
    forks_heap)
        run 0 "$heap" forks heap
        [[ $2 == memory* ]] && run 0 '' forks handler # glibc's fork() itself has locks where there are threads
        ;;
    threads)
        configuration=$2:2on2 # threads that count need the CPUs
        [[ $2 == memory* ]] && configuration=$2:2on1
        run 0 '' early_threads
        run 0 '' early_threads
        run 1 "$stands" early_threads traced
        run 1 "$stands" early_threads namespace
        ;;
    sparse)
        run 0 '' sparse
        ;;
    libraries)
        run 0 '' libraries linked
        run 0 '' libraries relative "$tenth"
        run 0 "$lacks" libraries preloaded "$tenth"
        run 0 "$lacks" libraries opened "$tenth"
        configuration=alone # where the variables of so many libraries move to a file, which may be too long
        ulimit -Sf 2
        run 1 'PE 0: shmem_init: cannot make [0-9]+ bytes of memory: File too large.*' libraries linked
        ;;
esac
exit $code
