#!/bin/sh
# Writes sdk/rust/src/generated, from sdk/rust/src/bindings.rs and sdk/wit: with these files a plugin needs no
# generator, which takes most of the time of a first build.
#
#   scripts/bindings/rust.sh TARGET_DIR            writes them
#   scripts/bindings/rust.sh TARGET_DIR --check    fails if they are not up to date
set -eu

mkdir -p "$1/bindings"
target=$(cd "$1/bindings" && pwd)
check=${2-}
cd "$(dirname "$0")/../.."
cargo=${CARGO:-cargo}
unset CARGO_TARGET_DIR RUSTFLAGS CARGO_ENCODED_RUSTFLAGS RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS

# The generator writes a file for each invocation of its macro, numbered in their order.
rm -f "$target"/debug/build/wit-bindgen-rust-macro-*/out/*.rs
"$cargo" clean --quiet --target-dir "$target" -p tuffet-sdk
WIT_BINDGEN_DEBUG=1 "$cargo" check --quiet --locked --target-dir "$target" -p tuffet-sdk --features generate

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
for file in "$target"/debug/build/wit-bindgen-rust-macro-*/out/*.rs; do
    name=$(basename "$file" | sed 's/[0-9]*\.rs$//; y/-/_/')
    cp "$file" "$place/$name.rs"
done
generated=sdk/rust/src/generated
if [ "$check" = --check ]; then
    cp "$generated/mod.rs" "$place/"
    diff -r "$generated" "$place" >/dev/null || {
        echo "$generated is not up to date: run sh scripts/bindings/rust.sh target" >&2
        exit 1
    }
else
    find "$generated" -name '*.rs' ! -name mod.rs -delete
    cp "$place"/*.rs "$generated/"
fi
