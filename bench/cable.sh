# shellcheck shell=sh disable=SC2034,SC2154 # The caller sets some variables, and reads others.
# Sourced by benchmarks of many clients behind one cable: two network namespaces, a virtual cable between them, a server at
# one end and `tuffet-crowd` at the other. Needs root, ip and tc. The caller sets bin (the folder of the programs), clients,
# mib (the size of the image) and rate, and calls `lay_cable` and then `serve_crowd`.

folder=$(mktemp -d)
server=tuffet-bench-s$$
client=tuffet-bench-c$$
# What the clients ask.
asked=192.0.2.1:69
pid=
relay=

finish() {
    for process in $pid $relay; do kill "$process" 2>/dev/null || true; done
    ip netns delete "$server" 2>/dev/null || true
    ip netns delete "$client" 2>/dev/null || true
    rm -rf "$folder"
}
trap finish EXIT INT TERM

# Usage: lay_cable KEYS: with further keys of the configuration.
lay_cable() {
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
control: $folder/control
state: $folder/state
$*
YAML
}

ticks() {
    # After the name, which is in parentheses: user and system time are the 12th and 13th fields.
    sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
}

sent() {
    ip netns exec "$server" cat /sys/class/net/cable/statistics/tx_bytes
}

# Starts a server, and lets the clients read the image. Sets cpu (seconds of the server), bytes (over the cable), outcomes
# (lines in the log), and what `value` and `live` read. The arguments are those of the clients.
serve_crowd() {
    ip netns exec "$server" "$bin/tuffet" serve --config "$folder/tuffet.yaml" --user root 2>"$folder/log" &
    pid=$!
    until grep -q ' serving' "$folder/log" 2>/dev/null; do sleep 0.1; done
    ticks_before=$(ticks "$pid")
    sent_before=$(sent)
    code=0
    ip netns exec "$client" "$bin/tuffet-crowd" --server "$asked" --name image --expected "$folder/root/image" \
        --clients "$clients" --interface 192.0.2.2 "$@" >"$folder/figures" || code=$?
    cpu=$(awk "BEGIN { print ($(ticks "$pid") - $ticks_before) / $(getconf CLK_TCK) }")
    bytes=$(($(sent) - sent_before))
    "$bin/tuffet" status --live --control "$folder/control" >"$folder/live"
    kill "$pid"
    wait "$pid" || true
    pid=
    outcomes=$(grep -c ' INFO served ' "$folder/log" || true)
    if [ "$code" -ne 0 ]; then cat "$folder/figures" >&2; fi
}

# A figure of the clients.
value() {
    sed -n "s/.*\"$1\": \([0-9.]*\).*/\1/p" "$folder/figures"
}
