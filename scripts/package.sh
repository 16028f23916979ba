#!/bin/sh
# Makes the packages of the crates that are published (those without `publish = false`), in target/package. It publishes
# nothing.
#
#   scripts/package.sh crates    packs them, builds a program with a server inside from the packages, and runs the tests
#                                of the package of the library
#   scripts/package.sh verify    packs them, and builds each from its package
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh
cargo=${CARGO:-cargo}
# What is built is thrown away.
export CARGO_PROFILE_DEV_DEBUG=false

# `tuffet-bundled` has the components of the bundled plugins. They are beside it only meanwhile.
components=host/bundled/components
trap 'rm -rf "$components"' EXIT
trap 'exit 130' INT TERM
guests=${TUFFET_GUESTS:-$TARGET/guests/wasm32-wasip2/guest}
[ -n "${TUFFET_GUESTS-}" ] || sh plugins/build.sh "$TARGET/guests"
mkdir -p "$components"
for plugin in acl ask audit mac_map publish remap template; do cp "$guests/tuffet_$plugin.wasm" "$components/"; done
# The components of the packages are meant, not these.
unset TUFFET_GUESTS

# Cargo packs no workspace with members that are not published. The tree may have changes that are not committed: what
# is published must not.
pack() {
    rm -rf "$TARGET/package"
    # shellcheck disable=SC2046 # one word per crate
    $cargo package --locked --allow-dirty --quiet $(python3 scripts/lint/published.py | sed 's/^/-p /') "$@"
    for package in "$TARGET"/package/*.crate; do
        echo "$(basename "$package"): $(tar tzf "$package" | wc -l) files, $(wc -c <"$package") bytes"
    done
}

# A project outside of the workspace, whose crates of Tuffet come from the packages.
embed() {
    project=$TARGET/package/embed
    mkdir -p "$project/src" "$project/crates"
    # With new times: cargo compares those, and all packages have the same.
    for package in "$TARGET"/package/*.crate; do tar xzmf "$package" -C "$project/crates"; done
    version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
    {
        printf '[package]\nname = "embed"\nedition = "2024"\n\n[workspace]\nmembers = ["crates/tuffet-%s"]\nexclude = ["crates"]\n\n' "$version"
        awk '/^```/ { inside = ($0 == "```toml") && !done; done = done || inside; next } inside' docs/embed.md
        printf 'tuffet-core = "%s"\ntuffet-sdk = { version = "%s", features = ["http"] }\n' "$version" "$version"
        printf 'tuffet-testing = { version = "%s", features = ["virtual-time"] }\n' "$version"
        printf '\n[patch.crates-io]\n'
        python3 scripts/lint/published.py | sed "s|.*|& = { path = \"crates/&-$version\" }|"
    } >"$project/Cargo.toml"
    awk '/^```/ { inside = ($0 == "```rust") && !done; done = done || inside; next } inside' docs/embed.md >"$project/src/main.rs"
    # The versions of dependencies that Tuffet was tested with.
    cp Cargo.lock "$project/"
    CARGO_TARGET_DIR=$TARGET $cargo build --manifest-path "$project/Cargo.toml"
    # As somebody does who has only the package.
    CARGO_TARGET_DIR=$TARGET $cargo test --quiet --manifest-path "$project/Cargo.toml" --package tuffet
}

case ${1-} in
    crates)
        pack --no-verify
        embed
        ;;
    verify) pack ;;
    *)
        echo "package.sh: crates or verify" >&2
        exit 64
        ;;
esac
