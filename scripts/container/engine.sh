#!/bin/sh
# Runs a command where a container engine answers. One that runs already is used. Else, as root on Debian, an
# engine is installed and started in namespaces of its own: its networks, firewall rules, mounts and processes
# are not those of the host, and nothing of it is left when the command ends, however it ends.
#
#   scripts/container/engine.sh FOLDER COMMAND...
#
# FOLDER takes what the engine stores, and only while it runs. Exit code: that of the command, or 69 where no
# engine can run, after a line that says why.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/lib.sh
. "$here/../lib.sh"

# The second half, in the namespaces, as the first process of them: all others end with it.
if [ "${1-}" = --inside ]; then
    folder=$2 group=$3
    shift 3
    ip link set lo up
    # Sockets and locks below /run are then its own too, and their paths short enough.
    mount -t tmpfs tmpfs /run
    export DOCKER_HOST=unix:///run/docker.sock TUFFET_OWN_ENGINE=1
    dockerd --data-root "$folder/data" --host "$DOCKER_HOST" --cgroup-parent "/$group" >"$folder/log" 2>&1 &
    engine=$!
    tries=0
    until docker info >/dev/null 2>&1; do
        tries=$((tries + 1))
        if [ "$tries" -gt 300 ] || ! kill -0 "$engine" 2>/dev/null; then
            echo "no container engine: dockerd does not start: $(grep -E 'level=(error|fatal)|^failed' "$folder/log" | tail -n 1)" >&2
            exit 69
        fi
        sleep 0.1
    done
    code=0
    "$@" || code=$?
    kill "$engine"
    wait "$engine" || true
    exit "$code"
fi

mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
if docker info >/dev/null 2>&1; then
    exec "$@"
fi
if ! is_root; then
    echo "no container engine: none answers to \`docker info\`, and only root can start one" >&2
    exit 69
fi
packages dockerd=docker.io docker=docker.io iptables=iptables ip=iproute2
for program in dockerd docker iptables ip; do
    installed "$program" || { echo "no container engine: $program is not installed" >&2; exit 69; }
done
if ! why=$(unshare --net --pid --mount --fork --mount-proc mount -t tmpfs tmpfs /run 2>&1); then
    echo "no container engine: namespaces cannot be made here: $why" >&2
    exit 69
fi
work=$(mktemp -d "$folder/engine.XXXXXX")
group=tuffet-engine-$$
# shellcheck disable=SC2317 # the trap calls it
tidy() {
    # Control groups have no namespace that takes them along.
    find /sys/fs/cgroup -depth -type d -path "*/$group*" -exec rmdir {} + 2>/dev/null || true
    rm -rf "$work"
}
trap tidy EXIT
trap 'exit 130' INT TERM HUP
code=0
unshare --net --pid --mount --fork --kill-child --mount-proc \
    sh "$here/engine.sh" --inside "$work" "$group" "$@" || code=$?
exit "$code"
