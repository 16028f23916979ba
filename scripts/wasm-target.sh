#!/bin/sh
# Sees to it that plugins can be built: the toolchain's own target wasm32-wasip2, or, where rustup cannot
# fetch it, Debian's compiler and library sources. Does nothing when one of them is there already.
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
ready() { sh "$here/plugins/build.sh" --toolchain >/dev/null; }

if [ -n "${TUFFET_GUESTS-}" ] || ready; then
    exit 0
fi
if command -v rustup >/dev/null 2>&1; then
    echo "adding the target wasm32-wasip2" >&2
    if (cd "$here" && rustup target add wasm32-wasip2 </dev/null) && ready; then
        exit 0
    fi
fi
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    echo "rustup could not add it: installing Debian's compiler for WebAssembly" >&2
    if apt-get update -qq </dev/null \
        && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            rustc-web rust-web-src wasi-libc </dev/null >/dev/null \
        && ready; then
        exit 0
    fi
fi
cat >&2 <<'MESSAGE'
Tuffet's plugins are WebAssembly, and no compiler for the target wasm32-wasip2 could be installed. Run

    rustup target add wasm32-wasip2

or, on Debian where rustup cannot fetch it, as root

    apt-get install -y --no-install-recommends rustc-web rust-web-src wasi-libc

or set TUFFET_GUESTS to a folder that has the components: tuffet_acl.wasm, tuffet_audit.wasm,
tuffet_mac_map.wasm, tuffet_publish.wasm, tuffet_remap.wasm, tuffet_template.wasm.
MESSAGE
exit 1
