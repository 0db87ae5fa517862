#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# memory_limit.sh <build folder> <configuration>
#
# Method: PEs whose heaps grow until shmem_malloc() returns NULL, under a limit that the user sets, and in a control group
# with one, where this machine lets us make one. No PE is killed, all heaps together stay below the limit, and come near
# it. A job whose first heaps are more than the limit does not start, and says so.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$1
configuration=$2
mib=$((1 << 20))
group=

clean_up() {
    if [[ -n $group ]]; then
        rmdir "$group"
    fi
}
trap clean_up EXIT

# Below the limit, and at least a quarter of it.
check() { # <what> <exit code> <limit> <output>
    local sum
    sum=$(awk '$1 == "grown" { sum += $3 } END { printf "%d", sum }' <<<"$4")
    if (($2 != 0 || sum > $3 || sum < $3 / 4)); then
        echo "$1: exit code $2, all PEs have grown to $sum of $3 bytes: $4"
        exit 1
    fi
    echo "$1: all PEs have grown to $((sum / mib)) of $(($3 / mib)) MiB"
}

said=$("$here/../api/run" "$build" "$configuration" --memory-limit 512MiB --heap 16MiB -- ../shmem/memory_limit 2>&1)
status=$?
((status == 77)) && exit 77
check "--memory-limit" $status $((512 * mib)) "$said"

if said=$("$here/../api/run" "$build" "$configuration" --memory-limit 512MiB --heap 200MiB -- ../shmem/memory_limit 2>&1) ||
    ! grep -q "PEs, with 200.1 MiB of heap each, begin with .* more than the limit of 512.0 MiB" <<<"$said"; then
    echo "a job that begins with more than the limit says: $said"
    exit 1
fi

# A group beside the others, of either version.
for limit in /sys/fs/cgroup/syncline-test-$$/memory.max /sys/fs/cgroup/memory/syncline-test-$$/memory.limit_in_bytes; do
    if [[ -z $group && -e ${limit%/*/*}/cgroup.procs ]] && mkdir "${limit%/*}" 2>/dev/null; then
        group=${limit%/*}
        if [[ ! -e $limit ]] || ! echo $((768 * mib)) >"$limit"; then
            rmdir "$group"
            group=
        fi
    fi
done
if [[ -z $group ]]; then
    echo "no control group with a limit can be made here"
    exit 0
fi
said=$(
    echo "$BASHPID" >"$group/cgroup.procs" || exit 9
    exec "$here/../api/run" "$build" "$configuration" --heap 16MiB -- ../shmem/memory_limit 2>&1
)
check "$group" $? $((768 * mib)) "$said"
