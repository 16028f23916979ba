#!/bin/sh
# Runs a guide for plugins as it is written: its `sh` blocks in order, in an empty folder; what its `text` blocks show
# must be among what was printed.
#
#   host/tests/suites/plugin-guides/run.sh FOLDER_OF_THE_BINARY PAGE
set -eu

bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh
TUFFET=$PWD
page=$2
no_c_compiler() {
    empty=$(mktemp -d)
    (
        cd "$empty"
        "$bin/tuffet" plugin new it --language c >/dev/null
        "$bin/tuffet" plugin build it >/dev/null 2>&1 || [ $? != 69 ] || echo "there is no clang for WebAssembly, or no wasi-libc"
    )
    rm -r "$empty"
}
case $page in
*-go.md) missing=$(go version >/dev/null 2>&1 || echo "there is no Go") ;;
*-c.md) missing=$(no_c_compiler) ;;
*) missing=$([ "$(sh plugins/build.sh --toolchain)" = target ] || echo "the toolchain has no target wasm32-wasip2 of its own") ;;
esac
if [ -n "$missing" ]; then
    skip "$page: $missing"
    exit 0
fi

blocks() { awk -v kind="$1" '/^```/ { inside = ($0 == "```" kind); next } inside' "$TUFFET/$page"; }

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
    echo "$page does not run" >&2
    exit 1
fi
took=$(($(date +%s) - began))
blocks text >"$scratch/expected"
while IFS= read -r line; do
    if ! grep -qF -- "$line" "$scratch/printed"; then
        cat "$scratch/printed" >&2
        echo "$page shows a line that was not printed: $line" >&2
        exit 1
    fi
done <"$scratch/expected"
echo "$page: runs as it is written, in $took s"
# Not a failure: the machine may be busy with other tests.
[ "$took" -le 300 ] || echo "$page: that is longer than five minutes" >&2
