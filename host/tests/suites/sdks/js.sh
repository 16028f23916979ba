#!/bin/sh
# The JavaScript SDK: its tests natively and its types; then its guest as a component, for the tests of the server.
# Without Node.js 20, or where npm cannot fetch the packages, that is said and nothing fails.
#
#   host/tests/suites/sdks/js.sh FOLDER TUFFET
#
# leaves FOLDER/reference.wasm, and FOLDER/node_modules for the tests of `tuffet plugin build`. What has not
# changed is not built again.
set -eu

mkdir -p "$1"
folder=$(cd "$1" && pwd)
TUFFET=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh

leave_out() {
    skip "the JavaScript SDK: $1"
    rm -f "$folder"/*.wasm # built by a tool that is gone
    exit 0
}

node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' 2>/dev/null || leave_out "there is no Node.js 20 or later"

node --test sdk/js/test/*.test.js >"$folder/tests.log" 2>&1 || {
    cat "$folder/tests.log" >&2
    echo "sdk/js/test: a test failed" >&2
    exit 1
}

# The packages of a new project.
packages=sdk/templates/ts/package.json
if ! cmp -s "$packages" "$folder/template.json"; then
    installed npm || leave_out "there is no npm"
    rm -rf "$folder/node_modules"
    sed -e '/\/\/%/d' -e '/"file:sdk\/js"/d' "$packages" >"$folder/package.json"
    (cd "$folder" && npm install --silent --no-audit --no-fund --no-package-lock </dev/null >/dev/null 2>&1) \
        || leave_out "npm install failed"
    cp "$packages" "$folder/template.json"
fi
node "$folder/node_modules/typescript/bin/tsc" -p sdk/conformance/js

component=$folder/reference.wasm
if outdated "$component" sdk/js sdk/wit sdk/conformance/js "$folder/template.json"; then
    export TUFFET
    NODE_PATH=$folder/node_modules node sdk/js/build/main.js sdk/conformance/js -o "$component"
fi
