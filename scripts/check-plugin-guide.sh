#!/bin/sh
# Runs docs/plugins.md: its `sh` blocks in order, in an empty folder; what its `text` blocks show must be
# among what was printed.
#
#   scripts/check-plugin-guide.sh FOLDER_OF_THE_BINARY
set -eu

bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
TUFFET=$PWD
if [ "$(sh plugins/build.sh --toolchain)" != target ]; then
    message="docs/plugins.md: the toolchain has no target wasm32-wasip2 of its own"
    echo "skipped: $message"
    [ -z "${TUFFET_SKIPPED-}" ] || echo "$message" >>"$TUFFET_SKIPPED"
    exit 0
fi

blocks() { awk -v kind="$1" '/^```/ { inside = ($0 == "```" kind); next } inside' "$TUFFET/docs/plugins.md"; }

scratch=$(mktemp -d)
# A server that root starts becomes somebody else.
chmod 755 "$scratch"
trap 'rm -rf "$scratch"' EXIT
blocks sh >"$scratch/run.sh"
mkdir "$scratch/empty"
export TUFFET
unset CARGO_TARGET_DIR
began=$(date +%s)
if ! (cd "$scratch/empty" && PATH=$bin:$PATH sh -eu ../run.sh) >"$scratch/printed" 2>&1; then
    cat "$scratch/printed" >&2
    echo "docs/plugins.md does not run" >&2
    exit 1
fi
took=$(($(date +%s) - began))
blocks text >"$scratch/expected"
while IFS= read -r line; do
    if ! grep -qF -- "$line" "$scratch/printed"; then
        cat "$scratch/printed" >&2
        echo "docs/plugins.md shows a line that was not printed: $line" >&2
        exit 1
    fi
done <"$scratch/expected"
echo "docs/plugins.md: runs as it is written, from nothing to a changed verdict in $took s"
# Not a failure: the machine may be busy with other tests.
[ "$took" -le 300 ] || echo "docs/plugins.md: that is longer than five minutes" >&2
