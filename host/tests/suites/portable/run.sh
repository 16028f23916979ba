#!/bin/sh
# What Linux on one processor can tell of other machines: the crates that call the kernel compile for ARM, whose types of C
# differ (the suite `static` builds all of the server for it, which takes a cross compiler and many minutes); the library
# without features compiles for macOS and FreeBSD, without a C compiler for them; and it passes its tests with one datagram
# in each call, as it sends and receives there.
set -eu
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh
cargo=${CARGO:-cargo}

# Words: TARGET SUBCOMMAND...
compile() {
    target=$1
    shift
    if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || rustup target add "$target" </dev/null >&2; then
        TARGET_CC=false $cargo "$@"
        echo "compiles for $target"
    else
        skip "whether the code compiles for $target: rustup cannot add it"
    fi
}

arm=aarch64-unknown-linux-musl
compile $arm check --locked --target $arm --package tuffet-udp --package tuffet-store
for other in x86_64-apple-darwin x86_64-unknown-freebsd; do
    compile $other clippy --locked --target $other --package tuffet --no-default-features -- -D warnings
done
$cargo test --locked --package tuffet-udp --package tuffet-engine --package tuffet-server --package tuffet --features tuffet-udp/plain --lib --test embed
