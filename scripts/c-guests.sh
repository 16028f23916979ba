#!/bin/sh
# The C SDK: its tests, natively; then its guest as a component, built by `tuffet plugin build`, for the tests of the server. Where there is no
# clang for WebAssembly, that is said and nothing fails.
#
#   scripts/c-guests.sh TUFFET FOLDER
#
# leaves FOLDER/reference.wasm. What has not changed is not built again.
set -eu

tuffet=$(command -v "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."

# With sanitizers, where the compiler has them.
checks="-g -fsanitize=address,undefined -fno-sanitize-recover=all"
native() {
    # shellcheck disable=SC2086 # one word per flag
    cc $1 -Wall -Wextra -Werror -Isdk/c sdk/c/tests/sdk_test.c sdk/c/tuffet_test.c -o "$folder/sdk_test"
}
if command -v cc >/dev/null 2>&1; then
    native "$checks" 2>/dev/null || native ""
    "$folder/sdk_test"
fi

component=$folder/reference.wasm
newer=$(find sdk/c sdk/wit sdk/conformance/c "$tuffet" -newer "$component" -type f 2>/dev/null || echo all)
if [ ! -f "$component" ] || [ -n "$newer" ]; then
    code=0
    CFLAGS=-Werror "$tuffet" plugin build sdk/conformance/c --output "$component" --time 60s >"$folder/built.log" 2>&1 || code=$?
    cat "$folder/built.log"
    case $code in
    0) ;;
    69)
        message="the C SDK: there is no clang for WebAssembly, or no wasi-libc"
        echo "skipped: $message"
        [ -z "${TUFFET_SKIPPED-}" ] || echo "skipped: $message" >>"$TUFFET_SKIPPED"
        rm -f "$component" # built from what is no longer there
        ;;
    *) exit "$code" ;;
    esac
fi
