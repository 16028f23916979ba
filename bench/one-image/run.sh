#!/bin/sh
# Many machines load one image over one cable, in lockstep, with windows, and with a total rate just below that of the
# cable; and one machine alone, behind a round trip of 0.2 ms.
# Usage: run.sh FOLDER-OF-PROGRAMS [CLIENTS [MIB [RATE [TOTAL-RATE]]]]; needs root, ip, tc and python3. Prints rows of a
# table.
set -eu

bin=$1
all=${2:-300}
mib=${3:-15}
rate=${4:-1gbit}
total=${5:-112MB}
# shellcheck source=bench/cable.sh
. "$(dirname "$0")/../cable.sh"
lay_cable ''

# The most bytes per second that the live view has shown, in MB/s.
shown() {
    python3 -c '
import json, sys
samples = json.load(open(sys.argv[1]))["samples"]
print(max((its["bytes_per_second"]["read"] for its in samples), default=0) // 1_000_000)' "$folder/live"
}

run() {
    clients=$1
    window=$2
    serve_crowd --windowsize "$window"
    mbit=$(awk "BEGIN { printf \"%.0f\", $bytes * 8 / 1e6 / $(value seconds) }")
    times=$(printf '%.1f | %.1f | %.1f' "$(value first_seconds)" "$(value median_seconds)" "$(value seconds)")
    slow=$(grep -c 'a transfer is slow' "$folder/log" || true)
    echo "| $title | $window | $(value served) of $clients | $times | $mbit | $(shown) | $slow | $cpu |"
}

echo "| | window | with the file | first, s | median, s | last, s | Mbit/s over the cable | MB/s in the live view | slow transfers in the log | server's CPU, s |"
echo "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
title=together
for window in 1 4 16 64; do run "$all" "$window"; done
title="total rate $total"
cp "$folder/tuffet.yaml" "$folder/before"
echo "profiles: [{ name: all, clients: [0.0.0.0/0], total-rate: $total }]" >>"$folder/tuffet.yaml"
for window in 4 64; do run "$all" "$window"; done
cp "$folder/before" "$folder/tuffet.yaml"
# One machine alone, behind a round trip of 0.2 ms: a virtual cable has none.
asked=192.0.2.2:69
ip netns exec "$client" "$bin/tuffet-relay" --listen "$asked" --to 192.0.2.1:69 --delay 100us >"$folder/relay" 2>&1 &
relay=$!
title=alone
for window in 1 4 64; do run 1 "$window"; done
