#!/bin/bash
# Runs below systemd in the emulated machine, where SELinux enforces Debian's policy: first what docs/rhel.md says of a
# service without a policy module, then a domain that may not read everything (trial.cil).
# shellcheck disable=SC2016 # backquotes in texts
set -u
# shellcheck source=host/tests/suites/mandatory-access/common.sh
. /trial/common.sh

# unit SETTINGS: in place of those of the unit.
unit() {
    mkdir -p /etc/systemd/system/tuffet.service.d
    printf '[Service]\n%s\n' "$1" >/etc/systemd/system/tuffet.service.d/trial.conf
    systemctl daemon-reload
}
start() { systemctl start "$1" || fail "$1 does not start: $(systemctl status --full --lines=20 "$1" tuffet.service)"; }
stop() {
    systemctl stop "$@"
    systemctl reset-failed 2>/dev/null
}
log() { journalctl --unit tuffet --output cat --no-pager; }
domain() { tr -d '\0' <"/proc/$(systemctl show --value --property MainPID tuffet)/attr/current"; }
type_of() { stat -c %C "$1" | cut -d : -f 3; }
serves() { [ "$(get open)" = open ] || fail "$1: nothing is served: $(get open)"; }

[ "$(getenforce)" = Enforcing ] || fail "SELinux does not enforce: $(getenforce)"
ip link set lo up 2>/dev/null || true
files /srv/tftp
mkdir -p /etc/tuffet
cat >/etc/tuffet/tuffet.yaml <<'YAML'
listeners: [{ address: "127.0.0.1:69", name: lan }]
roots: [{ name: boot, path: /srv/tftp, writable: true }]
workers: 1
YAML
cp /trial/tuffet.service /trial/tuffet.socket /etc/systemd/system/
restorecon -RF /etc/tuffet /etc/systemd/system /srv/tftp
systemctl daemon-reload

[ "$(type_of /usr/bin/tuffet)" = bin_t ] || fail "the binary has the type $(type_of /usr/bin/tuffet)"
[ "$(type_of /srv/tftp/open)" = public_content_t ] || fail "a file has the type $(type_of /srv/tftp/open)"
start tuffet
[ "$(domain)" = system_u:system_r:initrc_t:s0 ] || fail "a service without a module is $(domain)"
serves "the service"
stop tuffet
ok "SELinux: a service without a module is initrc_t in Debian's policy, opens port 69 and serves public_content_t"

unit 'AmbientCapabilities=
CapabilityBoundingSet='
for port in 69 6970; do
    printf '[Socket]\nListenDatagram=127.0.0.1:%s\nReusePort=yes\nPassPacketInfo=yes\n' "$port" >/etc/systemd/system/tuffet.socket
    sed -i "s/127.0.0.1:[0-9]*/127.0.0.1:$port/" /etc/tuffet/tuffet.yaml
    systemctl daemon-reload
    start tuffet.socket
    start tuffet
    [ "$(get open "$port")" = open ] || fail "port $port of systemd: nothing is served: $(get open "$port")"
    stop tuffet.socket tuffet
done
sed -i 's/127.0.0.1:[0-9]*/127.0.0.1:69/' /etc/tuffet/tuffet.yaml
ok "SELinux: systemd opens port 69 and another one for the service"

rm -r /etc/systemd/system/tuffet.service.d
systemctl daemon-reload
chcon -t tuffet_home_t /usr/bin/tuffet || fail "no label can be set"
systemctl start tuffet 2>/dev/null && fail "systemd runs what it may not execute"
says "$(systemctl show --property ExecMainStatus tuffet)" "ExecMainStatus=203"
says "$(dmesg | grep 'avc: .*tuffet_home_t')" 'denied  { execute' init_t
stop tuffet
restorecon -F /usr/bin/tuffet
start tuffet
stop tuffet
ok "SELinux: a binary that systemd may not execute gives 203, and restorecon mends that"

chcon -t tftpd_exec_t /usr/bin/tuffet
systemctl start tuffet 2>/dev/null && fail "the domain of in.tftpd suffices: $(domain)"
says "$(systemctl show --property ExecMainStatus tuffet)" "ExecMainStatus=71"
stop tuffet
ok "SELinux: the domain of in.tftpd does not suffice"

# The same program under another name, so outside of the domain.
mkdir /unconfined
cp /usr/bin/tuffet /unconfined/tuffet
chcon -t bin_t /unconfined/tuffet
chcon -t tuffet_exec_t /usr/bin/tuffet
echo seen >/srv/tftp/seen
mkdir /srv/tftp/folder
echo deep >/srv/tftp/folder/file
chcon -t tuffet_seen_t /srv/tftp/seen /srv/tftp/folder /srv/tftp/inbox
chcon -t tuffet_closed_t /srv/tftp/closed/file
unit 'ReadWritePaths=/srv/tftp'
start tuffet
[ "$(domain)" = system_u:system_r:tuffet_t:s0 ] || fail "the server is $(domain)"
serves "the domain of its own"
by='(SELinux refuses it to the domain `tuffet_t`, whatever its permissions'
seen='it lacks the right `r` on the file /srv/tftp/seen '"$by"'; its type is `tuffet_seen_t`)'
closed='it lacks the right `r` on the file /srv/tftp/closed/file '"$by)"
says "$(get seen)" "access denied"
says "$(logged read seen)" "ERROR failed" "$seen" 'restorecon -Rv /srv/tftp/seen' 'ausearch -m avc'
says "$(dmesg | grep 'avc: .*tuffet_seen_t')" 'denied  { read' tuffet_t
says "$(get closed/file)" "access denied"
says "$(logged read closed/file)" "ERROR failed" "$closed"
says "$(get folder/file)" "access denied"
says "$(logged read folder/file)" "ERROR failed" 'it lacks the right `x` on the folder /srv/tftp/folder '"$by"
ok "SELinux: the log names the domain, and the type where the domain may see it"
says "$(tuffet put --quiet --timeout 60 /etc/hostname tftp://127.0.0.1/inbox/new 2>&1)" "access denied"
says "$(logged write inbox/new)" "ERROR failed" 'on the folder /srv/tftp/inbox '"$by"
ok "SELinux: the log names the domain for an upload"
says "$(/unconfined/tuffet explain --live --config /etc/tuffet/tuffet.yaml seen)" refused "$seen"
ok "SELinux: explain --live, outside of the domain, names it"
says "$(tuffet explain --config /etc/tuffet/tuffet.yaml closed/file)" refused "$closed"
ok "SELinux: explain names the domain"
says "$(tuffet doctor --no-rate --config /etc/tuffet/tuffet.yaml)" 'cannot read 4 of' "$by" \
    'the SELinux domain `tuffet_t` holds for it, and for this check'
says "$(/unconfined/tuffet doctor --no-rate --config /etc/tuffet/tuffet.yaml)" 'can read all' \
    'the SELinux domain `tuffet_t` holds for it, and not for this check' 'explain --live'
ok "SELinux: doctor names the domain, or says that it does not see what is refused there"
stop tuffet
chcon -t tuffet_seen_t /srv/tftp
says "$(tuffet check /etc/tuffet/tuffet.yaml 2>&1)" 'who may not read /srv/tftp: it lacks the right ' "on the folder /srv/tftp $by"
ok "SELinux: check names the domain"
well
