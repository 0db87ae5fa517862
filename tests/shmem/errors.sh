#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# errors.sh <build folder> <configuration>
#
# Method: every call of errors.c that makes no sense ends the job with an error, and one error message on stderr names
# the PE, the call, the address where there is one, and the rule.
set -u
here=$(cd "$(dirname "$0")" && pwd)
code=0
expect() { # <build folder> <configuration> <what> <sentence, as a regular expression>
    local said status=0
    said=$("$here/../api/run" "$1" "$2" -- ../shmem/errors "$3" 2>&1 >/dev/null) || status=$?
    ((status == 77)) && exit 77
    if ((status == 0)) || (($(grep -cE "^PE 0: $4\$" <<<"$said") != 1)); then
        echo "$3: exit code $status, expected one sentence 'PE 0: $4', got: $said"
        code=1
    fi
}
expect "$1" "$2" pe 'shmem_long_p: there is no PE [0-9]+; the PEs are 0 to [0-9]+'
expect "$1" "$2" negative 'shmem_long_atomic_fetch_inc: there is no PE -1; the PEs are 0 to [0-9]+'
expect "$1" "$2" address 'shmem_long_put: 8 bytes at 0x[0-9a-f]+ \(for PE [0-9]+\) are not symmetric: .*'
expect "$1" "$2" alignment \
    'shmem_long_atomic_inc: 0x[0-9a-f]+ \(for PE [0-9]+\) is not aligned to the 8 bytes of an atomic operation'
expect "$1" "$2" context 'shmem_ctx_long_p: the context is SHMEM_CTX_INVALID'
exit $code
