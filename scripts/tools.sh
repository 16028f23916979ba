#!/bin/sh
# Builds tools that tests run, each once, and prints the folders they are in, as for PATH. A tool that cannot be built is
# left out, with its reason on standard error; the exit code is then 69.
#
#   scripts/tools.sh TARGET_FOLDER TOOL...
#
# TOOL: versitygw, gofakes3, fake-gcs-server, cosign, collector (the OpenTelemetry collector of host/tests/collector, all
# built with Go), azurite (npm), or wkg (cargo).
set -eu

target=$1
shift
cd "$(dirname "$0")/.."
. scripts/lib.sh

versitygw=github.com/versity/versitygw/cmd/versitygw@v1.8.0
gofakes3=github.com/johannesboyne/gofakes3/cmd/gofakes3@v1.2.0
fakegcs=github.com/fsouza/fake-gcs-server@v1.56.1
cosign=github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3
builder=go.opentelemetry.io/collector/cmd/builder@v0.125.0
azurite=3.35.0
wkg=0.16.1

# go_program NAME MODULE@VERSION
go_program() {
    made=$tools/${2##*@}
    if [ ! -d "$made" ]; then
        installed go || { echo "no Go, so no $1: install golang-go"; return 1; }
        begin
        GOFLAGS=-mod=mod GOBIN="$work" go install -ldflags='-s -w' "$2" || { echo "$1 was not built"; return 1; }
        mv "$work" "$made"
    fi
    folder=$made
}

collector() {
    source=host/tests/collector
    # Named after its sources, so that a change builds it again.
    made=$tools/$(cat "$source/builder.yaml" "$source"/fileexporter/* | sha256sum | cut -c1-12)
    if [ ! -d "$made" ]; then
        installed go || { echo "no Go, so no collector: install golang-go (1.23 or later)"; return 1; }
        begin
        cp -r "$source/builder.yaml" "$source/fileexporter" "$work/"
        # One package at a time: it runs beside other tests.
        (
            export GOFLAGS=-p=1 GOBIN="$work/bin"
            cd "$work" && go install "$builder" &&
                sed "s|^dist:|dist:\n  output_path: $work/out|" builder.yaml >with-output.yaml &&
                bin/builder --config with-output.yaml
        ) || { echo "the collector was not built"; return 1; }
        mv "$work/out" "$made"
    fi
    folder=$made
}

azurite() {
    made=$tools/$azurite
    if [ ! -d "$made" ]; then
        if ! { node -e 'process.exit(process.versions.node.split(".")[0] < 20 ? 1 : 0)' && installed npm; } >/dev/null 2>&1; then
            echo "no Node.js 20 and npm, so no Azurite"
            return 1
        fi
        begin
        (cd "$work" && npm install --silent --no-audit --no-fund --no-package-lock "azurite@$azurite" </dev/null) ||
            { echo "npm cannot install Azurite"; return 1; }
        mv "$work" "$made"
    fi
    folder=$made/node_modules/.bin
}

wkg() {
    made=$tools/$wkg
    if [ ! -d "$made" ]; then
        begin
        ${CARGO:-cargo} install --quiet --locked wkg --version "$wkg" --root "$work" || { echo "wkg was not built"; return 1; }
        mv "$work" "$made"
    fi
    folder=$made/bin
}

folders=
missing=0
for tool; do
    work=
    lock "$target/tools/$tool"
    case $tool in
    versitygw) go_program "$tool" "$versitygw" ;;
    gofakes3) go_program "$tool" "$gofakes3" ;;
    fake-gcs-server) go_program "$tool" "$fakegcs" ;;
    cosign) go_program "$tool" "$cosign" ;;
    collector) collector ;;
    azurite) azurite ;;
    wkg) wkg ;;
    *) echo "there is no tool $tool"; exit 64 ;;
    esac >&2 || { missing=69 && rm -rf "$work" && continue; }
    folders=$folders:$folder
done
echo "${folders#:}"
exit "$missing"
