#!/bin/bash
# Runs below a systemd that units.sh has started: the steps of examples/systemd/README.md, and then
# what an operator does to the unit, and what happens to it.
set -euo pipefail
trap 'systemctl exit' EXIT
export SYSTEMD_PAGER='' LC_ALL=C.UTF-8

ok() { echo "ok: $*"; }
fail() {
    echo "failed: $*"
    systemctl status tuffet.service tuffet.socket --lines=20 || true
    exit 1
}
fetch() { [ "$(curl -s --max-time 10 tftp://127.0.0.1/hello)" = hello ]; }
property() { systemctl show --value --property "$1" tuffet.service; }
# The server below its parent, which is the main process of the unit.
server() { pgrep -x -P "$(property MainPID)" tuffet; }
# Restarts while four clients fetch a small file again and again, and one a large file.
restarts_under_load() {
    rm -f /tmp/over /tmp/lost /tmp/fetched
    for client in 1 2 3 4; do
        while [ ! -e /tmp/over ]; do
            curl -s --max-time 10 -w '%{time_total}\n' -o "/tmp/got.$client" tftp://127.0.0.1/hello >>/tmp/fetched &&
                [ "$(cat "/tmp/got.$client")" = hello ] || echo "client $client" >>/tmp/lost
        done &
    done
    curl -s -o /tmp/large tftp://127.0.0.1/large || echo "the large file" >>/tmp/lost &
    large=$!
    until_it has_begun
    for _ in 1 2 3 4 5; do
        systemctl restart tuffet.service
    done
    wait "$large"
    touch /tmp/over
    wait
    [ ! -e /tmp/lost ] || fail "$(wc -l </tmp/lost) of $(wc -l </tmp/fetched) transfers were lost in five restarts: $(sort /tmp/lost | uniq -c)"
    cmp -s /tmp/large /srv/tftp/large || fail "the large file is another one"
    ok "five restarts $1 under $(wc -l </tmp/fetched) transfers, none lost; the longest took $(sort -n /tmp/fetched | tail -n 1) s"
}
has_begun() { [ "$(stat -c %s /tmp/large 2>/dev/null || echo 0)" -gt 1000000 ]; }
# A step of the README: what its numbered block of commands says.
block() { awk -v number="$1" '/^```sh$/ { many++; inside = many == number; next } /^```$/ { inside = 0 } inside' README.md; }
until_it() {
    for _ in $(seq 100); do
        if "$@"; then return; fi
        sleep 0.1
    done
    fail "in vain: $*"
}

cp /mnt/tuffet /usr/bin/tuffet
cd /mnt/example
install -d /srv/tftp
echo hello >/srv/tftp/hello
head -c 63000000 /dev/urandom >/srv/tftp/large
block 1 | bash -eux
[ "$(property ActiveState)" = active ] || fail "the unit is not active"
fetch || fail "nothing is served"
ok "the steps of the README: served as user $(ps -o user= -p "$(server)")"
[ "$(ps -o user= -p "$(server)")" = tuffet ] || fail "it runs as another user"
grep -q '^CapEff:.0000000000000000$' "/proc/$(server)/status" || fail "a capability is left"
ok "no capability is left to the server"
tuffet doctor --config /etc/tuffet/tuffet.yaml >/tmp/doctor || fail "doctor says that something is wrong"
grep -q "open files: [0-9]* for the server that runs" /tmp/doctor || fail "doctor does not see the limit of the unit"
exposure=$(systemd-analyze security tuffet.service | sed -nE 's/.*Overall exposure level for tuffet\.service: ([0-9.]+).*/\1/p')
awk "BEGIN { exit !($exposure <= 2.0) }" || fail "the exposure is $exposure"
ok "exposure $exposure while it runs"

systemctl reload tuffet.service || fail "a good configuration is not taken"
cp /etc/tuffet/tuffet.yaml /tmp/good.yaml
echo 'listeners: [' >/etc/tuffet/tuffet.yaml
if systemctl reload tuffet.service 2>/dev/null; then fail "a broken configuration is taken without a word"; fi
cp /tmp/good.yaml /etc/tuffet/tuffet.yaml
fetch || fail "nothing is served after a broken configuration"
ok "reload: a good configuration is taken, a broken one refused, and the old one serves on"

restarts_are() { [ "$(property NRestarts)" = "$1" ]; }
kill -KILL "$(property MainPID)"
until_it restarts_are 1
until_it fetch
ok "killed: started again"
kill -KILL "$(server)"
until_it restarts_are 2
until_it fetch
ok "crashed: started again"
before=$(server)
tuffet restart --config /etc/tuffet/tuffet.yaml || fail "tuffet restart"
[ "$(server)" != "$before" ] || fail "the same process serves"
[ "$(property ActiveState)" = active ] || fail "the unit is not active after tuffet restart"
ok "tuffet restart: another server below the same main process"
mkdir -p /etc/systemd/system/tuffet.service.d
# More starts than systemd allows in ten seconds otherwise.
printf '[Unit]\nStartLimitIntervalSec=0\n[Service]\nWatchdogSec=2s\n' >/etc/systemd/system/tuffet.service.d/watchdog.conf
systemctl daemon-reload
systemctl restart tuffet.service
fetch || fail "nothing is served after a restart"
kill -STOP "$(server)"
until_it restarts_are 1
until_it fetch
ok "hung: the watchdog starts it again"

restarts_under_load "with its own sockets"
systemctl stop tuffet.service
[ "$(property Result)" = success ] || fail "stopped: $(property Result)"
nobody_serves() { ! pgrep -x tuffet >/dev/null; }
until_it nobody_serves
ok "stopped with success"

# The second block of the README, but for the editor.
printf '[Service]\nAmbientCapabilities=\nCapabilityBoundingSet=\n' >/etc/systemd/system/tuffet.service.d/socket.conf
block 2 | grep -v -e '^#' -e 'systemctl edit' | bash -eux
systemctl daemon-reload
systemctl restart tuffet.service
fetch || fail "nothing is served at the sockets of systemd"
grep -q '^CapBnd:.0000000000000000$' "/proc/$(server)/status" || fail "a capability could come back"
ok "port 69 by the socket unit, without any capability"
restarts_under_load "with the sockets of systemd"

doctor() { setpriv --reuid=tuffet --regid=tuffet --clear-groups tuffet doctor --no-rate --config /etc/tuffet/tuffet.yaml || true; }
doctor | grep -q '^good .*privilege for 0.0.0.0:69: /etc/systemd/system/tuffet.socket opens it' || fail "$(doctor)"
ok "doctor: no privilege is asked for where the socket unit opens the port"

# The third block of the README.
echo 'admin: { address: "unix:/run/tuffet-admin" }' >>/etc/tuffet/tuffet.yaml
block 3 | bash -eux
looks() { curl -sf --max-time 10 --unix-socket /run/tuffet-admin http://tuffet/livez >/dev/null; }
looks || fail "the admin listener does not answer at its socket"
file() { stat -c '%U %G %a %i' /run/tuffet-admin; }
before=$(file)
[ "${before% *}" = 'tuffet tuffet 660' ] || fail "who may look: $before"
systemctl restart tuffet.service
looks || fail "the admin listener does not answer after a restart"
[ "$(file)" = "$before" ] || fail "the socket is another after a restart: $(file), $before before"
fetch || fail "nothing is served beside the admin socket"
ok "the admin listener at a socket of systemd, which outlives a restart"
touch /mnt/good
