#!/bin/sh
# Builds the object stores that the tests of origins start, once, and prints the folders they are in, as for PATH: two
# S3 servers and fake-gcs-server with Go, Azurite with npm. What cannot be built is left out, with a word on standard
# error.
#
#   scripts/s3-servers.sh TARGET_FOLDER
set -eu

versitygw=v1.8.0
gofakes3=v1.2.0
fakegcs=v1.56.1
azurite=3.35.0

mkdir -p "$1/s3-servers"
target=$(cd "$1/s3-servers" && pwd)
folders=
work=
trap 'rm -rf "$work"' EXIT

# What is being made is complete when it is renamed.
begin() {
    work=$(mktemp -d "$target/build.XXXXXX")
}

built_with_go() {
    made=$target/$versitygw-$gofakes3-$fakegcs
    if [ ! -d "$made" ]; then
        command -v go >/dev/null 2>&1 || { echo "no Go, so no S3 servers and no fake-gcs-server: install golang-go"; return 1; }
        begin
        (
            export GOFLAGS="-mod=mod" GOBIN="$work/bin"
            go install -ldflags='-s -w' "github.com/versity/versitygw/cmd/versitygw@$versitygw" &&
                go install -ldflags='-s -w' "github.com/johannesboyne/gofakes3/cmd/gofakes3@$gofakes3" &&
                go install -ldflags='-s -w' "github.com/fsouza/fake-gcs-server@$fakegcs"
        ) || { echo "the S3 servers were not built"; return 1; }
        mv "$work/bin" "$made"
        rm -rf "$work"
    fi
    folders=$folders:$made
}

built_with_npm() {
    made=$target/azurite-$azurite
    if [ ! -d "$made" ]; then
        if ! { node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' && command -v npm; } >/dev/null 2>&1; then
            echo "no Node.js 20 and npm, so no Azurite"
            return 1
        fi
        begin
        (cd "$work" && npm install --silent --no-audit --no-fund --no-package-lock "azurite@$azurite" </dev/null) ||
            { echo "npm cannot install Azurite"; return 1; }
        mv "$work" "$made"
    fi
    folders=$folders:$made/node_modules/.bin
}

built_with_go >&2 || true
built_with_npm >&2 || true
echo "${folders#:}"
