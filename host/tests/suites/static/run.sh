#!/bin/sh
# Runs a static binary: it needs no library, and serves the quickstart, plugins included, to curl. A binary for another
# architecture runs through QEMU.
#
#   host/tests/suites/static/run.sh BINARY ARCHITECTURE
set -eu

binary=$(realpath "$1") architecture=$2
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh
fail() {
    echo "the static binary for $architecture: $*" >&2
    exit 1
}
packages curl=curl readelf=binutils
emulator=
if [ "$architecture" != "$(uname -m)" ]; then
    emulator=qemu-$architecture-static
    packages "$emulator=qemu-user-static"
    command -v "$emulator" >/dev/null || fail "$emulator is not installed"
    # QEMU keeps a table of all addresses that are reserved, and the pool of plugins reserves terabytes of them: with
    # few addresses the server does without the pool. The limit is for QEMU itself.
    export QEMU_RESERVED_VA=4G
    # shellcheck disable=SC3045 # dash and bash have it
    ulimit -v 9000000
fi
LC_ALL=C readelf --file-header --program-headers --dynamic "$binary" >"$binary.elf"
machine=$(sed -n 's/ *Machine: *//p' "$binary.elf")
case $architecture:$machine in
    x86_64:*X86-64 | aarch64:AArch64) ;;
    *) fail "it is for $machine" ;;
esac
if grep -E 'INTERP|\(NEEDED\)' "$binary.elf"; then fail "it is not static"; fi
rm "$binary.elf"

folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi; rm -rf "$folder"' EXIT
set -- serve --config examples/quickstart/tuffet.yaml --listen 127.0.0.1:0 --log-format json
[ "$(id -u)" != 0 ] || set -- "$@" --user "$(stat -c %u examples/quickstart/files)"
# Plugins are compiled first, by a compiler that is emulated.
# shellcheck disable=SC2086 # no word or one
serve "$folder/log" $emulator "$binary" "$@"
curl --silent --max-time 60 "tftp://$address/hello.txt" >"$folder/hello" || { cat "$folder/log" >&2; fail "curl gets nothing"; }
cmp "$folder/hello" examples/quickstart/files/hello.txt || fail "other bytes arrive"
curl --silent --max-time 60 "tftp://$address/SEP001122334455.cnf.xml" >"$folder/phone" || true
cmp "$folder/phone" examples/quickstart/files/phones/001122334455.cfg || { cat "$folder/log" >&2; fail "mac-map does not decide"; }
if curl --silent --max-time 60 "tftp://$address/secret/plan.txt" >"$folder/secret"; then fail "acl does not decide"; fi
kill "$server"
wait "$server" || fail "it ended with $?"
server=
echo "ok: $architecture, $(stat -c %s "$binary") bytes, no libraries; serves the quickstart to curl${emulator:+ through $emulator}"
