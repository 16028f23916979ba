#!/bin/sh
# Writes sdk/c/bindings from sdk/wit, with `wit-bindgen c` (cargo install --locked wit-bindgen-cli --version 0.61.0; WIT_BINDGEN
# names another place of it). A plugin in C is built from these files, without the generator.
#
#   scripts/c-bindings.sh            writes them
#   scripts/c-bindings.sh --check    fails if they are not up to date; skipped where the generator is not installed
set -eu
cd "$(dirname "$0")/.."
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

# A world for each hook and each grant: a plugin contains the code of those that it uses.
generate() {
    wit=$place/wit/$1
    mkdir -p "$wit/deps/policy" "$wit/deps/wasi-http" "$wit/deps/wasi-io" "$place/bindings/$1"
    cp sdk/wit/v0.2/policy.wit "$wit/deps/policy/"
    cp sdk/python/tuffet/wit/wasi-http.wit "$wit/deps/wasi-http/"
    cp sdk/python/tuffet/wit/wasi-io.wit "$wit/deps/wasi-io/"
    echo "package local:plugin; world plugin { $2; }" >"$wit/world.wit"
    "$generator" c "$wit" --no-object-file ${3:+"$3"} --out-dir "$place/out" >/dev/null 2>&1
    cp "$place/out/plugin.h" "$place/bindings/$1/plugin.h"
    # What follows would link the object file that is not written: `tuffet plugin build` adds the types itself.
    sed '/^\/\/ Ensure that the .*_component_type.o object is linked in/,$d' "$place/out/plugin.c" |
        sed -e :a -e '/^\n*$/{$d;N;ba' -e '}' >"$place/bindings/$1/plugin.c"
}

policy=$(sed -n 's/^package \(.*\)@\(.*\);/\1 \2/p' sdk/wit/v0.2/policy.wit)
for name in lifecycle authorize resolve render-parts accept-upload observe; do
    generate "$name" "export ${policy% *}/$name@${policy#* }" --no-helpers
done
for name in log files upload-content sinks metrics history; do
    generate "$name" "import ${policy% *}/$name@${policy#* }" --no-helpers
done
# The types of shared namespaces are those of keys: in files of their own, their functions would exist twice.
generate kv "import ${policy% *}/kv@${policy#* }; import ${policy% *}/shared-kv@${policy#* }" --no-helpers
# Resources are dropped by helper functions.
generate http "import wasi:http/outgoing-handler@0.2.0" ""

if [ "$check" = --check ]; then
    diff -r sdk/c/bindings "$place/bindings" >/dev/null || {
        echo "sdk/c/bindings is not up to date: run scripts/c-bindings.sh" >&2
        exit 1
    }
else
    mkdir -p sdk/c
    rm -rf sdk/c/bindings
    cp -r "$place/bindings" sdk/c/
fi
