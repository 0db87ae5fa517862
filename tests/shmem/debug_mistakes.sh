#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# debug_mistakes.sh <build folder> <configuration>
#
# Each mistake ends the job with an error message that says which call, and what is wrong with it; without one nothing
# is said. 77: this machine cannot run the configuration.
set -u
build=$1
configuration=$2
export SHMEM_DEBUG=1

run() { # <mistake>
    timeout 50 "$(dirname "$0")/../api/run" "$build" "$configuration" -- ../shmem/debug_mistakes "$1" 2>&1
}

output=$(run none)
code=$?
if ((code != 0)); then
    echo "$output"
    ((code == 77)) || echo "without a mistake it exits with $code"
    exit $code
fi

failed=0
while IFS='|' read -r mistake sentence; do
    output=$(run "$mistake")
    code=$?
    if ((code == 0)) || ! grep -Eq "^PE [0-9]+: $sentence" <<<"$output"; then
        printf '%s: exit code %d; expected "%s", but it says:\n%s\n' "$mistake" "$code" "$sentence" "$output"
        failed=1
    fi
done <<'END'
put-overlap|shmem_long_put: dest, 64 bytes at 0x[0-9a-f]+, and source, 64 bytes at 0x[0-9a-f]+, overlap
get-overlap|shmem_long_get: dest, 64 bytes at 0x[0-9a-f]+, and source, 64 bytes at 0x[0-9a-f]+, overlap
reduce-overlap|shmem_long_sum_reduce: dest, 64 bytes .* overlap
fcollect-overlap|shmem_long_fcollect: dest, [0-9]+ bytes .*, and source, 8 bytes at .*, overlap
other-call|shmem_(long_fcollect: PE 1 is in shmem_barrier_all|barrier_all: PE [023] is in shmem_long_fcollect) instead
other-root|shmem_long_broadcast: PE [0-9]+ passes other arguments than PE [0-9]+
other-count|shmem_long_sum_reduce: PE [0-9]+ passes other arguments than PE [0-9]+
other-dest|shmem_long_sum_reduce: PE [0-9]+ passes other arguments than PE [0-9]+
other-size|shmem_malloc: PE [0-9]+ passes other arguments than PE [0-9]+
END
exit $failed
