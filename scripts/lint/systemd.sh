#!/bin/sh
# The units of examples/systemd: that systemd understands them, and how much they leave open.
#
#   scripts/lint/systemd.sh [EXPOSURE]
#
# EXPOSURE is the most that `systemd-analyze security` may say, 2.0 unless given.
set -eu

most=${1:-2.0}
cd "$(dirname "$0")/../.."
if ! command -v systemd-analyze >/dev/null; then
    echo "systemd-analyze is not installed: the units of examples/systemd were not checked" >&2
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# Below a root of its own, with something where the binary will be: nothing of this machine counts.
units=$folder/etc/systemd/system
mkdir -p "$units" "$folder/usr/bin"
cp examples/systemd/tuffet.service examples/systemd/tuffet*.socket "$units"
printf '#!/bin/sh\n' >"$folder/usr/bin/tuffet"
chmod +x "$folder/usr/bin/tuffet"

# `verify` says what it does not know and goes on: whatever it says of these units is wrong.
said=$(systemd-analyze verify --man=no --recursive-errors=no --root="$folder" "$units/tuffet.service" "$units"/tuffet*.socket 2>&1 |
    grep -E 'tuffet' || true)
if [ -n "$said" ]; then
    echo "$said" >&2
    exit 1
fi
exposure=$(systemd-analyze security --offline=true --no-pager "$units/tuffet.service" |
    sed -nE 's/.*Overall exposure level for tuffet\.service: ([0-9.]+).*/\1/p')
if [ -z "$exposure" ] || awk "BEGIN { exit !($exposure > $most) }"; then
    echo "tuffet.service: the exposure is ${exposure:-unknown} and may be $most; \`systemd-analyze security --offline=true\` lists why" >&2
    exit 1
fi
echo "tuffet.service: exposure $exposure of at most $most"
