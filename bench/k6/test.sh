#!/bin/sh
# go vet, go test, and the script smoke.js against a Tuffet of its own. Without Go it says that it skips.
#
#   bench/k6/test.sh TARGET_FOLDER TUFFET
set -eu

[ $# = 2 ] || { echo "usage: $0 TARGET_FOLDER TUFFET" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
k6=$(sh "$here/build.sh" "$1") && built=0 || built=$?
case $built in
0) ;;
69) echo "skipped: the tests of k6/x/tftp"; exit 0 ;;
*) exit 1 ;;
esac
tuffet=$2
out=$(cd "$1" && pwd)/test-k6
(
    cd "$here"
    export GOFLAGS="${GOFLAGS:-} -trimpath -buildvcs=false"
    unformatted=$(gofmt -l .)
    [ -z "$unformatted" ] || { echo "gofmt would change: $unformatted" >&2; exit 1; }
    go vet ./...
    go test ./...
)

rm -rf "$out"
KERNEL=300000 INITRD=600000 PHONES=2 sh "$here/files.sh" "$out"
address=127.66.0.2:6969
sed "s|ADDRESS|$address|" "$here/tuffet.yaml" >"$out/tuffet.yaml"
"$tuffet" serve --user "$(id -u)" --config "$out/tuffet.yaml" --log error >"$out/tuffet.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM
sh "$here/wait.sh" "$tuffet" "$address" "$server" || { cat "$out/tuffet.log" >&2; exit 1; }
# The clients are patient: the machine may have other things to do.
K6_NO_USAGE_REPORT=true "$k6" run --quiet -e SERVER="$address" -e MANIFEST="$out/manifest.json" -e WRITES=1 \
    -e ITERATIONS=4 -e TIMEOUT=5s "$here/scripts/smoke.js"
