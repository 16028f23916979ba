#!/bin/sh
# Starts an S3 server with the bucket of this folder, and a branch server with a cold cache before it. Ctrl-C ends both.
# The S3 server is versitygw, which is built once with Go; TUFFET names the server's program.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
tuffet=${TUFFET:-$target/release/tuffet}
[ -x "$tuffet" ] || tuffet=$target/debug/tuffet
[ -x "$tuffet" ] || { echo "there is no $tuffet; run: make build" >&2; exit 69; }
gateway=${VERSITYGW:-}
[ -n "$gateway" ] || gateway=$(sh "$root/scripts/tools.sh" "$target" versitygw)/versitygw
command -v "$gateway" >/dev/null || { echo "there is no S3 server: install golang-go, or name versitygw with VERSITYGW" >&2; exit 69; }

export AWS_ACCESS_KEY_ID=branch AWS_SECRET_ACCESS_KEY=only-for-this-example
work=$(mktemp -d)
mkdir "$work/buckets"
# The store keeps ETags in attributes of the files: it gets a copy.
cp -r "$here/bucket" "$work/buckets/boot"
rm -rf "$here/cache"
trap 'kill $store $server 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
store='' server=''
"$gateway" --access "$AWS_ACCESS_KEY_ID" --secret "$AWS_SECRET_ACCESS_KEY" --port 127.0.0.1:9070 --quiet \
    posix "$work/buckets" >"$work/store.log" 2>&1 &
store=$!
# Until it listens on 127.0.0.1:9070.
until grep -q '0100007F:236E 00000000:0000 0A' /proc/net/tcp; do
    kill -0 "$store" 2>/dev/null || { echo "the object store has not started:" >&2; cat "$work/store.log" >&2; exit 69; }
    sleep 0.1
done
echo "object store: http://127.0.0.1:9070, process $store; kill -9 $store takes the line down"
"$tuffet" serve --user "$(id -u)" --config "$here/tuffet.yaml" --log info,tuffet::origin=debug &
server=$!
wait "$server"
