#!/bin/sh
# Builds the server as one static file, with musl as the C library, and prints where it is.
#
#   scripts/static.sh ARCHITECTURE PROFILE [CARGO]
#
# ARCHITECTURE is x86_64 or aarch64, of this machine or cross-built. The target is installed with rustup; the C code in
# dependencies (ring, zstd, helpers of wasmtime) needs a C compiler for it.
set -eu
cd "$(dirname "$0")/.."
architecture=$1 profile=$2 cargo=${3:-cargo}
target=$architecture-unknown-linux-musl

if [ "$architecture" = "$(uname -m)" ]; then
    sh scripts/packages.sh musl-gcc=musl-tools
elif [ "$architecture" = aarch64 ]; then
    # Compiles with the headers of glibc, as far as these dependencies use none that musl does not have; what is
    # linked is musl alone, which comes with the target.
    sh scripts/packages.sh aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu \
        /usr/aarch64-linux-gnu/include/stdio.h=libc6-dev-arm64-cross
    export CC_aarch64_unknown_linux_musl=aarch64-linux-gnu-gcc AR_aarch64_unknown_linux_musl=aarch64-linux-gnu-ar
    export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=aarch64-linux-gnu-gcc
else
    echo "no cross compiler is known for $architecture here: build on such a machine" >&2
    exit 69
fi
[ -d "$(rustc --print sysroot)/lib/rustlib/$target" ] || rustup target add "$target" </dev/null >&2

# As `make binary` and `make build` do: their choice of features.
set -- --locked --bin tuffet --target "$target" --profile "$profile"
[ "$profile" != dev ] || set -- "$@" --workspace
# shellcheck disable=SC2086 # several words, such as those of a wrapper
$cargo build "$@"
folder=$profile
[ "$profile" != dev ] || folder=debug
echo "${CARGO_TARGET_DIR:-target}/$target/$folder/tuffet"
