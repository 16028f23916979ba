#!/bin/sh
# Builds cosign, once, and prints where it is. Needs Go; without it prints nothing and fails.
#
#   scripts/cosign.sh TARGET_FOLDER
set -eu

command -v go >/dev/null 2>&1 || { echo "no Go, so no cosign: install golang-go (1.25 or later)" >&2; exit 1; }
version=v3.1.3
made=$1/cosign/$version
if [ ! -x "$made/cosign" ]; then
    mkdir -p "$1/cosign"
    target=$(cd "$1/cosign" && pwd)
    work=$(mktemp -d "$target/build.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    GOFLAGS=-mod=mod GOBIN="$work" go install -ldflags='-s -w' \
        "github.com/sigstore/cosign/v3/cmd/cosign@$version" >&2
    rm -rf "$made"
    mv "$work" "$made"
fi
echo "$made/cosign"
