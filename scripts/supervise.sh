#!/bin/bash
# Runs a command, and leaves nothing of it behind: no process, mount, network namespace or temporary file. So it is when the
# command ends, at Ctrl-C, and when the parent, such as make, is killed.
#
#   scripts/supervise.sh COMMAND...
#
# The command gets a session of its own, by which its processes are found. Root's command also gets namespaces of its own: the
# kernel ends the processes in them even if this script is killed, and their mounts go with them.
set -u

# With SIGTERM at the death of the parent, unless it has died before.
if [ -z "${TUFFET_PARENT-}" ]; then
    export TUFFET_PARENT=$PPID
    setpriv --pdeathsig TERM true 2>/dev/null && exec setpriv --pdeathsig TERM bash "$0" "$@"
fi
[ "$TUFFET_PARENT" = "$PPID" ] || exit 130
unset TUFFET_PARENT

# In lower case, unlike what mktemp makes: some servers fold names.
TMPDIR=${TMPDIR:-/tmp}/tuffet-run-$(od -An -N6 -tx1 /dev/urandom | tr -d ' \n')
export TMPDIR
mkdir -m 1777 "$TMPDIR" || exit 1

# `ip netns` keeps its namespaces as mounts in this folder.
isolated=(unshare --pid --fork --kill-child --mount --mount-proc sh -c 'mount -t tmpfs tmpfs /run/netns && exec "$@"' sh)
[ "$EUID" = 0 ] && mkdir -p /run/netns && "${isolated[@]}" true 2>/dev/null || isolated=()

# The processes of the session that have not ended. A name may hold blanks and parentheses.
processes() {
    cat /proc/[0-9]*/stat 2>/dev/null |
        awk -v session="$session" '{ id = $1; sub(/.*\) /, "") } $4 == session && $1 != "Z" { print id }'
}

# Lets the processes end in order for five seconds.
end() {
    local left tries
    for tries in {1..100}; do
        mapfile -t left < <(processes)
        [ "${#left[@]}" -gt 0 ] || break
        [ "$tries" != 1 ] || kill -TERM "${left[@]}" 2>/dev/null
        [ "$tries" -le 50 ] || kill -KILL "${left[@]}" 2>/dev/null
        sleep 0.1
    done
    [ "${#left[@]}" = 0 ] || echo "supervise.sh: these processes do not end: ${left[*]}" >&2
    rm -rf --one-file-system "$TMPDIR"
}

# A command in the background ignores SIGINT, unless the shell is told otherwise.
(trap - INT QUIT && exec setsid "${isolated[@]}" "$@") &
session=$!
trap end EXIT
trap 'exit 130' INT TERM HUP
wait "$session"
