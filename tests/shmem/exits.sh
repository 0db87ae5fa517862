#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# exits.sh <build folder> <configuration> [<shift>...] [alone]
#
# Method: a PE ends before shmem_init(), or while others wait for it; the job ends with a status and a whole error
# message in bounded time. A child of fork() that exits changes nothing. Without arguments each way to end meets each
# way to wait. A shift of 0 to 3 takes one way to end for each way to wait, so all four take each pair once; `alone`
# takes the rest.
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

takes() { # <shift or alone>: whether it was asked for
    [[ " $chosen " == *" $1 "* ]]
}
end_while_others_wait() { # <how> <how the others wait>
    case $1 in
        exit) ends 3 'PE 1: exit\(3\) before shmem_finalize\(\) ends the job' exit "$2" ;;
        _exit) ends 1 "$gone|$ended" _exit "$2" ;;
        quick_exit) ends 4 "$gone|$ended" quick_exit "$2" ;;
        # A loop without a call learns nothing of a PE that a signal killed.
        killed) [[ $2 == memory ]] || ends 137 "$gone" killed "$2" ;;
    esac
}

shift 2
chosen=${*:-0 1 2 3 alone}
# The launcher or another PE is the first to notice.
gone='PE [0-9]+: shmem_[a-z_]+: .* gone.*'
ended='syncline: PE 1 ended \(exit code [04]\) without finalizing: ending the job'
ways=(exit _exit quick_exit killed)
waits=(wait_until test lock test_lock barrier put memory)
for shift in 0 1 2 3; do
    takes "$shift" || continue
    for index in "${!waits[@]}"; do
        end_while_others_wait "${ways[(index + shift) % 4]}" "${waits[index]}"
    done
done
if takes alone; then
    ends 1 'syncline: PE 1 ended \(exit code 0\) before it joined the job: ending the job' early 0
    ends 6 'syncline: PE 1 ended \(exit code 6\) before it joined the job: ending the job' early 6
    goes_on '' fork exit
    goes_on '' fork _exit
    goes_on 'this process is a fork\(\) child of a PE' fork barrier
    goes_on 'this process is a fork\(\) child of a PE' fork init
fi
exit $code
