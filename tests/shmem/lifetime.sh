#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# lifetime.sh <build folder> <configuration>
#
# Method: PEs that end after their last shmem_finalize() end well, however they do it. Where one has ended, the others
# cannot be initialised again: they say so instead of waiting for it.
set -u
here=$(cd "$(dirname "$0")" && pwd)
code=0
run() { # <how>
    status=0
    said=$(timeout 40 "$here/../api/run" "$build" "$configuration" -- ../shmem/lifetime "$1" 2>&1 >/dev/null) || status=$?
    ((status == 77)) && exit 77
}
build=$1
configuration=$2

run leave
if ((status != 0)) || [[ -n $said ]]; then
    echo "leave: exit code $status and '$said', expected 0 and silence"
    code=1
fi
run desert
if ((status == 0 || status == 124)) || ! grep -qE '^PE [0-9]+: shmem_init: a PE has ended, and ' <<<"$said"; then
    echo "desert: exit code $status and '$said', expected a sentence of shmem_init"
    code=1
fi
exit $code
