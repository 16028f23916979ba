#!/bin/sh
# Builds the object stores that the tests of origins start, each once, and prints the folders they are in, as for PATH:
# two S3 servers and fake-gcs-server with Go, Azurite with npm. What cannot be built is left out, with a word on
# standard error. Without names, it builds all of them.
#
#   scripts/s3-servers.sh TARGET_FOLDER [versitygw] [gofakes3] [fake-gcs-server] [azurite]
set -eu

versitygw=github.com/versity/versitygw/cmd/versitygw@v1.8.0
gofakes3=github.com/johannesboyne/gofakes3/cmd/gofakes3@v1.2.0
fakegcs=github.com/fsouza/fake-gcs-server@v1.56.1
azurite=3.35.0

mkdir -p "$1/s3-servers"
target=$(cd "$1/s3-servers" && pwd)
# Another run may be building it.
exec 9>"$target/lock"
flock 9
shift
[ $# -gt 0 ] || set -- versitygw gofakes3 fake-gcs-server azurite
folders=
work=
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# What is being made is complete when it is renamed.
begin() {
    work=$(mktemp -d "$target/build.XXXXXX")
}

# built_with_go NAME MODULE@VERSION
built_with_go() {
    made=$target/$1-${2##*@}
    if [ ! -d "$made" ]; then
        command -v go >/dev/null 2>&1 || { echo "no Go, so no $1: install golang-go"; return 1; }
        begin
        GOFLAGS=-mod=mod GOBIN="$work" go install -ldflags='-s -w' "$2" || { echo "$1 was not built"; return 1; }
        mv "$work" "$made"
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

for server; do
    case $server in
    versitygw) built_with_go "$server" "$versitygw" ;;
    gofakes3) built_with_go "$server" "$gofakes3" ;;
    fake-gcs-server) built_with_go "$server" "$fakegcs" ;;
    azurite) built_with_npm ;;
    *) echo "unknown server: $server"; exit 64 ;;
    esac >&2 || rm -rf "$work"
done
echo "${folders#:}"
