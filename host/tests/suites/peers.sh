#!/bin/sh
# Unpacks the TFTP servers that tests compare with, below a folder: nothing of them is installed, so no service
# starts on port 69. (The packages of tftpd-hpa and atftpd cannot be installed beside each other anyway.) Each gets a
# folder with the name of its package. Never fails: the tests that need a missing server report what they skip.
#
#   host/tests/suites/peers.sh FOLDER
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../.."
. scripts/lib.sh

cd "$folder"
for command in apt-get dpkg-deb ldd; do
    installed "$command" || { echo "peers.sh: $command is missing" >&2; exit 0; }
done

lacks_libraries() { ldd "$1" 2>/dev/null | grep -q 'not found'; }

for pair in in.tftpd=tftpd-hpa atftpd=atftpd dnsmasq=dnsmasq-base; do
    package=${pair#*=}
    server=$package/usr/sbin/${pair%%=*}
    if ! [ -x "$server" ] && download "$package"; then
        dpkg-deb -x "$package"_*.deb "$package" || true
        rm -f "$package"_*.deb
    fi
    if [ -x "$server" ] && lacks_libraries "$server" && is_root; then
        # The package of dnsmasq without its service, for its libraries; and those of the others.
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            dnsmasq-base libwrap0 libpcre2-8-0 </dev/null >/dev/null 2>&1 || true
    fi
    if [ -x "$server" ] && lacks_libraries "$server"; then
        rm -f "$server"
    fi
    [ -x "$server" ] || echo "peers.sh: no ${pair%%=*} (package $package)" >&2
done
