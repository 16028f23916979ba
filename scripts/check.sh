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

# Prints the crate of a file, with the kind of targets that have its unit tests. The fuzz targets are in workspaces of
# their own, and no crates of this one.
crate_of() {
    folder=$1
    while folder=$(dirname "$folder") && [ "$folder" != . ]; do
        if [ -f "$folder/Cargo.toml" ]; then
            grep -q '^\[workspace\]' "$folder/Cargo.toml" && return
            [ -f "$folder/src/lib.rs" ] && kind=lib || kind=bins
            sed -n "s/^name = \"\(.*\)\"\$/$kind \1/p" "$folder/Cargo.toml" | head -n 1
            return
        fi
    done
}
crates=$(echo "$changed" | while read -r file; do crate_of "$file"; done | sort -u)

$cargo fmt --all --check
$cargo clippy --locked --workspace --all-targets -- -D warnings
# Some tests wait for time-outs: more of them at once than processors.
RUST_TEST_THREADS=${RUST_TEST_THREADS:-$(($(nproc) * 3))}
export RUST_TEST_THREADS
for kind in lib bins; do
    packages=$(echo "$crates" | sed -n "s/^$kind / -p /p")
    # shellcheck disable=SC2086 # several words
    [ -z "$packages" ] || $cargo test --locked --quiet $packages "--$kind"
done
echo "check: good; tested: $(echo "${crates:-lib nothing}" | sed 's/^[a-z]* //' | tr '\n' ' ')"
