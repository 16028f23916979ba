#!/bin/sh
# Follows the guides of docs/migrate word for word: in a clean system of this release of Debian, under a real systemd,
# the server of the guide is installed and serves a file; then the fenced commands of its page are run, there and back
# (scripts/systemd/trial-migrate.sh).
#
#   scripts/check-migrate.sh BINARY FOLDER [SERVER...]
#
# FOLDER keeps the clean system for the next time.
set -eu

binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
shift 2
cd "$(dirname "$0")/.."
skip() {
    echo "skipped: the guides of docs/migrate: $1" >&2
    exit 0
}
# shellcheck source=/dev/null
ID=$(. /etc/os-release && echo "$ID") VERSION_CODENAME=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
[ "$ID" = debian ] || skip "this is not Debian"
for tool in dpkg-buildpackage dh mmdebstrap; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
done
[ "$(id -u)" = 0 ] || skip "needs root"

system=$folder/system-migrate-$VERSION_CODENAME
if [ ! -d "$system" ]; then
    rm -rf "$system.part"
    # What the servers depend on; they are installed in the trial.
    mmdebstrap --quiet --variant=essential --dpkgopt='path-exclude=/usr/share/locale/*' \
        --include=systemd,sudo,adduser,debconf,libwrap0,libpcre2-8-0,netbase,dnsmasq-base,runit-helper,update-inetd \
        "$VERSION_CODENAME" "$system.part" || skip "no clean system of $VERSION_CODENAME can be made"
    mv "$system.part" "$system"
fi
TUFFET_XZ=1 sh packaging/deb.sh "$binary" "$folder/package" >/dev/null

[ $# -gt 0 ] || set -- tftpd-hpa atftpd dnsmasq
for server in "$@"; do
    share=$folder/share
    rm -rf "$share"
    mkdir "$share"
    cp "$folder"/package/*.deb "$share/tuffet.deb"
    (cd "$share" && apt-get download -qq "$server" >/dev/null 2>&1) || skip "the package $server cannot be had"
    mv "$share/$server"_*.deb "$share/server.deb"
    echo "$server" >"$share/server"
    # One file for each fenced block of commands, in their order.
    awk -v share="$share" '
        /^```sh$/ { block = sprintf("%s/block-%d", share, ++count); next }
        /^```/ { block = "" }
        block { print >block }
    ' "docs/migrate/$server.md"
    cp scripts/systemd/trial-migrate.sh "$share/trial.sh"
    status=0
    sh scripts/systemd/boot.sh "$system" "$share" >"$share/result" || status=$?
    case $status in
        0) cat "$share/result" ;;
        69) skip "$(tail -n 1 "$share/result")" ;;
        *)
            echo "docs/migrate/$server.md does not work as written" >&2
            exit 1
            ;;
    esac
    rm -rf "$share"
done
