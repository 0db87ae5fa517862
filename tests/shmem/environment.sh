#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# environment.sh <build folder>
#
# Method: the four variables of the specification under both prefixes, by `syncline run` and for a program alone. A
# size is looked at by what SHMEM_INFO says of the heap: the size of the variable, rounded up, plus what the library
# keeps for itself. A value that is no size ends the program with an error message.
set -u
build=${1:?usage: environment.sh <build folder>}
program=$build/tests/shmem/executors
export SHMEM_VERSION= # the tests below set what they want
unset SHMEM_VERSION
code=0
complain() {
    echo "$*"
    code=1
}
run=("$build/tools/syncline" run -q -n 2 -t shm --)

# The heap's bytes, as PE 0 says it.
heap_of() { # <command>...
    SHMEM_INFO=1 "$@" 2>&1 | sed -n 's/.* heap of \([0-9]*\) bytes$/\1/p'
}
# At least the size, and no more than the library's own on top of it.
expect_size() { # <size as set> <bytes> <variable> <command>...
    local size=$1 bytes=$2 variable=$3 heap
    shift 3
    heap=$(heap_of env "$variable=$size" "$@")
    if [[ -z $heap ]] || ((heap < bytes || heap > bytes + 3 * 65536)); then
        complain "$variable=$size: a heap of '$heap' bytes where $bytes and a little were due"
    fi
}
for start in alone run; do
    command=("$program")
    [[ $start == run ]] && command=("${run[@]}" "$program")
    for variable in SHMEM_SYMMETRIC_SIZE SMA_SYMMETRIC_SIZE; do
        expect_size 20m 20971520 $variable "${command[@]}"
        expect_size 20M 20971520 $variable "${command[@]}"
        expect_size 20971520 20971520 $variable "${command[@]}"
    done
    expect_size 3.1M 3250586 SHMEM_SYMMETRIC_SIZE "${command[@]}"
    expect_size .5m 524288 SHMEM_SYMMETRIC_SIZE "${command[@]}"
    expect_size 0.5M 524288 SHMEM_SYMMETRIC_SIZE "${command[@]}"
    expect_size 300k 307200 SHMEM_SYMMETRIC_SIZE "${command[@]}"
    expect_size 20kk 20480 SHMEM_SYMMETRIC_SIZE "${command[@]}"
    expect_size 2MiB 2097152 SHMEM_SYMMETRIC_SIZE "${command[@]}"
    expect_size 2MB-or-so 2097152 SHMEM_SYMMETRIC_SIZE "${command[@]}"
    expect_size 1.0e6 1000000 SHMEM_SYMMETRIC_SIZE "${command[@]}"
    expect_size 0.0625G 67108864 SHMEM_SYMMETRIC_SIZE "${command[@]}"
    expect_size 0.0001t 109951163 SHMEM_SYMMETRIC_SIZE "${command[@]}"
    expect_size 0 0 SHMEM_SYMMETRIC_SIZE "${command[@]}"
    expect_size 2m 2097152 SHMEM_SYMMETRIC_SIZE env SMA_SYMMETRIC_SIZE=8m SYNCLINE_HEAP_SIZE=16m "${command[@]}"
    expect_size 8m 8388608 SMA_SYMMETRIC_SIZE env SYNCLINE_HEAP_SIZE=16m "${command[@]}"
    expect_size 16MiB 16777216 SYNCLINE_HEAP_SIZE "${command[@]}"
    for nonsense in much 20x -1 -0.5m '' ' 1m' inf nan M 0x10; do
        for variable in SHMEM_SYMMETRIC_SIZE SMA_SYMMETRIC_SIZE; do
            said=$(env "$variable=$nonsense" "${command[@]}" 2>&1 >/dev/null) &&
                complain "$start: $variable='$nonsense' is accepted"
            [[ $said == *"$variable is '$nonsense': needs a size such as 64M or 1.5g" ]] ||
                complain "$start: $variable='$nonsense': '$said'"
        done
    done
done
# The command's options count before the environment.
heap=$(heap_of env SHMEM_SYMMETRIC_SIZE=64m "$build/tools/syncline" run -q -t shm --heap 2MiB "$program")
((heap < 4194304)) || complain "--heap 2MiB and SHMEM_SYMMETRIC_SIZE=64m: a heap of $heap bytes"

# Each once, by PE 0.
version='^Syncline OpenSHMEM, OpenSHMEM 1\.6$'
expect_lines() { # <number> <line> <NAME=value>...
    local number=$1 line=$2 found
    shift 2
    found=$(env "$@" "${run[@]}" "$program" 2>&1 | grep -cE "$line")
    [[ $found == "$number" ]] || complain "$*: $found lines '$line' where $number were due"
}
expect_lines 0 "$version"
expect_lines 1 "$version" SHMEM_VERSION=1
expect_lines 1 "$version" SMA_VERSION=yes
expect_lines 0 "$version" SHMEM_VERSION=0 SMA_VERSION=1
expect_lines 1 "$version" SHMEM_INFO=1
expect_lines 1 "$version" SMA_INFO=1
expect_lines 1 '^SHMEM_SYMMETRIC_SIZE=8m$' SHMEM_INFO=1 SHMEM_SYMMETRIC_SIZE=8m SMA_SYMMETRIC_SIZE=9m
expect_lines 1 '^SMA_SYMMETRIC_SIZE=9m$' SMA_INFO=1 SMA_SYMMETRIC_SIZE=9m
expect_lines 4 '^(SHMEM|SMA)_[A-Z_]*=' SHMEM_INFO=1

# SMA_DEBUG looks at collectives as SHMEM_DEBUG does.
expect_debug() { # <is it said?> <NAME=value>...
    local said
    said=$(env "${@:2}" "${run[@]}" "$build/tests/shmem/debug_mistakes" put-overlap 2>&1)
    [[ $said == *overlap* ]] && said=yes || said=no
    [[ $said == "$1" ]] || complain "${*:2}: is the overlap found? $said"
}
expect_debug yes SMA_DEBUG=1
expect_debug yes SHMEM_DEBUG=1
expect_debug no SHMEM_DEBUG=0 SMA_DEBUG=1
exit $code
