#!/bin/bash
# The first process of the emulated machine: AppArmor confines the server to all but some of what it serves.
# shellcheck disable=SC2016 # backquotes in texts
set -u
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t securityfs securityfs /sys/kernel/security
mount -t tmpfs tmpfs /run
mount -t tmpfs tmpfs /tmp
exec >/dev/console 2>&1
# shellcheck source=host/tests/suites/mandatory-access/common.sh
. /trial/common.sh
ip link set lo up 2>/dev/null || busybox ip link set lo up

files /srv/files
mkdir -p /srv/other /etc/tuffet
cat >/etc/tuffet/tuffet.yaml <<'YAML'
listeners: [{ address: "127.0.0.1:69", name: lan }]
roots: [{ name: boot, path: /srv/files, writable: true }]
control: /run/tuffet/control
state: /run/tuffet/state
privileges: { user: tuffet }
YAML

start() {
    tuffet serve --config /etc/tuffet/tuffet.yaml >/run/log 2>&1 &
    server=$!
    until grep -q serving /run/log; do
        kill -0 "$server" 2>/dev/null || fail "the server ended: $(cat /run/log)"
        sleep 0.2
    done
}
stop() {
    kill "$server"
    wait "$server" || fail "the server ended with $?: $(cat /run/log)"
}
log() { cat /run/log; }

start
[ "$(get closed/file)" = secret ] || fail "without a profile the file is not served: $(get closed/file)"
stop
ok "AppArmor, no profile: the file is served"

cat >/etc/apparmor.d/tuffet <<'PROFILE'
abi <abi/3.0>,
profile tuffet /usr/bin/tuffet {
  capability,
  network,
  signal,
  unix,
  ptrace,
  file,
  deny /srv/files/closed/** r,
  deny /srv/files/inbox/** w,
  deny /srv/other/ r,
}
PROFILE
apparmor_parser -r /etc/apparmor.d/tuffet || fail "the profile cannot be loaded"
# The same program under another name, so without the profile.
mkdir /unconfined
cp /usr/bin/tuffet /unconfined/tuffet

start
says "$(cat "/proc/$server/attr/current")" "tuffet (enforce)"
[ "$(get open)" = open ] || fail "what the profile allows is not served: $(get open)"
profile='the AppArmor profile `tuffet` refuses it'
file='it lacks the right `r` on the file /srv/files/closed/file'
says "$(get closed/file)" "access denied"
says "$(logged read closed/file)" "ERROR failed" "$file" "$profile" "apparmor_parser -r"
ok "AppArmor: the log names the profile"
says "$(/unconfined/tuffet explain --live --config /etc/tuffet/tuffet.yaml closed/file)" "refused" "$file" "$profile"
ok "AppArmor: explain --live, not confined itself, names the profile"
says "$(tuffet explain --config /etc/tuffet/tuffet.yaml closed/file)" "refused" "$file" "$profile"
ok "AppArmor: explain names the profile"
echo new >/run/new
says "$(tuffet put --quiet --timeout 60 /run/new tftp://127.0.0.1/inbox/new 2>&1)" "access denied"
says "$(logged write inbox/new)" "ERROR failed" 'it lacks the right `w` on the folder /srv/files/inbox' "$profile"
ok "AppArmor: the log names the profile for an upload"
says "$(tuffet doctor --no-rate --config /etc/tuffet/tuffet.yaml)" 'cannot read 1 of' "$profile" \
    'the AppArmor profile `tuffet` holds for it, and for this check'
says "$(/unconfined/tuffet doctor --no-rate --config /etc/tuffet/tuffet.yaml)" 'can read all' \
    'the AppArmor profile `tuffet` holds for it, and not for this check' 'explain --live'
ok "AppArmor: doctor names the profile, or says that it does not see what the profile refuses"
cp /etc/tuffet/tuffet.yaml /run/tuffet.yaml
sed -i 's|^roots: .*|roots: [{ name: boot, path: /srv/files }, { name: other, path: /srv/other }]|' /etc/tuffet/tuffet.yaml
says "$(tuffet reload --config /etc/tuffet/tuffet.yaml 2>&1)" "/srv/other" 'or the AppArmor profile `tuffet` refuses it'
says "$(tuffet check /etc/tuffet/tuffet.yaml 2>&1)" 'it lacks the right `r` on the folder /srv/other' "$profile"
ok "AppArmor: reload and check name the profile"
stop
says "$(timeout 60 tuffet serve --config /etc/tuffet/tuffet.yaml 2>&1)" 'it lacks the right `r` on the folder /srv/other' "$profile"
ok "AppArmor: a start that the profile prevents names it"

# Most profiles do not let a program read its own name.
mv /run/tuffet.yaml /etc/tuffet/tuffet.yaml
sed -i 's|^}|  deny /proc/*/attr/** r,\n}|' /etc/apparmor.d/tuffet
apparmor_parser -r /etc/apparmor.d/tuffet || fail "the profile cannot be loaded"
start
says "$(get closed/file)" "access denied"
says "$(logged read closed/file)" "ERROR failed" "$file (a security module such as SELinux or AppArmor refuses it"
stop
ok "AppArmor: a profile that hides its name is a security module in the log"
well
