#!/bin/sh
# Format, clippy and the unit tests of the crates with changes: those that are not committed, or all since the commit
# SINCE; where nothing has changed, those of the last commit.
#
#   scripts/check.sh CARGO [SINCE]
set -eu
cd "$(dirname "$0")/.."
cargo=$1
since=${2-HEAD}

changes() {
    git diff --name-only "$1"
    git ls-files --others --exclude-standard
}
changed=$(changes "$since")
[ -n "$changed" ] || changed=$(changes HEAD~1)

# The nearest crate of this workspace; the fuzz targets have workspaces of their own.
crate_of() {
    folder=$1
    while folder=$(dirname "$folder") && [ "$folder" != . ]; do
        if [ -f "$folder/Cargo.toml" ]; then
            grep -q '^\[workspace\]' "$folder/Cargo.toml" || sed -n 's/^name = "\(.*\)"$/\1/p' "$folder/Cargo.toml" | head -n 1
            return
        fi
    done
}
crates=$(echo "$changed" | while read -r file; do crate_of "$file"; done | sort -u)

$cargo fmt --all --check
$cargo clippy --locked --workspace --all-targets -- -D warnings
[ -n "$crates" ] || { echo "check: good; no crate has changed"; exit 0; }
# shellcheck disable=SC2046,SC2086 # several words
$cargo test --locked --quiet $(printf ' -p %s' $crates) --lib --bins
echo "check: good: $(echo "$crates" | tr "\n" " ")"
