#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# exits.sh <build folder> <configuration>
#
# Method: a PE ends before shmem_init(), or while others wait for it; the job ends with a status and a whole sentence in
# bounded time. A child of fork() that exits changes nothing.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$1
configuration=$2
code=0

run() { # <argument of exits>...: sets said, status
    status=0
    said=$(timeout 30 "$here/../api/run" "$build" "$configuration" -- ../shmem/exits "$@" 2>&1 >/dev/null) || status=$?
    ((status == 77)) && exit 77
}
ends() { # <status> <sentence, as a regular expression> <argument>...
    local wanted=$1 sentence=$2
    shift 2
    run "$@"
    if ((status != wanted)) || ! grep -qE "^($sentence)\$" <<<"$said" || grep -qE ': $' <<<"$said"; then
        echo "$*: exit code $status, expected $wanted and '$sentence', got: $said"
        code=1
    fi
}
goes_on() { # <sentence that has to be there, or nothing> <argument>...
    local sentence=$1
    shift
    run "$@"
    if ((status != 0)) || { [[ -n $sentence ]] && ! grep -qE "$sentence" <<<"$said"; }; then
        echo "$*: exit code $status, expected 0 and '$sentence', got: $said"
        code=1
    fi
}

ends 1 'syncline: PE 1 ended \(exit code 0\) before it joined the job: ending the job' early 0
ends 6 'syncline: PE 1 ended \(exit code 6\) before it joined the job: ending the job' early 6
# The launcher or another PE is the first to notice.
gone='PE [0-9]+: shmem_[a-z_]+: .* gone.*'
ended='syncline: PE 1 ended \(exit code [04]\) without finalizing: ending the job'
for waits in wait_until test lock test_lock barrier put memory; do
    ends 3 'PE 1: exit\(3\) before shmem_finalize\(\) ends the job' exit "$waits"
    ends 1 "$gone|$ended" _exit "$waits"
    ends 4 "$gone|$ended" quick_exit "$waits"
    # A loop without a call learns nothing of a PE that a signal killed.
    [[ $waits == memory ]] || ends 137 "$gone" killed "$waits"
done
goes_on '' fork exit
goes_on '' fork _exit
goes_on 'fork\(\) made this process of a PE' fork barrier
goes_on 'fork\(\) made this process of a PE' fork init
exit $code
