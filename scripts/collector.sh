#!/bin/sh
# Builds the OpenTelemetry collector that the tests send to, once, and prints where it is. Needs Go; without
# it prints nothing and fails.
#
#   scripts/collector.sh TARGET_FOLDER
set -eu

command -v go >/dev/null 2>&1 || { echo "no Go, so no collector: install golang-go (1.23 or later)" >&2; exit 1; }
here=$(cd "$(dirname "$0")/.." && pwd)/host/tests/collector
version=v0.125.0
# What it is made of names the folder, so that a change builds it anew.
digest=$(cat "$here/builder.yaml" "$here"/fileexporter/* | sha256sum | cut -c1-12)
made=$1/collector/$digest
mkdir -p "$1/collector"
# Another run may be building it.
exec 9>"$1/collector/lock"
flock 9
if [ ! -x "$made/otelcol-test" ]; then
    work=$(mktemp -d "$1/collector/build.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    cp -r "$here/builder.yaml" "$here/fileexporter" "$work/"
    # One package at a time: it runs beside other tests.
    (
        cd "$work"
        export GOFLAGS=-p=1 GOBIN="$work/bin"
        go install "go.opentelemetry.io/collector/cmd/builder@$version"
        sed "s|^dist:|dist:\n  output_path: $work/out|" builder.yaml >with-output.yaml
        bin/builder --config with-output.yaml
    ) >&2
    rm -rf "$made"
    mv "$work/out" "$made"
fi
echo "$made/otelcol-test"
