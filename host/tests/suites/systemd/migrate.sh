#!/bin/sh
# Follows the guides of docs/migrate word for word: in a clean system of this release of Debian, under a real systemd,
# the server of the guide is installed and serves a file; then the fenced commands of its page are run, there and back
# (trial-migrate.sh).
#
#   host/tests/suites/systemd/migrate.sh BINARY FOLDER [SERVER...]
#
# FOLDER keeps the clean system for the next time.
set -eu

binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
shift 2
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh
. host/tests/suites/systemd/common.sh

suite="the guides of docs/migrate"
debian dpkg-buildpackage dh mmdebstrap
# What the servers depend on; they are installed in the trial.
clean_system "$folder/system-migrate-$release" \
    --include=systemd,sudo,adduser,debconf,libwrap0,libpcre2-8-0,netbase,dnsmasq-base,runit-helper,update-inetd
TUFFET_XZ=1 sh packaging/deb.sh "$binary" "$folder/package" >/dev/null

[ $# -gt 0 ] || set -- tftpd-hpa atftpd dnsmasq
for server in "$@"; do
    share=$folder/share
    rm -rf "$share"
    mkdir "$share"
    cp "$folder"/package/*.deb "$share/tuffet.deb"
    (cd "$share" && download "$server") || not_here "the package $server cannot be had"
    mv "$share/$server"_*.deb "$share/server.deb"
    echo "$server" >"$share/server"
    # One file for each fenced block of commands, in their order.
    awk -v share="$share" '
        /^```sh$/ { block = sprintf("%s/block-%d", share, ++count); next }
        /^```/ { block = "" }
        block { print >block }
    ' "docs/migrate/$server.md"
    trial "$system" "$share" trial-migrate.sh "docs/migrate/$server.md does not work as written"
    rm -rf "$share"
done
