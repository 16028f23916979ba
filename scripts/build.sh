#!/bin/sh
# Builds the server and the programs beside it.
#
#   scripts/build.sh plugins            ensures that plugins can be built: installs a compiler for WebAssembly if there is none
#   scripts/build.sh binary [NAME...]   tuffet, and programs of the workspace, in the profile PROFILE, as tests use them
#   scripts/build.sh static ARCHITECTURE PROFILE
#                                       tuffet as one file with musl as the C library, for x86_64 or aarch64; prints its path
#   scripts/build.sh WORDS...           `cargo build` with these words
#
# CARGO and PROFILE are those of the Makefile.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh
cargo=${CARGO:-cargo}

# The toolchain's own target wasm32-wasip2, or, where rustup cannot fetch it, Debian's compiler and library sources.
compiler_for_plugins() {
    ready() { sh plugins/build.sh --toolchain >/dev/null; }
    [ -z "${TUFFET_GUESTS-}" ] || return 0
    ready && return 0
    if installed rustup; then
        echo "adding the target wasm32-wasip2" >&2
        rustup target add wasm32-wasip2 </dev/null >&2 && ready && return 0
    fi
    if is_root && installed apt-get; then
        echo "rustup could not add it: installing Debian's compiler for WebAssembly" >&2
        debian_packages rustc-web rust-web-src wasi-libc && ready && return 0
    fi
    cat >&2 <<'MESSAGE'
Tuffet's plugins are WebAssembly, and no compiler for the target wasm32-wasip2 could be installed. Run

    rustup target add wasm32-wasip2

or, on Debian where rustup cannot fetch it, as root

    apt-get install -y --no-install-recommends rustc-web rust-web-src wasi-libc

or set TUFFET_GUESTS to a folder that has the components: tuffet_acl.wasm, tuffet_ask.wasm, tuffet_audit.wasm,
tuffet_mac_map.wasm, tuffet_publish.wasm, tuffet_remap.wasm, tuffet_template.wasm.
MESSAGE
    return 1
}

# The bundled plugins are built beside it, since the crate that embeds them comes almost last.
binary() {
    [ -n "${TUFFET_GUESTS-}" ] || sh plugins/build.sh "$TARGET/guests" >/dev/null 2>&1 &
    programs=
    [ "${PROFILE:-dev}" = dev ] || AS_TESTS=
    for program in tuffet "$@"; do programs="$programs --bin $program"; done
    # shellcheck disable=SC2086 # several words
    (set -x && $cargo build --locked --profile "${PROFILE:-dev}" --workspace $programs $AS_TESTS)
}

static() {
    architecture=$1 profile=$2
    triple=$architecture-unknown-linux-musl
    # The C code in dependencies (ring, zstd, helpers of wasmtime) needs a C compiler for the target.
    if [ "$architecture" = "$(uname -m)" ]; then
        packages musl-gcc=musl-tools
    elif [ "$architecture" = aarch64 ]; then
        # Compiles with the headers of glibc, as far as these dependencies use none that musl does not have; what is
        # linked is musl alone, which comes with the target.
        packages aarch64-linux-gnu-gcc=gcc-aarch64-linux-gnu \
            /usr/aarch64-linux-gnu/include/stdio.h=libc6-dev-arm64-cross
        export CC_aarch64_unknown_linux_musl=aarch64-linux-gnu-gcc AR_aarch64_unknown_linux_musl=aarch64-linux-gnu-ar
        export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_LINKER=aarch64-linux-gnu-gcc
    else
        echo "no cross compiler is known for $architecture here: build on such a machine" >&2
        exit 69
    fi
    [ -d "$(rustc --print sysroot)/lib/rustlib/$triple" ] || rustup target add "$triple" </dev/null >&2
    # The choice of features is that of `binary` and of `make build`.
    set -- --locked --bin tuffet --target "$triple" --profile "$profile"
    [ "$profile" != dev ] || set -- "$@" --workspace
    # shellcheck disable=SC2086 # several words, such as those of a wrapper
    $cargo build "$@"
    folder=$profile
    [ "$profile" != dev ] || folder=debug
    echo "$TARGET/$triple/$folder/tuffet"
}

compiler_for_plugins
case $1 in
    plugins) ;;
    binary | static) "$@" ;;
    *)
        # shellcheck disable=SC2086 # several words, such as those of a wrapper
        (set -x && $cargo build --locked "$@")
        ;;
esac
