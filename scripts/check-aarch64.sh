#!/bin/sh
# Checks that the crates that call the kernel compile for ARM, whose types of C differ. `make static-aarch64` builds the
# whole server; that takes a cross compiler and many minutes.
#
#   scripts/check-aarch64.sh TARGET_FOLDER CARGO
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
log=$1/check-aarch64.log
target=aarch64-unknown-linux-musl
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target" ] && ! rustup target add "$target" </dev/null >&2; then
    echo "skipped: rustup cannot add $target" >&2
    exit 0
fi
# CARGO may be several words, such as a wrapper.
# shellcheck disable=SC2086
$2 check --locked --target "$target" --package tuffet-udp --package tuffet-store 2>"$log" || {
    cat "$log" >&2
    echo "check-aarch64: tuffet-udp or tuffet-store does not compile for $target" >&2
    exit 1
}
