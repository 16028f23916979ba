#!/bin/sh
# The example `uploads`, as its README shows it: versions in the folder of a device, the quota of a device, and a
# notification for each upload.
#
#   host/tests/suites/examples/uploads.sh FOLDER_OF_THE_BINARY
set -eu

bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh
if ! installed python3; then
    skip "examples/uploads behind a server: there is no python3"
    exit 0
fi
place=$(mktemp -d)
server=
receiver=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; [ -z "$receiver" ] || kill "$receiver" 2>/dev/null; rm -rf "$place"' EXIT

fail() {
    echo "examples/uploads: $1" >&2
    tail -n 10 "$place/log" | cut -c 1-300 >&2
    exit 1
}

# Waits until a file has so many lines.
await_lines() {
    attempts=300
    while [ "$(wc -l <"$1")" -lt "$2" ]; do
        attempts=$((attempts - 1))
        [ "$attempts" -gt 0 ] || fail "$1 does not get $2 lines"
        sleep 0.1
    done
}

: >"$place/received"
python3 examples/uploads/receiver.py 0 >>"$place/received" &
receiver=$!
await_lines "$place/received" 1
port=$(sed -n 's/^listening on port //p' "$place/received")
cp -r examples/uploads/backups "$place/"
# Ports that are free. Everything else is the example's, but for the time limits of a busy machine.
sed -e "s|127.0.0.1:6969|127.0.0.1:0|" -e "s|127.0.0.1:8069|127.0.0.1:$port|" \
    -e 's/^policy:/policy:\n  time-limit: 60s/' examples/uploads/tuffet.yaml >"$place/tuffet.yaml"
echo "control: $place/control" >>"$place/tuffet.yaml"
# The folder is that of whoever runs this.
[ "$(id -u)" != 0 ] || echo "privileges: { user: root }" >>"$place/tuffet.yaml"
serve "$place/log" "$bin/tuffet" serve --log-format json --config "$place/tuffet.yaml"

for number in 1 2 3; do
    echo "hostname sw$number" | "$bin/tuffet" put - "tftp://$address/sw1/sw1-confg" || fail "upload $number is refused"
done
folder=$place/backups/sw1
[ "$(cat "$folder/sw1-confg" "$folder/sw1-confg.~1~" "$folder/sw1-confg.~2~" | tr '\n' ' ')" = \
    "hostname sw3 hostname sw1 hostname sw2 " ] || fail "the versions are not there: $(ls "$folder")"
[ "$("$bin/tuffet" get -o - "tftp://$address/sw1/sw1-confg.~1~")" = "hostname sw1" ] || fail "a version is not read"
for name in "sw1/sw1-confg.~1~" sw1/a/sw1-confg golden/switch.cfg; do
    if echo x | "$bin/tuffet" put - "tftp://$address/$name" 2>/dev/null; then fail "$name is written"; fi
done
number=0
while [ $number -lt 61 ]; do
    number=$((number + 1))
    ran=0
    echo x | "$bin/tuffet" put - "tftp://$address/sw2/$number.cfg" 2>"$place/put" || ran=$?
    case $number:$ran in
    61:0) fail "a device has more than its part" ;;
    61:*) grep -q "disk full or allocation exceeded" "$place/put" || fail "not refused for the quota: $(cat "$place/put")" ;;
    *:0) ;;
    *) fail "upload $number of a device is refused: $(cat "$place/put")" ;;
    esac
done
await_lines "$place/received" 64
text='{"bytes": 13, "file": "backups:sw1/sw1-confg", "text": "sw1/sw1-confg of 127.0.0.1 is stored: 13 bytes",'
[ "$(grep -cF "$text" "$place/received")" = 3 ] || fail "other notifications: $(cat "$place/received")"
echo "examples/uploads: versions, quotas and notifications"
