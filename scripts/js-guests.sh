#!/bin/sh
# The JavaScript SDK: its tests natively and its types; then its guest as a component, for the tests of the server.
# Without Node.js 20, or where npm cannot fetch the packages, that is said and nothing fails.
#
#   scripts/js-guests.sh FOLDER TUFFET
#
# leaves FOLDER/reference.wasm, and FOLDER/node_modules for the tests of `tuffet plugin build`. What has not
# changed is not built again.
set -eu

mkdir -p "$1"
folder=$(cd "$1" && pwd)
TUFFET=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$(dirname "$0")/.."

skip() {
    message="the JavaScript SDK: $1"
    echo "skipped: $message"
    [ -z "${TUFFET_SKIPPED-}" ] || echo "skipped: $message" >>"$TUFFET_SKIPPED"
    rm -f "$folder"/*.wasm # built from what is no longer there
    exit 0
}

node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' 2>/dev/null || skip "there is no Node.js 20 or later"

node --test sdk/js/test/*.test.js >"$folder/tests.log" 2>&1 || {
    cat "$folder/tests.log" >&2
    echo "sdk/js/test: a test failed" >&2
    exit 1
}

# The packages of a new project.
packages=sdk/templates/ts/package.json
if ! cmp -s "$packages" "$folder/template.json"; then
    command -v npm >/dev/null 2>&1 || skip "there is no npm"
    rm -rf "$folder/node_modules"
    sed -e '/\/\/%/d' -e '/"file:sdk\/js"/d' "$packages" >"$folder/package.json"
    (cd "$folder" && npm install --silent --no-audit --no-fund --no-package-lock </dev/null >/dev/null 2>&1) \
        || skip "npm install failed"
    cp "$packages" "$folder/template.json"
fi
node "$folder/node_modules/typescript/bin/tsc" -p sdk/conformance/js

component=$folder/reference.wasm
newer=$(find sdk/js sdk/wit sdk/conformance/js "$folder/template.json" -newer "$component" -type f 2>/dev/null || echo all)
if [ ! -f "$component" ] || [ -n "$newer" ]; then
    export TUFFET
    NODE_PATH=$folder/node_modules node sdk/js/build/main.js sdk/conformance/js -o "$component"
fi
