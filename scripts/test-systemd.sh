#!/bin/sh
# The units of examples/systemd under a real systemd, over a copy of this system: scripts/systemd/trial.sh does there
# what the README of the example says, and more.
#
#   scripts/test-systemd.sh BINARY
set -eu

binary=$(realpath "$1")
cd "$(dirname "$0")/.."
skip() {
    echo "skipped: the units under a real systemd: $1" >&2
    exit 0
}
command -v curl >/dev/null || skip "curl is not installed"
share=$(mktemp -d)
trap 'rm -rf "$share"' EXIT
cp "$binary" "$share/tuffet"
cp -r examples/systemd "$share/example"
cp scripts/systemd/trial.sh "$share"
status=0
sh scripts/systemd/boot.sh / "$share" >"$share/result" || status=$?
case $status in
    0) cat "$share/result" ;;
    69) skip "$(tail -n 1 "$share/result")" ;;
    *)
        echo "the trial of the units has failed" >&2
        exit 1
        ;;
esac
