#!/bin/sh
# In a network of its own, as root: starts the server as the chart does in `mode: host`, with the capabilities ADDED,
# and looks at what it keeps. Called by run.sh.
set -eu

ip link set lo up
# What the pod mounts, with the owner that `fsGroup` gives.
chmod 755 "$WORK"
for folder in run state cache; do
    mkdir -p "$WORK/host/$folder"
    chown root:65532 "$WORK/host/$folder"
    chmod 2777 "$WORK/host/$folder"
done
{
    cat "$WORK/host.tuffet.yaml"
    printf 'privileges: { user: "65532" }\n'
} >"$WORK/host/tuffet.yaml"
RUNTIME_DIRECTORY=$WORK/host/run STATE_DIRECTORY=$WORK/host/state/tuffet CACHE_DIRECTORY=$WORK/host/cache/tuffet \
    setpriv --no-new-privs --inh-caps=-all --bounding-set "-all,$ADDED" \
    "$TUFFET" serve --config "$WORK/host/tuffet.yaml" --log-format json >"$WORK/host/log" 2>&1 &
server=$!
trap 'kill -9 $server 2>/dev/null || true' EXIT
fail() {
    cat "$WORK/host/log" >&2
    echo "host: $1" >&2
    exit 1
}
for _ in $(seq 200); do
    if curl --silent --noproxy '*' --fail --max-time 5 http://127.0.0.1:6980/livez >/dev/null; then break; fi
    kill -0 $server 2>/dev/null || fail "the server ended"
    sleep 0.1
done
status=$(cat /proc/$server/status)
for line in 'Uid:	65532	65532	65532	65532' 'CapPrm:	0000000000000000' 'CapEff:	0000000000000000'; do
    case $status in
    *"$line"*) ;;
    *) fail "the process lacks \`$line\`: $(echo "$status" | grep -E '^(Uid|Cap)')" ;;
    esac
done
echo content >"$WORK/srv/tftp/file"
[ "$(curl --silent --noproxy '*' --max-time 10 tftp://127.0.0.1/file)" = content ] || fail "no file comes from port 69"
kill -TERM $server
kill -TERM $server
wait $server || fail "exit code $?"
trap - EXIT
echo "port 69 is served by user 65532 without a capability"
