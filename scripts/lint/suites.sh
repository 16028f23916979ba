#!/bin/sh
# The runner of suites reports a suite that fails, whether it runs alone or among others: else tests could fail unseen.
set -eu
cd "$(dirname "$0")/../.."

table=$(mktemp) && trap 'rm -rf "$table" "$table.target"' EXIT
cat >"$table" <<'TABLE'
test good
  when   default
  about  passes
  run    true

test bad
  when   default
  about  fails in its first command
  run    false
  run    true
TABLE

# Whether a run of these suites succeeds. Its own output would look like that of a failed check.
passes() { SUITES=$table CARGO_TARGET_DIR=$table.target ${MAKE:-make} test SUITE="$1" >/dev/null 2>&1; }

passes good || { echo "suites.sh: a suite that passes counts as failed" >&2 && exit 1; }
passes 'good good' || { echo "suites.sh: suites that pass count as failed" >&2 && exit 1; }
for suites in bad 'good bad' 'bad good' ''; do
    ! passes "$suites" || { echo "suites.sh: a failed suite is not reported: make test SUITE='$suites'" >&2 && exit 1; }
done
