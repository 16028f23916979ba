#!/bin/sh
# Writes sdk/c/bindings from sdk/wit, with `wit-bindgen c` (cargo install --locked wit-bindgen-cli --version 0.61.0; WIT_BINDGEN
# names another place of it). A plugin in C is built from these files, without the generator.
#
#   scripts/bindings/c.sh            writes them
#   scripts/bindings/c.sh --check    fails if they are not up to date; skipped where the generator is not installed
set -eu
cd "$(dirname "$0")/../.."
check=${1-}
version=0.61.0
generator=${WIT_BINDGEN-wit-bindgen}

if [ "$("$generator" --version 2>/dev/null)" != "wit-bindgen-cli $version" ]; then
    message="sdk/c/bindings: wit-bindgen $version is not installed (cargo install --locked wit-bindgen-cli --version $version)"
    [ "$check" = --check ] || { echo "$message" >&2; exit 1; }
    echo "not checked: $message"
    exit 0
fi

place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
mkdir -p "$place/wit/deps/policy" "$place/wit/deps/wasi-http" "$place/wit/deps/wasi-io" "$place/bindings"
cp sdk/wit/policy.wit "$place/wit/deps/policy/"
cp sdk/python/tuffet/wit/wasi-http.wit "$place/wit/deps/wasi-http/"
cp sdk/python/tuffet/wit/wasi-io.wit "$place/wit/deps/wasi-io/"

# Generates `plugin.h` and `plugin.c` of a world. $1: the world's items; $2: an option.
generate() {
    echo "package local:plugin; world plugin { $1 }" >"$place/wit/world.wit"
    "$generator" c "$place/wit" --no-object-file ${2:+"$2"} --out-dir "$place/out" >/dev/null 2>&1
}

# Without the comments of the WIT.
header() { sed '2,${/^ *\/\//d}' "$place/out/plugin.h"; }

# Without what would link the object file that is not written: `tuffet plugin build` adds the types itself.
code() {
    sed '/^\/\/ Ensure that the .*_component_type.o object is linked in/,$d' "$place/out/plugin.c" |
        sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'
}

package=$(sed -n 's/^package \(.*\)@.*;/\1/p' sdk/wit/policy.wit)
number=$(sed -n 's/^package .*@\(.*\);/\1/p' sdk/wit/policy.wit)
imports=
exports=
for name in log kv files upload-content sinks metrics history; do
    imports="$imports import $package/$name@$number;"
done
# A source for each export: a plugin contains the code of its hooks. Of the imports, the linker keeps what it calls.
for name in lifecycle authorize resolve render render-parts accept-upload observe; do
    export="export $package/$name@$number;"
    exports="$exports $export"
    generate "$export" --no-helpers
    code >"$place/bindings/$name.c"
done
generate "$imports" --no-helpers
code >"$place/bindings/imports.c"
generate "$imports $exports" --no-helpers
header >"$place/bindings/plugin.h"
# Resources are dropped by helper functions.
generate "import wasi:http/outgoing-handler@0.2.0;"
header >"$place/bindings/http.h"
code | sed 's/"plugin.h"/"http.h"/' >"$place/bindings/http.c"

if [ "$check" = --check ]; then
    diff -r sdk/c/bindings "$place/bindings" >/dev/null || {
        echo "sdk/c/bindings is not up to date: run sh scripts/bindings/c.sh" >&2
        exit 1
    }
else
    mkdir -p sdk/c
    rm -rf sdk/c/bindings
    cp -r "$place/bindings" sdk/c/
fi
