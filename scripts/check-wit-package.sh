#!/bin/sh
# Checks that the interface of plugins is a package for others: pushes it to a registry, fetches it with `wkg`, and builds a
# plugin in Rust from it alone. WKG names wkg; without it, one is built below TARGET_DIR, which takes minutes.
#
#   scripts/check-wit-package.sh TARGET_DIR
set -eu

target=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
cargo=${CARGO:-cargo}
version=0.16.1
if [ -z "${WKG-}" ]; then
    WKG=$target/wkg/bin/wkg
    [ "$("$WKG" --version 2>/dev/null || true)" = "wkg $version" ] ||
        "$cargo" install --quiet --locked wkg --version "$version" --root "$target/wkg"
fi
export WKG
"$cargo" test --locked --workspace --test it -- --exact registry::real::the_interface_is_a_package_of_its_own
