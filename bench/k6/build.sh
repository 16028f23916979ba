#!/bin/sh
# Builds k6 with k6/x/tftp, and prints where it is. Needs Go 1.25 or later and, the first time, some minutes; without
# Go, or where the modules cannot be had, it says so and ends with 69.
#
#   bench/k6/build.sh TARGET_FOLDER
set -eu

mkdir -p "$1/k6"
target=$(cd "$1" && pwd)/k6
cd "$(dirname "$0")"
command -v go >/dev/null 2>&1 || { echo "no Go, so no k6: install Go 1.25 or later" >&2; exit 69; }
# The same flags for all of it, so that nothing is compiled twice.
export GOFLAGS="${GOFLAGS:-} -trimpath -buildvcs=false"
go list -deps -test ./... >/dev/null || { echo "Go is too old, or cannot get the modules of k6" >&2; exit 69; }
# Another run may be building it.
exec 9>"$target/lock"
flock 9
start=$(date +%s)
go build -ldflags='-s -w' -o "$target/k6" ./cmd/k6 >&2
echo "k6 is built, $(($(date +%s) - start)) s" >&2
echo "$target/k6"
