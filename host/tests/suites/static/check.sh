#!/bin/sh
# Checks that the crates that call the kernel compile for another processor, whose types of C differ. The suite `static`
# builds all of the server for it, which takes a cross compiler and many minutes.
set -eu
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh

target=aarch64-unknown-linux-musl
if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || rustup target add "$target" </dev/null >&2; then
    ${CARGO:-cargo} check --locked --target "$target" --package tuffet-udp --package tuffet-store
    echo "tuffet-udp and tuffet-store compile for $target"
else
    skip "the crates that call the kernel, for ARM: rustup cannot add $target"
fi
