#!/bin/sh
# Every example must be a good configuration.
#
#   scripts/check-examples.sh FOLDER_OF_THE_BINARY
set -eu

bin=$1
cd "$(dirname "$0")/.."
for example in examples/*/tuffet.yaml; do
    "$bin/tuffet" check "$example"
done
