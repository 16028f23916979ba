#!/bin/sh
# Checks that the server builds without each of its features, and without all of them; then the build without any
# serves the quickstart, and says what it leaves out. Checks that what calls the kernel compiles for ARM, too.
#
#   scripts/check-features.sh TARGET_FOLDER CARGO
set -eu
cd "$(dirname "$0")/.."
target=$1
cargo=$2
# A folder of its own: features decide what dependencies are built with. All builds here share it.
CARGO_TARGET_DIR=$target/features
export CARGO_TARGET_DIR
mkdir -p "$CARGO_TARGET_DIR"
log=$CARGO_TARGET_DIR/check.log
guests=$target/guests/wasm32-wasip2/guest
if [ -z "${TUFFET_GUESTS-}" ] && [ -f "$guests/tuffet_acl.wasm" ]; then
    export TUFFET_GUESTS="$guests"
fi

# Compiled without optimisation: what runs here is one request.
fast=
# shellcheck disable=SC2013 # names have no spaces
for package in $(sed -n 's/^\[profile\.dev\.package\.\([a-z0-9-]*\)\]$/\1/p' Cargo.toml); do
    fast="$fast --config profile.dev.package.$package.opt-level=0"
done

fail() {
    echo "check-features: $1" >&2
    exit 1
}

# SUBCOMMAND FEATURES: without a warning, also.
built() {
    # shellcheck disable=SC2086 # several words, such as those of a wrapper
    $cargo "$1" $fast --locked --package tuffet --bin tuffet --no-default-features --features "$2" 2>"$log" || {
        cat "$log" >&2
        fail "it does not build with the features \`$2\` alone"
    }
    if grep -A 5 '^warning: ' "$log" >&2; then
        fail "the build with the features \`$2\` alone has warnings"
    fi
    echo "features: ${2:-none}"
}

all=$(sed -n 's/^default = \[\(.*\)\]$/\1/p' host/Cargo.toml | tr -d '",')
[ -n "$all" ] || fail "host/Cargo.toml has no list of default features"
for without in $all; do
    some=
    for feature in $all; do
        [ "$feature" = "$without" ] || some="$some $feature"
    done
    built check "${some# }"
done
built build ""
# The crates that call the kernel compile for another processor, whose types of C differ. `make static-aarch64` builds
# all of it; that takes a cross compiler and many minutes.
other=aarch64-unknown-linux-musl
if [ -d "$(rustc --print sysroot)/lib/rustlib/$other" ] || rustup target add "$other" </dev/null >&2; then
    $cargo check --locked --target "$other" --package tuffet-udp --package tuffet-store 2>"$log" || {
        cat "$log" >&2
        fail "tuffet-udp or tuffet-store does not compile for $other"
    }
    echo "tuffet-udp and tuffet-store compile for $other"
else
    echo "skipped: rustup cannot add $other"
fi
tuffet=$CARGO_TARGET_DIR/debug/tuffet

folder=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill "$server" 2>/dev/null || true; fi; rm -rf "$folder"' EXIT

# The quickstart, on any free port.
set -- --config examples/quickstart/tuffet.yaml --listen 127.0.0.1:0 --log-format json
[ "$(id -u)" != 0 ] || set -- "$@" --user "$(stat -c %u examples/quickstart/files)"
: >"$folder/log"
"$tuffet" serve "$@" 2>"$folder/log" &
server=$!
address=
for _ in $(seq 600); do
    if grep -q '"serving"' "$folder/log"; then
        address=$(sed -n 's/.*"listening","address":"\([^"]*\)".*/\1/p' "$folder/log")
        break
    fi
    kill -0 "$server" 2>/dev/null || break
    sleep 0.1
done
[ -n "$address" ] || { cat "$folder/log" >&2; fail "the build without features does not serve the quickstart"; }
"$tuffet" get -o "$folder/hello" "tftp://$address/hello.txt" >/dev/null 2>&1
cmp "$folder/hello" examples/quickstart/files/hello.txt || fail "hello.txt arrived with other bytes"
if "$tuffet" get -o "$folder/plan" "tftp://$address/secret/plan.txt" 2>"$folder/denied"; then
    fail "the plugin acl did not deny secret/plan.txt"
fi
grep -q 'this folder is closed' "$folder/denied" || fail "secret/plan.txt was denied by something else than acl"
kill "$server"
wait "$server"
server=

# What is left out, at its place.
cat >"$folder/tuffet.yaml" <<YAML
listeners: [{ address: "127.0.0.1:0" }]
roots: [{ name: files, path: "$folder" }]
sinks:
  bus: { nats: { url: "nats://127.0.0.1:4222", subject: events } }
  logs: { otlp: { endpoint: "http://127.0.0.1:4318" } }
admin: { address: "127.0.0.1:0" }
telemetry: {}
policy: { authorize: [acl] }
plugins:
  acl: { component: "oci://localhost:5000/acl" }
YAML
code=0
"$tuffet" check "$folder/tuffet.yaml" 2>"$folder/problems" || code=$?
[ "$code" = 64 ] || fail "a configuration that uses features that are left out ends with $code"
for due in '4:16: .*--features nats' '5:17: .*--features otlp' '6:8: .*--features admin' '7:12: .*--features otlp' \
    '10:21: .*--features registries'; do
    grep -q "tuffet.yaml:$due" "$folder/problems" || {
        cat "$folder/problems" >&2
        fail "no problem like $due"
    }
done
for subcommand in top doctor; do
    code=0
    "$tuffet" "$subcommand" --any thing 2>"$folder/absent" || code=$?
    [ "$code" = 64 ] || fail "tuffet $subcommand ends with $code"
    grep -q -- "--features $subcommand" "$folder/absent" || fail "tuffet $subcommand does not say how to get it"
done
echo "the build without features serves the quickstart, and says what it leaves out"
