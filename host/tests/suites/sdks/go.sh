#!/bin/sh
# The Go SDK: its tests and those of its guests, natively; then the guests as components, built by `tuffet plugin build`
# without a network, for the tests of the server. Where there is no Go 1.24, that is said and nothing fails.
#
#   host/tests/suites/sdks/go.sh TUFFET FOLDER
#
# leaves FOLDER/reference.wasm and FOLDER/churn.wasm. What has not changed is not built again.
set -eu

tuffet=$(command -v "$1")
mkdir -p "$2"
folder=$(cd "$2" && pwd)
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh

leave_out() {
    skip "the Go SDK: $1"
    rm -f "$folder"/*.wasm # built by a tool that is gone
    exit 0
}

installed go || leave_out "there is no Go"
version=$(go env GOVERSION)
case $version in
go1.[0-9] | go1.[0-9].* | go1.1[0-9]* | go1.2[0-3]*) leave_out "$version is older than go1.24" ;;
esac

# Whatever the user has set: no network, no other toolchain.
export GOPROXY=off GOFLAGS='' GOTOOLCHAIN=local GOWORK=off
for module in sdk/go sdk/conformance/go; do
    unformatted=$(gofmt -l "$module")
    [ -z "$unformatted" ] || { echo "not formatted (gofmt -w): $unformatted" >&2; exit 1; }
    (cd "$module" && go vet ./... && go test ./...) || {
        echo "$module: a test failed" >&2
        exit 1
    }
done
(cd sdk/go && GOOS=wasip1 GOARCH=wasm go build ./...)

build() {
    project=$1 component=$folder/$2.wasm
    shift 2
    if outdated "$component" sdk/go sdk/wit "$project" "$tuffet"; then
        "$tuffet" plugin build "$project" --output "$component" --time 60s "$@"
    fi
}
build sdk/conformance/go reference
build sdk/go/tests/churn churn --grant kv --grant files/boot
