#!/bin/sh
# The SDKs as they would be published: each is packed, and the archive is all that an empty project has of it. The project
# is that of `tuffet plugin new`, without its copy of the SDK; its tests pass and it becomes a component. An SDK
# whose tools are missing is left out, which is said and fails nothing.
#
#   host/tests/suites/sdks/archives.sh TUFFET FOLDER
#
# leaves the archives in FOLDER.
set -eu

TUFFET=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
export TUFFET
rm -rf "$2"
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh
repository=$PWD
version=$(sed -n 's/^package .*@\(.*\);/\1/p' sdk/wit/policy.wit)

# A copy of the files of an SDK that git knows or would take: packing leaves files beside them.
copied() {
    mkdir -p "$2"
    (cd "sdk/$1" && git ls-files -z -co --exclude-standard | tar c --null --files-from - --dereference) | tar x -C "$2"
}

# An empty project: its language, and the folder of the copy that goes.
project() {
    cd "$folder"
    "$TUFFET" plugin new "hello-$1" --language "$1" >/dev/null
    cd "hello-$1"
    rm -r sdk
}

# The component that was built answers the cases of the project.
built() {
    "$TUFFET" plugin test >/dev/null || fail "the plugin in $1 fails its cases"
    echo "$1: $(basename "$2"), $(wc -c <"$2") bytes, builds a plugin that passes its cases"
}

rust() {
    [ "$(sh plugins/build.sh --toolchain)" = target ] ||
        { skip "the package of the Rust SDK: the toolchain has no target wasm32-wasip2 of its own"; return; }
    ${CARGO:-cargo} package --locked --allow-dirty --quiet --no-verify -p tuffet-sdk --target-dir "$folder/target"
    mv "$folder"/target/package/*.crate "$folder/"
    rm -r "$folder/target"
    archive=$(echo "$folder"/tuffet-sdk-*.crate)
    tar xzf "$archive" -C "$folder"
    project rust
    sed -i "s|sdk/rust|../$(basename "$archive" .crate)|" Cargo.toml
    unset CARGO_TARGET_DIR
    "$TUFFET" plugin build . --time 60s >/dev/null
    built Rust "$archive"
}

js() {
    installed npm || { skip "the archive of the JavaScript SDK: there is no npm"; return; }
    (cd "$folder" && npm pack --silent "$repository/sdk/js" >/dev/null)
    archive=$folder/tuffet-$version.tgz
    project js
    sed -i "s|file:sdk/js|file:$archive|" package.json
    npm install --silent --prefer-offline --no-audit --no-fund </dev/null >/dev/null 2>&1 ||
        { skip "the archive of the JavaScript SDK: npm install failed"; return; }
    node --test >/dev/null
    npx tuffet-build >/dev/null
    built JavaScript "$archive"
}

python() {
    python3 -c 'import sys, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
        { skip "the archive of the Python SDK: there is no Python 3.11 with venv"; return; }
    copied python "$folder/python"
    python3 -m venv "$folder/venv"
    pip="$folder/venv/bin/pip --quiet --disable-pip-version-check"
    $pip wheel --no-deps --wheel-dir "$folder" "$folder/python" ||
        { skip "the archive of the Python SDK: pip wheel failed"; return; }
    rm -r "$folder/python"
    archive=$(echo "$folder"/tuffet_sdk-*.whl)
    $pip install --only-binary :all: "$archive" || { skip "the archive of the Python SDK: pip install failed"; return; }
    project python
    "$folder/venv/bin/python" -B -m unittest -q
    "$folder/venv/bin/python" -B -m tuffet.build . >/dev/null
    built Python "$archive"
}

# A module without a host in its path cannot be fetched: it is unpacked, and `replace` names its folder.
go() {
    command go version >/dev/null 2>&1 || { skip "the archive of the Go SDK: there is no Go"; return; }
    copied go "$folder/module/tuffet@v$version"
    rm -r "$folder/module/tuffet@v$version/tests"
    archive=$folder/tuffet@v$version.zip
    (cd "$folder/module" && python3 -m zipfile -c "$archive" "tuffet@v$version")
    rm -r "$folder/module"
    project go
    python3 -m zipfile -e "$archive" "$folder/go-modules"
    export GOPROXY=off GOFLAGS='' GOTOOLCHAIN=local GOWORK=off
    command go mod edit -require "tuffet@v$version" -replace "tuffet=$folder/go-modules/tuffet@v$version"
    command go vet ./...
    command go test ./... >/dev/null
    "$TUFFET" plugin build . --time 60s >/dev/null
    built Go "$archive"
}

# In shells of their own: each changes the folder.
for sdk in rust js python go; do ("$sdk"); done
