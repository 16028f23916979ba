#!/bin/sh
# Many clients read one image over one cable, as members of a multicast group and each for itself.
# Usage: run.sh FOLDER-OF-PROGRAMS [CLIENTS [MIB [RATE]]]; needs root, ip and tc. Prints rows of a table.
set -eu

bin=$1
clients=${2:-200}
mib=${3:-64}
rate=${4:-1gbit}
# shellcheck source=bench/cable.sh
. "$(dirname "$0")/../cable.sh"
lay_cable 'multicast: {}'

run() {
    title=$1
    shift
    serve_crowd "$@"
    echo "| $title | $(value served) of $clients | $outcomes | $(value seconds) | $(value median_seconds) |" \
        "$((bytes / 1048576)) | $cpu | $(value needless_datagrams) |"
}

echo "| | clients with the file | logged as served | last, s | median, s | MiB over the cable | server's CPU, s | needless datagrams |"
echo "|---|--:|--:|--:|--:|--:|--:|--:|"
run "multicast, windowsize 16" --multicast --windowsize 16
run "multicast, lockstep" --multicast --windowsize 1
run "unicast, windowsize 16" --windowsize 16
