#!/bin/bash
# Makes targets one after another, and ends with a table: wall and CPU seconds of each. Stops at the first that fails,
# or with --all makes them all and lists those that failed.
#
#   scripts/steps.sh [--all] NAME STEP...
#
# STEP is what follows `make`, such as `lint` or `test SUITE=boot`; @ci and @verify are the suites for these.
set -uo pipefail
cd "$(dirname "$0")/.." || exit 1

all=
[ "$1" != --all ] || { all=yes && shift; }
name=$1
shift
steps=()
for step; do
    case $step in
        @*) mapfile -t -O "${#steps[@]}" steps < <(sh scripts/suite.sh steps "${step#@}") ;;
        *) steps+=("$step") ;;
    esac
done
start=$SECONDS
table=$(mktemp) && trap 'rm -f "$table"' EXIT

# Makes one step, and adds a line to the table.
run() {
    local TIMEFORMAT="$1"$'\t%0R\t%0U\t%0S' status=0 words
    read -ra words <<<"$1"
    exec 3>&1 4>&2
    { time make --no-print-directory "${words[@]}" 1>&3 2>&4 3>&- 4>&-; } 2>>"$table" || status=$?
    return $status
}

failed=()
for step in "${steps[@]}"; do
    run "$step" && continue
    failed+=("$step")
    [ -n "$all" ] || break
done
awk -F '\t' 'BEGIN { printf "\n%-28s %8s %8s\n", "step", "wall s", "CPU s" } { printf "%-28s %8d %8d\n", $1, $2, $3 + $4 }' "$table"
if [ "${#failed[@]}" -gt 0 ]; then
    printf -v list ', %s' "${failed[@]}"
    echo "$name: failed: ${list#, }; $((SECONDS - start)) s"
    exit 1
fi
echo "$name: good, $((SECONDS - start)) s"
