#!/bin/sh
# Builds plugins as WebAssembly components, for the host's build script, the Makefile and plugin authors.
#
#   plugins/build.sh TARGET_DIR [PACKAGE...]
#
# leaves TARGET_DIR/wasm32-wasip2/guest/PACKAGE.wasm (with _ for -); without packages, the bundled plugins.
# Takes the toolchain's own target wasm32-wasip2, or, where rustup cannot fetch it, Debian's compiler and library sources.
#
#   plugins/build.sh --toolchain
#
# says which of the two it would take, `target` or `debian`, or fails.
set -eu

cargo=${CARGO:-cargo}
rustc=${RUSTC:-rustc}
debian=${TUFFET_DEBIAN_RUSTC:-/usr/bin/rustc}
# Debian: rustc-web knows the target, rust-web-src has the library to build for it, wasi-libc the C library.
# The linkers come from the rustup toolchain.
linkers=$("$rustc" --print sysroot)/lib/rustlib/$("$rustc" -vV | sed -n 's/^host: //p')/bin

toolchain() {
    libraries=$("$rustc" --print target-libdir --target wasm32-wasip2 2>/dev/null || true)
    if [ -n "$libraries" ] && ls "$libraries"/libstd-*.rlib >/dev/null 2>&1; then
        echo target
    elif [ -x "$debian" ] && [ -d /usr/lib/wasm32-wasi ] && [ -x "$linkers/wasm-component-ld" ] \
        && [ -f "$("$debian" --print sysroot)/lib/rustlib/src/rust/library/Cargo.lock" ]; then
        echo debian
    else
        return 1
    fi
}

if [ "${1-}" = --toolchain ]; then
    toolchain
    exit
fi
[ $# -ge 1 ] || { echo "usage: plugins/build.sh TARGET_DIR [PACKAGE...]" >&2; exit 2; }
mkdir -p "$1"
target_dir=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- tuffet-acl tuffet-ask tuffet-audit tuffet-mac-map tuffet-publish tuffet-remap \
    tuffet-template
packages=
for package in "$@"; do packages="$packages -p $package"; done

here=$(cd "$(dirname "$0")/.." && pwd)

# What a build of the host sets is not meant for guests: its flags, its linter, its target. Flags for guests are in
# CARGO_TARGET_WASM32_WASIP2_RUSTFLAGS.
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS CARGO_BUILD_TARGET CARGO_BUILD_TARGET_DIR \
    CARGO_TARGET_DIR RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTC_WRAPPER \
    CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS LD_PRELOAD 2>/dev/null || true

build() {
    cd "$here"
    # shellcheck disable=SC2086 # one word per package
    "$cargo" build --locked --profile guest --target wasm32-wasip2 --target-dir "$target_dir" $packages "$@"
}

case $(toolchain || true) in
target)
    build
    exit
    ;;
debian)
    echo "the target wasm32-wasip2 is not installed: building the plugins with Debian's rustc-web" >&2
    unset RUSTUP_TOOLCHAIN
    PATH=$linkers/gcc-ld:$linkers:$PATH RUSTC=$debian RUSTC_BOOTSTRAP=1 \
        CARGO_TARGET_WASM32_WASIP2_RUSTFLAGS="-Clink-self-contained=no -L/usr/lib/wasm32-wasi ${CARGO_TARGET_WASM32_WASIP2_RUSTFLAGS-}" \
        build -Zbuild-std=std,panic_abort
    exit
    ;;
esac

cat >&2 <<'MESSAGE'
Tuffet's plugins are WebAssembly, and no compiler for the target wasm32-wasip2 is installed. Run

    rustup target add wasm32-wasip2

or, on Debian where rustup cannot fetch it,

    apt-get install -y --no-install-recommends rustc-web rust-web-src wasi-libc

or set TUFFET_GUESTS to a folder that has the components: tuffet_acl.wasm, tuffet_ask.wasm, tuffet_audit.wasm,
tuffet_mac_map.wasm, tuffet_publish.wasm, tuffet_remap.wasm, tuffet_template.wasm.
MESSAGE
exit 1
