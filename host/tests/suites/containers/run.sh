#!/bin/sh
# The tests `containers` of the server, with the images and the engine that they need. Where no engine can run it says
# so and ends well.
#
#   host/tests/suites/containers/run.sh TARGET_FOLDER FOLDER_OF_THE_BINARY CARGO [WORDS FOR THE TESTS...]
set -eu
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh

# The second half, where an engine answers.
if [ "${1-}" = --inside ]; then
    folder=$2 client=$3 bin=$4 cargo=$5
    shift 5
    sh scripts/container/image.sh "$folder" "$bin/tuffet" tuffet-test:server 2>"$folder/build.log" || {
        cat "$folder/build.log" >&2
        exit 1
    }
    docker import "$client" tuffet-test:client >/dev/null
    # shellcheck disable=SC2086 # several words, such as those of a wrapper
    exec $cargo test --locked --workspace --test containers -- --test-threads=3 "$@"
fi

target=$1 bin=$2 cargo=$3
shift 3
folder=$target/containers
# The engine has no way out of its namespaces: what comes from elsewhere comes first.
base=scripts/container/base.sh
if ! { sh $base "$folder" && client=$(sh $base "$folder" busybox-static netbase curl atftp nftables); } >/dev/null; then
    skip "the tests in containers: there are no images"
    exit 0
fi
if collector=$(sh scripts/tools.sh "$target" collector); then
    TUFFET_COLLECTOR=$collector/otelcol-test
else
    TUFFET_COLLECTOR=
    skip "the test of a collector in a container"
fi
export TUFFET_COLLECTOR TUFFET_LOAD="$bin/tuffet-load"
code=0
sh scripts/container/engine.sh "$folder" sh host/tests/suites/containers/run.sh --inside "$folder" "$client" "$bin" "$cargo" "$@" || code=$?
if [ "$code" = 69 ]; then
    skip "the tests in containers: there is no engine"
    exit 0
fi
exit "$code"
