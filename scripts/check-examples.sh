#!/bin/sh
# Every example must be a good configuration.
#
#   scripts/check-examples.sh FOLDER_OF_THE_BINARY
set -eu

bin=$1
cd "$(dirname "$0")/.."
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
