#!/bin/sh
# The units of examples/systemd under a real systemd, over a copy of this system: trial-units.sh does there what the
# README of the example says, and more.
#
#   host/tests/suites/systemd/units.sh BINARY
set -eu

binary=$(realpath "$1")
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh
. host/tests/suites/systemd/common.sh

suite="the units under a real systemd"
installed curl || not_here "curl is not installed"
share=$(mktemp -d)
trap 'rm -rf "$share"' EXIT
cp "$binary" "$share/tuffet"
cp -r examples/systemd "$share/example"
trial / "$share" trial-units.sh "the trial of the units has failed"
