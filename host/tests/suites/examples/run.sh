#!/bin/sh
# Every example must be a good configuration; the plugins among them must build and pass their cases.
#
#   host/tests/suites/examples/run.sh FOLDER_OF_THE_BINARY
set -eu

bin=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh
place=$(mktemp -d)
# The folders are those of whoever runs this.
user=$(id -u)
trap 'rm -rf "$place"' EXIT
for example in examples/*/tuffet.yaml; do
    case $example in
        # It is for a system that it is installed on.
        examples/systemd/*)
            sed "s|/srv/tftp|$place|" "$example" >"$place/tuffet.yaml"
            "$bin/tuffet" check --user "$user" "$place/tuffet.yaml" >/dev/null
            echo "$example: good"
            ;;
        *) "$bin/tuffet" check --user "$user" "$example" ;;
    esac
done

sh host/tests/suites/examples/uploads.sh "$bin"

if ! sh plugins/build.sh --toolchain >/dev/null; then
    skip "examples/plugins: there is no compiler for WebAssembly"
    exit 0
fi
# Beside the bundled plugins, whose dependencies are compiled already.
guests=$(dirname "$bin")/guests
names=$(cd examples/plugins && for plugin in */Cargo.toml; do dirname "$plugin"; done)
# shellcheck disable=SC2086 # one word for each plugin
sh plugins/build.sh "$guests" $names
for name in $names; do
    folder=examples/plugins/$name
    # Where `tuffet plugin build` puts it.
    cp "$guests/wasm32-wasip2/guest/$(echo "$name" | tr - _).wasm" "$folder/$name.wasm"
    "$bin/tuffet" plugin test "$folder/cases.yaml"
    "$bin/tuffet" check --user "$user" "$folder/tuffet.yaml"
done
sh host/tests/suites/examples/initrd.sh "$bin"
