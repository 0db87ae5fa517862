#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# deaths.sh <build folder> <configuration> <how>[,<how>] [<what>...]
#
# Method: a process is killed while others address it or wait for it, in each way of deaths.cpp or those given. The job ends within the
# peer timeout and some seconds, by an exit code that is not 0. Each process that notices the death prints one error
# message with its call; if none does, the launcher says which process was killed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$1
configuration=$2
ways=$3
shift 3
(($#)) || set -- get put acc rmw handle lock barrier sum malloc message any_message notice
seconds=15
code=0
for how in ${ways//,/ }; do
    for what in "$@"; do
        status=0
        said=$(timeout "$seconds" "$here/../api/run" "$build" "$configuration" --peer-timeout 3000 -- ../armci/deaths "$how" "$what" 2>&1 >/dev/null) ||
            status=$?
        ((status == 77)) && exit 77
        gone='process [0-9]+: (ARMCI|armci)_[A-Za-z_]+: .*(gone|ended|died|killed).*'
        launcher='syncline: PE 1 was killed by signal 9 .*'
        strange=$(grep -vE "^($gone|syncline: .*)\$" <<<"$said")
        if ((status == 0 || status == 124)) || [[ -n $strange ]] || ! grep -qE "^($gone|$launcher)\$" <<<"$said"; then
            echo "$how $what: exit code $status, got: $said"
            code=1
        fi
    done
done
exit $code
