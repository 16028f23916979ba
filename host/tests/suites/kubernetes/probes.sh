#!/bin/sh
# In a network of its own: runs the server with the configuration that the chart rendered, asks what a kubelet asks,
# and stops it. Called by run.sh.
set -eu

ip link set lo up
echo content >"$WORK/srv/tftp/file"
mkdir -p "$WORK/run"
RUNTIME_DIRECTORY=$WORK/run STATE_DIRECTORY=$WORK/state CACHE_DIRECTORY=$WORK/cache/tuffet \
    "$TUFFET" serve --config "$WORK/default.tuffet.yaml" --user 0 --log-format json >"$WORK/log" 2>&1 &
server=$!
trap 'kill -9 $server 2>/dev/null || true' EXIT
fail() {
    cat "$WORK/log" >&2
    echo "probes: $1" >&2
    exit 1
}
status() {
    path=$1
    shift
    curl --silent --noproxy '*' --output /dev/null --write-out '%{http_code}' --max-time 5 "$@" "http://127.0.0.1:6980$path" || true
}
expect() {
    got=$(status "$2" ${3+"--header"} ${3+"$3"})
    [ "$got" = "$1" ] || fail "$2: $got instead of $1"
}
for _ in $(seq 100); do
    [ "$(status /livez)" != 200 ] || break
    kill -0 $server 2>/dev/null || fail "the server ended"
    sleep 0.1
done
expect 200 /livez
expect 200 "$PROBE"
expect 401 /metrics
expect 200 /metrics "Authorization: Bearer $TUFFET_ADMIN_TOKEN"
[ "$(curl --silent --noproxy '*' --max-time 10 tftp://127.0.0.1:6969/file)" = content ] || fail "no file comes"

# What ends: it is not ready for balancers, stays so for kube-proxy, is alive, and still answers.
kill -TERM $server
for _ in $(seq 100); do
    [ "$(status /readyz)" != 503 ] || break
    sleep 0.1
done
expect 503 /readyz
expect 200 "$PROBE"
expect 200 /livez
[ "$(curl --silent --noproxy '*' --max-time 10 tftp://127.0.0.1:6969/file)" = content ] || fail "no file comes during the delay"
kill -TERM $server
wait $server || fail "exit code $?"
trap - EXIT
echo "the probes mean what they should"
