#!/bin/sh
# Makes the packages of the crates that are published (those without `publish = false`), in target/package. It publishes
# nothing.
#
#   scripts/package.sh crates    packs them, builds and runs programs with a server inside from the packages, and runs the
#                                tests of the package of the library
#   scripts/package.sh verify    packs them, and builds each from its package
#   scripts/package.sh crate NAME [--no-verify]
#                                packs one, and the crates that it needs, which cargo would look for in a registry, and
#                                builds each from its package
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh
cargo=${CARGO:-cargo}
# What is built is thrown away.
export CARGO_PROFILE_DEV_DEBUG=false

# `tuffet-bundled` has the components of the bundled plugins. They are where its links lead only meanwhile.
components=host/bundled/packed
trap 'rm -rf "$components"' EXIT
trap 'exit 130' INT TERM

# Cargo packs no workspace with members that are not published, and no crate without those that it needs. The tree may
# have changes that are not committed: what is published must not.
package() {
    # shellcheck disable=SC2046,SC2086 # one word per crate
    $cargo package --locked --allow-dirty --quiet $(python3 scripts/lint/published.py $only | sed 's/^/-p /') "$@"
}

pack() {
    rm -rf "$TARGET/package"
    package "$@"
    for package in "$TARGET"/package/*.crate; do
        echo "$(basename "$package"): $(tar tzf "$package" | wc -l) files, $(wc -c <"$package") bytes"
    done
}

# Puts the components of the bundled plugins where the package takes them from.
bundle() {
    # A package without them would not be noticed before somebody builds it.
    rm -rf "$components"
    refused=$($cargo package --locked --allow-dirty --quiet --no-verify -p tuffet-bundled 2>&1) &&
        fail "cargo packs tuffet-bundled without the components of the plugins"
    case $refused in
        *host/bundled/components*) ;;
        *) fail "tuffet-bundled cannot be packed: $refused" ;;
    esac
    guests=${TUFFET_GUESTS:-$TARGET/guests/wasm32-wasip2/guest}
    [ -n "${TUFFET_GUESTS-}" ] || sh plugins/build.sh "$TARGET/guests"
    mkdir -p "$components"
    for link in host/bundled/components/*.wasm; do cp "$guests/$(basename "$link")" "$components/"; done
    # The components of the packages are meant, not these.
    unset TUFFET_GUESTS
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
        awk '/^```/ { inside = /^```toml/ && !done; done = done || inside; next } inside' docs/embed.md
        printf 'tuffet-core = "%s"\ntuffet-sdk = { version = "%s", features = ["http"] }\n' "$version" "$version"
        printf 'tuffet-client = "%s"\n' "$version"
        printf 'tuffet-testing = { version = "%s", features = ["virtual-time"] }\n' "$version"
        printf 'async-trait = "0.1"\n'
        printf '\n[patch.crates-io]\n'
        python3 scripts/lint/published.py | sed "s|.*|& = { path = \"crates/&-$version\" }|"
    } >"$project/Cargo.toml"
    awk '/^```/ { inside = /^```rust/ && !done; done = done || inside; next } inside' docs/embed.md >"$project/src/main.rs"
    mkdir -p "$project/src/bin"
    cp host/tests/suites/package/outside.rs "$project/src/bin/"
    # The versions of dependencies that Tuffet was tested with.
    cp Cargo.lock "$project/"
    CARGO_TARGET_DIR=$TARGET $cargo build --manifest-path "$project/Cargo.toml"
    CARGO_TARGET_DIR=$TARGET $cargo run --quiet --manifest-path "$project/Cargo.toml" --bin outside
    # As somebody does who has only the package.
    CARGO_TARGET_DIR=$TARGET $cargo test --quiet --manifest-path "$project/Cargo.toml" --package tuffet
}

only=
case ${1-} in
    crates)
        bundle
        pack --no-verify
        embed
        ;;
    verify)
        bundle
        pack
        ;;
    crate)
        only="needs ${2?crate NAME}"
        # shellcheck disable=SC2086 # two words
        needed=$(python3 scripts/lint/published.py $only)
        shift 2
        if echo "$needed" | grep -qx tuffet-bundled; then bundle; fi
        pack "$@"
        ;;
    *)
        echo "package.sh: crates, verify or crate NAME" >&2
        exit 64
        ;;
esac
