#!/bin/sh
# The C SDK: its tests, natively; then its guest as a component, built by `tuffet plugin build`, for the tests of the server. Where there is no
# clang for WebAssembly, that is said and nothing fails.
#
#   host/tests/suites/sdks/c.sh TUFFET FOLDER
#
# leaves FOLDER/reference.wasm. What has not changed is not built again.
set -eu

tuffet=$(command -v "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh

# With sanitizers, where the compiler has them.
checks="-g -fsanitize=address,undefined -fno-sanitize-recover=all"
native() {
    # shellcheck disable=SC2086 # one word per flag
    cc $1 -Wall -Wextra -Werror -Isdk/c sdk/c/tests/sdk_test.c sdk/c/tuffet_test.c -o "$folder/sdk_test"
}
if installed cc; then
    native "$checks" 2>/dev/null || native ""
    "$folder/sdk_test"
fi

component=$folder/reference.wasm
if outdated "$component" sdk/c sdk/wit sdk/conformance/c "$tuffet"; then
    code=0
    CFLAGS=-Werror "$tuffet" plugin build sdk/conformance/c --output "$component" --time 60s >"$folder/built.log" 2>&1 || code=$?
    cat "$folder/built.log"
    case $code in
    0) ;;
    69)
        skip "the C SDK: there is no clang for WebAssembly, or no wasi-libc"
        rm -f "$component" # built by a tool that is gone
        ;;
    *) exit "$code" ;;
    esac
fi
