#!/bin/sh
# Builds the S3 servers that the tests of origins start, once, and prints the folder they are in. Needs Go; without it
# prints nothing and fails.
#
#   scripts/s3-servers.sh TARGET_FOLDER
set -eu

command -v go >/dev/null 2>&1 || { echo "no Go, so no S3 servers: install golang-go (1.23 or later)" >&2; exit 1; }
versitygw=v1.8.0
gofakes3=v1.2.0
made=$1/s3-servers/$versitygw-$gofakes3
if [ ! -x "$made/versitygw" ] || [ ! -x "$made/gofakes3" ]; then
    mkdir -p "$1/s3-servers"
    work=$(mktemp -d "$1/s3-servers/build.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    (
        export GOFLAGS="-mod=mod" GOBIN="$work/bin"
        go install "github.com/versity/versitygw/cmd/versitygw@$versitygw"
        go install "github.com/johannesboyne/gofakes3/cmd/gofakes3@$gofakes3"
    ) >&2
    rm -rf "$made"
    mv "$work/bin" "$made"
fi
echo "$made"
