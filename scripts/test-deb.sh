#!/bin/sh
# The Debian package: what lintian says of it, and what happens to a clean system of this release of Debian when it is
# installed, upgraded, removed and purged there under a real systemd (scripts/systemd/trial-deb.sh).
#
#   scripts/test-deb.sh BINARY FOLDER
#
# FOLDER keeps the clean system for the next time.
set -eu

binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
cd "$(dirname "$0")/.."
skip() {
    echo "skipped: the Debian package: $1" >&2
    exit 0
}
# shellcheck source=/dev/null
ID=$(. /etc/os-release && echo "$ID") VERSION_CODENAME=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
[ "$ID" = debian ] || skip "this is not Debian"
for tool in dpkg-buildpackage dh lintian mmdebstrap; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
done
[ "$(id -u)" = 0 ] || skip "needs root"

TUFFET_XZ=1 sh packaging/deb.sh "$binary" "$folder/package" >/dev/null
lintian --fail-on error --allow-root "$folder"/package/*.changes
echo "ok: lintian finds no error"

system=$folder/system-$VERSION_CODENAME
if [ ! -d "$system" ]; then
    rm -rf "$system.part"
    mmdebstrap --quiet --variant=essential --include=systemd --dpkgopt='path-exclude=/usr/share/locale/*' \
        "$VERSION_CODENAME" "$system.part" || skip "no clean system of $VERSION_CODENAME can be made"
    mv "$system.part" "$system"
fi

share=$folder/share
rm -rf "$share"
mkdir "$share"
mv "$folder"/package/*.deb "$share/first.deb"
# The next version: another number, and another default configuration.
dpkg-deb -R "$share/first.deb" "$share/next"
sed -i 's/^\(Version: .*\)$/\1+next/' "$share/next/DEBIAN/control"
echo '# Of the next version.' >>"$share/next/etc/tuffet/tuffet.yaml"
dpkg-deb --root-owner-group -Zgzip -z1 -b "$share/next" "$share/next.deb" >/dev/null
rm -r "$share/next"
# And the clone, for `make install`.
mkdir "$share/clone"
cp -r packaging examples LICENSE CHANGELOG.md "$share/clone"
cp "$binary" "$share/tuffet"
strip "$share/tuffet"
cp scripts/systemd/trial-deb.sh "$share/trial.sh"
status=0
sh scripts/systemd/boot.sh "$system" "$share" >"$share/result" || status=$?
case $status in
    0) cat "$share/result" ;;
    69) skip "$(tail -n 1 "$share/result")" ;;
    *)
        echo "the trial of the package has failed" >&2
        exit 1
        ;;
esac
rm -rf "$share"
