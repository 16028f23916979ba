#!/bin/sh
# Runs bench.py, with the Caddy of Debian if there is no other: its package is unpacked and not installed, so that no service
# starts on port 80.
#
#   bench/http/run.sh TARGET_FOLDER FOLDER_OF_THE_BINARIES [WORDS FOR bench.py...]
set -eu

target=$1 binaries=$2
shift 2
cd "$(dirname "$0")/../.."
. scripts/lib.sh

caddy=$(command -v caddy || echo "$target/peers/caddy/usr/bin/caddy")
if ! [ -x "$caddy" ]; then
    mkdir -p "$target/peers"
    (cd "$target/peers" && download caddy && dpkg-deb -x caddy_*.deb caddy && rm -f caddy_*.deb) || true
fi
if [ -x "$caddy" ]; then set -- --caddy "$caddy" "$@"; else echo "run.sh: no caddy" >&2; fi
exec python3 bench/http/bench.py --tuffet "$binaries/tuffet" --out bench/results "$@"
