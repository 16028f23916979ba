#!/bin/bash
# Makes targets one after another, and ends with a table: wall and CPU seconds of each. Stops at the first that fails,
# or with --all makes them all and lists those that failed.
#
#   scripts/steps.sh [--all] NAME TARGET...
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

all=
[ "$1" != --all ] || { all=yes && shift; }
name=$1
shift
start=$SECONDS
table=$(mktemp) && trap 'rm -f "$table"' EXIT

# Makes one target, and adds a line to the table.
step() {
    local TIMEFORMAT="$1 %0R %0U %0S" status=0
    exec 3>&1 4>&2
    { time make --no-print-directory "$1" 1>&3 2>&4 3>&- 4>&-; } 2>>"$table" || status=$?
    return $status
}

failed=
for target; do
    step "$target" && continue
    failed="$failed $target"
    [ -n "$all" ] || break
done
awk 'BEGIN { printf "\n%-22s %8s %8s\n", "step", "wall s", "CPU s" } { printf "%-22s %8d %8d\n", $1, $2, $3 + $4 }' "$table"
if [ -n "$failed" ]; then
    echo "$name: failed:$failed, $((SECONDS - start)) s"
    exit 1
fi
echo "$name: good, $((SECONDS - start)) s"
