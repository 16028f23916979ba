#!/bin/bash
# Runs below a systemd that boot.sh has started over a clean Debian: the life of the package.
set -euo pipefail
trap 'systemctl exit' EXIT
export SYSTEMD_PAGER='' LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive

ok() { echo "ok: $*"; }
fail() {
    echo "failed: $*"
    systemctl status tuffet.service tuffet.socket --lines=20 || true
    exit 1
}
fetch() { [ "$(tuffet get --quiet --timeout 10 -o - tftp://127.0.0.1/hello)" = hello ]; }
property() { systemctl show --value --property "$1" "${2-tuffet.service}"; }
is() { [ "$(systemctl "$1" "$2" 2>/dev/null)" = "$3" ] || fail "$2 should be $3: $(systemctl "$1" "$2" 2>&1)"; }
pack() { dpkg --force-confold "$@" >/tmp/dpkg 2>&1 || { cat /tmp/dpkg; fail "dpkg $*"; }; }
# The port is 0x45.
port_is_open() { grep -q ':0045 ' /proc/net/udp; }

pack -i /mnt/first.deb
is is-active tuffet.service active
is is-enabled tuffet.service enabled
is is-enabled tuffet.socket disabled
[ "$(ps -o user= -p "$(property MainPID)" 2>/dev/null || stat -c %U "/proc/$(property MainPID)")" = tuffet ] ||
    fail "it runs as another user"
[ -d /srv/tftp ] || fail "there is no folder to serve"
echo hello >/srv/tftp/hello
fetch || fail "nothing is served on port 69"
for file in /usr/share/man/man1/tuffet-serve.1.gz /usr/share/man/man5/tuffet.yaml.5.gz \
    /usr/share/bash-completion/completions/tuffet /usr/share/zsh/vendor-completions/_tuffet \
    /usr/share/fish/vendor_completions.d/tuffet.fish /usr/share/doc/tuffet/copyright; do
    [ -s "$file" ] || fail "$file is missing"
done
[ -z "$(dpkg -V tuffet)" ] || fail "$(dpkg -V tuffet)"
dpkg-query -W -f '${Conffiles}' tuffet | grep -q /etc/tuffet/tuffet.yaml || fail "the configuration is no conffile"
ok "installed: enabled, started, answers on port 69 as its own user"

echo '# Of the operator.' >>/etc/tuffet/tuffet.yaml
touch /var/lib/tuffet/kept
before=$(property MainPID)
pack -i /mnt/next.deb
case $(dpkg-query -W -f '${Version}' tuffet) in *+next) ;; *) fail "not upgraded" ;; esac
[ "$(property MainPID)" != "$before" ] || fail "the old server still runs"
fetch || fail "nothing is served after an upgrade"
grep -q '^# Of the operator.$' /etc/tuffet/tuffet.yaml || fail "the operator's configuration is gone"
grep -q '^# Of the next version.$' /etc/tuffet/tuffet.yaml.dpkg-dist || fail "the new default is not beside it"
[ -e /var/lib/tuffet/kept ] || fail "the state is gone"
ok "upgraded: restarted, the operator's configuration and the state are kept"

systemctl disable --now tuffet.service 2>/dev/null
pack -i /mnt/first.deb
is is-enabled tuffet.service disabled
is is-active tuffet.service inactive
ok "back to the earlier version; a disabled service stays disabled and stopped"

mkdir -p /etc/systemd/system/tuffet.service.d
printf '[Service]\nAmbientCapabilities=\nCapabilityBoundingSet=\n' >/etc/systemd/system/tuffet.service.d/socket.conf
systemctl daemon-reload
systemctl enable --now tuffet.socket 2>/dev/null
systemctl start tuffet.service
fetch || fail "nothing is served at the socket of systemd"
opened=$(property ActiveEnterTimestampMonotonic tuffet.socket)
pack -i /mnt/next.deb
is is-active tuffet.socket active
[ "$(property ActiveEnterTimestampMonotonic tuffet.socket)" = "$opened" ] || fail "the upgrade closed the port for a while"
fetch || fail "nothing is served at the socket of systemd after an upgrade"
ok "upgraded with the socket unit: the port stays open meanwhile"

pack -r tuffet
for _ in $(seq 50); do
    if ! port_is_open; then break; fi
    sleep 0.1
done
if port_is_open; then fail "somebody still listens on port 69"; fi
[ ! -e /usr/bin/tuffet ] || fail "the binary is still there"
[ -e /etc/tuffet/tuffet.yaml ] || fail "removing took the configuration"
[ -e /var/lib/tuffet/kept ] || fail "removing took the state"
ok "removed: stopped, configuration and state are kept"

pack -P tuffet
for path in /etc/tuffet /var/lib/tuffet /var/cache/tuffet /etc/systemd/system/multi-user.target.wants/tuffet.service \
    /etc/systemd/system/sockets.target.wants/tuffet.socket; do
    if [ -e "$path" ] || [ -L "$path" ]; then fail "$path is left"; fi
done
[ -e /srv/tftp/hello ] || fail "served files are gone"
ok "purged: no configuration, state or unit is left; served files are"

# `make install` on the same system, as its message says.
rm -r /etc/systemd/system/tuffet.service.d /srv/tftp
sh /mnt/clone/packaging/install.sh install /mnt/tuffet >/tmp/next 2>&1 || fail "$(cat /tmp/next)"
PATH=/usr/local/bin:$PATH
sed -n 's/^    //p' /tmp/next | grep -v doctor | bash -eux || fail "the commands that make install prints"
is is-active tuffet.service active
[ "$(property FragmentPath)" = /usr/local/lib/systemd/system/tuffet.service ] || fail "$(property FragmentPath)"
echo hello >/srv/tftp/hello
fetch || fail "nothing is served after make install"
systemctl disable --now tuffet.service 2>/dev/null
sh /mnt/clone/packaging/install.sh uninstall 2>/dev/null
[ -e /etc/tuffet/tuffet.yaml ] || fail "make uninstall took the configuration"
[ ! -e /usr/local/bin/tuffet ] || fail "make uninstall left the binary"
ok "make install below /usr/local: the commands that it prints start the service, on port 69"
touch /mnt/good
