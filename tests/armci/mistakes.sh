#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# mistakes.sh <build folder> <configuration>
#
# Method: every wrong call of mistakes.cpp ends its whole job within seconds, by an exit code that is not 0, and with
# one error message on stderr that names the process, the call and the argument. Several processes may find the mistake.
# Processes that wait for one that has ended say that it is gone.
set -u
here=$(cd "$(dirname "$0")" && pwd)
build=$1
configuration=$2
seconds=15
code=0
while IFS=$'\t' read -r name wanted sentence; do
    [[ $name == free_what_is_gotten && $configuration =~ ^(memory|shm) ]] && continue
    status=0
    said=$(timeout "$seconds" "$here/../api/run" "$build" "$configuration" -- ../armci/mistakes "$name" 2>&1 >/dev/null) ||
        status=$?
    ((status == 77)) && exit 77
    # The launcher names a process that ended before it joined the job.
    gone='process [0-9]+: (ARMCI|armci)_[A-Za-z_]+: .* gone.*'
    strange=$(grep -vE "^($sentence|$gone|syncline: .*|.* \[synclined\] \[warning\] .*)\$" <<<"$said")
    if ((status == 0 || status >= 124 || (wanted != 0 && status != wanted))) || [[ -n $strange ]] ||
        ! grep -qE "^($sentence)\$" <<<"$said"; then
        echo "$name: exit code $status, expected '$sentence', got: $said"
        code=1
    fi
done < <("$build/tests/armci/mistakes" --list)
exit $code
