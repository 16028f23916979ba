#!/bin/sh
# The example plugin `initrd` behind a server, with a common initrd of 30 MB: what curl gets is this file and the archive
# of the machine; fifty clients at once share one rendering; and the memory of the server does not grow with
# clients.
#
#   host/tests/suites/examples/initrd.sh FOLDER_OF_THE_BINARY
#
# examples/plugins/initrd/initrd.wasm is there already.
set -eu

bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh
cd examples/plugins/initrd
clients=50
size=30000001
limit=400 # MiB
if ! curl --version 2>/dev/null | grep -q tftp; then
    skip "examples/plugins/initrd behind a server: there is no curl with TFTP"
    exit 0
fi
place=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$place"' EXIT

fail() {
    echo "examples/plugins/initrd: $1" >&2
    tail -n 10 "$place/log" | cut -c 1-300 >&2
    exit 1
}

cp -r files "$place/"
head -c "$size" /dev/urandom >"$place/files/debian/initrd.gz"
component=$PWD/initrd.wasm
# A port that is free. Everything else is the example's, but for the time limits of a busy machine.
sed -e "s|127.0.0.1:6969|127.0.0.1:0|" -e "s|\./initrd.wasm|$component|" -e "s|\./files|$place/files|" \
    -e 's/time: 2s/time: 20s/' -e 's/wall: 10s/wall: 40s/' -e 's/^policy:/policy:\n  time-limit: 60s/' tuffet.yaml >"$place/tuffet.yaml"
echo "control: $place/control" >>"$place/tuffet.yaml"
# The folder is that of whoever runs this.
[ "$(id -u)" != 0 ] || echo "privileges: { user: root }" >>"$place/tuffet.yaml"
serve "$place/log" "$bin/tuffet" serve --log-format json --config "$place/tuffet.yaml"

get() {
    curl -sS --max-time 300 --tftp-blksize 65464 -o "$place/$1" "tftp://$address/initrd-02-00-5e-10-00-0$2.img"
}
calls() {
    "$bin/tuffet" status --metrics --control "$place/control" |
        sed -n 's/^tuffet_plugin_calls_total{.*} \([0-9]*\)$/\1/p' | head -n 1
}

# Fifty clients at once.
i=0
pids=
while [ "$i" -lt "$clients" ]; do
    get "got$i" 1 &
    pids="$pids $!"
    i=$((i + 1))
done
for pid in $pids; do wait "$pid" || fail "a client got no image"; done
called=$(calls)
# One for each request, `begin`, and the parts of a mebibyte.
parts=$(((size + 1048575) / 1048576))
[ "$called" -eq $((clients + 1 + parts)) ] || fail "$called calls for $clients clients and $parts parts"

head -c "$size" "$place/got0" | cmp - "$place/files/debian/initrd.gz" || fail "the common initrd is not the same"
tail -c +$((size + 1)) "$place/got0" | tr -d '\0' >"$place/archive"
for text in node-1 NAME=node-1 ops@example TRAILER!!!; do
    grep -q "$text" "$place/archive" || fail "$text is not in the archive"
done
i=1
while [ "$i" -lt "$clients" ]; do
    cmp "$place/got0" "$place/got$i" || fail "two clients got different images"
    i=$((i + 1))
done

# Another machine, whose image differs.
get other 2 || fail "the other machine got no image"
head -c "$size" "$place/other" | cmp - "$place/files/debian/initrd.gz" || fail "the common initrd is not the same"
grep -aq NAME=node-2 "$place/other" || fail "the other machine got the files of the first"

peak=$(sed -n 's/^VmHWM:[[:space:]]*\([0-9]*\) kB$/\1/p' "/proc/$server/status")
[ "$peak" -lt $((limit * 1024)) ] || fail "the server took $((peak / 1024)) MiB; $limit are allowed"
echo "examples/plugins/initrd: $clients clients, $called calls, at most $((peak / 1024)) MiB beside the images"
