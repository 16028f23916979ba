#!/bin/sh
# Many clients read one image over one cable, as members of a multicast group and each for itself.
# Usage: run.sh FOLDER-OF-PROGRAMS [CLIENTS [MIB [RATE]]]; needs root, ip and tc. Prints rows of a table.
set -eu

bin=$1
clients=${2:-200}
mib=${3:-64}
rate=${4:-1gbit}
folder=$(mktemp -d)
server=tuffet-bench-s$$
client=tuffet-bench-c$$
pid=

finish() {
    [ -z "$pid" ] || kill "$pid" 2>/dev/null || true
    ip netns delete "$server" 2>/dev/null || true
    ip netns delete "$client" 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT INT TERM

ip netns add "$server"
ip netns add "$client"
ip -n "$server" link add cable type veth peer name cable netns "$client"
ip -n "$server" address add 192.0.2.1/24 dev cable
ip -n "$client" address add 192.0.2.2/24 dev cable
for name in "$server" "$client"; do
    ip -n "$name" link set lo up
    ip -n "$name" link set cable up
done
# Without it a virtual cable is as fast as the memory.
ip netns exec "$server" tc qdisc add dev cable root tbf rate "$rate" burst 256kb latency 20ms

mkdir "$folder/root"
head -c "$((mib * 1024 * 1024))" /dev/urandom >"$folder/root/image"
cat >"$folder/tuffet.yaml" <<YAML
listeners: [{ name: lan, address: 192.0.2.1:69 }]
roots: [{ name: boot, path: $folder/root }]
multicast: {}
control: none
state: $folder/state
YAML

ticks() {
    # After the name, which is in parentheses: user and system time are the 12th and 13th fields.
    sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
}

sent() {
    ip netns exec "$server" cat /sys/class/net/cable/statistics/tx_bytes
}

run() {
    title=$1
    shift
    ip netns exec "$server" "$bin/tuffet" serve --config "$folder/tuffet.yaml" --user root 2>"$folder/log" &
    pid=$!
    until grep -q ' serving' "$folder/log"; do sleep 0.1; done
    ticks_before=$(ticks "$pid")
    sent_before=$(sent)
    code=0
    ip netns exec "$client" "$bin/tuffet-crowd" --server 192.0.2.1:69 --name image --expected "$folder/root/image" \
        --clients "$clients" --interface 192.0.2.2 "$@" >"$folder/figures" || code=$?
    cpu=$(($(ticks "$pid") - ticks_before))
    bytes=$(($(sent) - sent_before))
    kill "$pid"
    wait "$pid" || true
    pid=
    outcomes=$(grep -c ' INFO served ' "$folder/log" || true)
    value() { sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" "$folder/figures"; }
    echo "| $title | $(value served) of $clients | $outcomes | $(value seconds) | $(value median_seconds) |" \
        "$((bytes / 1048576)) | $(awk "BEGIN { print $cpu / $(getconf CLK_TCK) }") | $(value needless_datagrams) |"
    if [ "$code" -ne 0 ]; then cat "$folder/figures" >&2; fi
}

echo "| | clients with the file | logged as served | last, s | median, s | MiB over the cable | server's CPU, s | needless datagrams |"
echo "|---|--:|--:|--:|--:|--:|--:|--:|"
run "multicast, windowsize 16" --multicast --windowsize 16
run "multicast, lockstep" --multicast --windowsize 1
run "unicast, windowsize 16" --windowsize 16
