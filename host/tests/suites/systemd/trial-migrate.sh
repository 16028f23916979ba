#!/bin/bash
# Runs below a systemd that boot.sh has started over a clean Debian: from another server to Tuffet and
# back, by the commands of its guide.
set -euo pipefail
trap 'systemctl exit' EXIT
export SYSTEMD_PAGER='' LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive

server=$(cat /mnt/server)
unit=$server
ok() { echo "ok: $server: $*"; }
fail() {
    echo "failed: $*"
    systemctl status tuffet.service "$unit" --lines=20 || true
    exit 1
}
pack() { dpkg --force-confold "$@" >/tmp/dpkg 2>&1 || { cat /tmp/dpkg; fail "dpkg $*"; }; }
fetch() { [ "$(/tmp/client get --quiet --timeout 10 -o - tftp://127.0.0.1/pxelinux.0)" = loader ]; }
# The programs that have port 69 (0x45); systemd for a socket unit.
holder() {
    local inode
    inode=$(awk '$2 ~ /:0045$/ { print $10; exit }' /proc/net/udp /proc/net/udp6)
    [ -n "$inode" ] || return 0
    for process in /proc/[0-9]*; do
        if [ -n "$(find "$process/fd" -lname "socket:\\[$inode\\]" 2>/dev/null)" ]; then
            basename "$(readlink "$process/exe")"
        fi
    done | sort -u | tr '\n' ' '
}

# As each is set up before the move.
prepare() {
    mkdir -p /srv/tftp
    echo loader >/srv/tftp/pxelinux.0
    chmod -R a+rX /srv/tftp
    case $server in
        dnsmasq)
            cat >/etc/dnsmasq.conf <<'CONF'
port=0
enable-tftp
tftp-root=/srv/tftp
CONF
            ;;
    esac
    pack -i /mnt/server.deb
    case $server in
        atftpd) unit=atftpd.socket ;;
    esac
    systemctl start "$unit" 2>/dev/null || true
    # The folders and files that the page names as examples.
    mkdir -p /tftpboot
    echo 'r ^/?alias$ /pxelinux.0' >/etc/tftpd.map
    echo '^alias$ pxelinux.0' >/etc/tftp.pcre
}

# The edits that a page asks for in words.
edit() {
    case $server in
        dnsmasq) sed -i 's/^\(enable-tftp\|tftp-\|quiet-tftp\)/# \1/' /etc/dnsmasq.conf ;;
    esac
}
undo() {
    case $server in
        dnsmasq) sed -i 's/^# \(enable-tftp\|tftp-\|quiet-tftp\)/\1/' /etc/dnsmasq.conf ;;
    esac
}

# Runs a block, line by line as somebody types it.
follow() {
    local line status
    while IFS= read -r line; do
        [ -n "$line" ] || continue
        status=0
        bash -c "$line" >/tmp/said 2>&1 </dev/null || status=$?
        # The import says so if something has no counterpart.
        if [ "$status" = 1 ] && [[ $line == *'tuffet import '* ]] && grep -q 'not carried over' /tmp/said; then
            continue
        fi
        [ "$status" = 0 ] || { cat /tmp/said; fail "\`$line\` ended with $status"; }
    done <"$1"
}

prepare
dpkg-deb --fsys-tarfile /mnt/tuffet.deb | tar -xO ./usr/bin/tuffet >/tmp/client
chmod +x /tmp/client
fetch || fail "the original does not serve"
before=$(holder)
ok "serves ($before)"

cd /root
# Its service cannot start yet: the port is taken.
pack -i /mnt/tuffet.deb
blocks=$(find /mnt -name 'block-*' | wc -l)
for number in $(seq "$blocks"); do
    block=/mnt/block-$number
    if [ "$number" = "$blocks" ]; then
        undo
    elif grep -q 'enable --now tuffet' "$block"; then
        edit
    fi
    follow "$block"
    if grep -q 'disable --now tuffet' "$block"; then
        fetch || fail "nothing is served after the way back"
        [ "$(holder)" = "$before" ] || fail "$(holder) has the port, and not $before"
        ok "serves again"
    elif grep -q 'enable --now tuffet' "$block"; then
        fetch || fail "nothing is served after the switch"
        [ "$(holder)" = 'tuffet ' ] || fail "$(holder) has the port"
        ok "the guide leads to Tuffet, which serves the same file"
    fi
done
touch /mnt/good
