#!/bin/sh
# Runs the scripts against a Tuffet of its own, with policy plugins on; reports in TARGET_FOLDER/bench-k6. Ends with 1
# where a threshold failed.
#
#   bench/k6/bench.sh TARGET_FOLDER TUFFET
#
# K6       which scripts, by default 'smoke boot-storm phones uploads'
# DURATION of each, by default 15s
# RATE     instead of each script's own
set -eu

[ $# = 2 ] || { echo "usage: $0 TARGET_FOLDER TUFFET" >&2; exit 64; }
here=$(cd "$(dirname "$0")" && pwd)
k6=$(sh "$here/build.sh" "$1") && built=0 || built=$?
case $built in
0) ;;
69) echo "skipped: the load tests with k6"; exit 0 ;;
*) exit 1 ;;
esac
tuffet=$2
out=$(cd "$1" && pwd)/bench-k6
scripts=${K6:-smoke boot-storm phones uploads}
address=127.66.0.1:6969

for script in $scripts; do
    [ -f "$here/scripts/$script.js" ] || { echo "there is no $here/scripts/$script.js" >&2; exit 64; }
done
rm -rf "$out"
mkdir -p "$out"
sh "$here/files.sh" "$out"
sed "s|ADDRESS|$address|" "$here/tuffet.yaml" >"$out/tuffet.yaml"
"$tuffet" serve --user "$(id -u)" --config "$out/tuffet.yaml" --log error >"$out/tuffet.log" 2>&1 &
server=$!
trap 'kill "$server" 2>/dev/null || true' EXIT
trap 'exit 130' INT TERM
sh "$here/wait.sh" "$tuffet" "$address" "$server" || { cat "$out/tuffet.log" >&2; exit 1; }

failed=0
for script in $scripts; do
    K6_WEB_DASHBOARD=true K6_WEB_DASHBOARD_PORT=-1 K6_WEB_DASHBOARD_PERIOD=1s \
        K6_WEB_DASHBOARD_EXPORT="$out/$script.html" K6_NO_USAGE_REPORT=true \
        "$k6" run --quiet -e SERVER="$address" -e MANIFEST="$out/manifest.json" -e WRITES=1 \
        -e DURATION="${DURATION:-15s}" ${RATE:+-e RATE="$RATE"} \
        -e SUMMARY="$out/$script.json" -e ROW="$out/$script.row" "$here/scripts/$script.js" || failed=1
done

echo "MB/s of file data; ms from request to end of a transfer, whatever it was; reports: $out"
# A script that could not even run has no row.
{
    echo 'script|s|transfers|per s|MB/s in|MB/s out|median ms|p99 ms|repeated|failed|not started|thresholds'
    for script in $scripts; do cat "$out/$script.row" 2>/dev/null || echo "$script|did not run"; done
} >"$out/table"
column -t -s '|' "$out/table" 2>/dev/null || cat "$out/table"
exit "$failed"
