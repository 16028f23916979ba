#!/bin/sh
# The Debian package: what lintian says of it, and what happens to a clean system of this release of Debian when it is
# installed, upgraded, removed and purged there under a real systemd (trial-deb.sh).
#
#   host/tests/suites/systemd/deb.sh BINARY|PACKAGE FOLDER
#
# The package is made of BINARY, or it is PACKAGE, a .deb. FOLDER keeps the clean system for the next time.
set -eu

binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh
. host/tests/suites/systemd/common.sh

suite="the Debian package"
debian dpkg-buildpackage dh lintian mmdebstrap

case $binary in
    *.deb)
        rm -rf "$folder/package" "$folder/unpacked"
        mkdir "$folder/package"
        cp "$binary" "$folder/package/"
        dpkg-deb -x "$binary" "$folder/unpacked"
        binary=$folder/unpacked/usr/bin/tuffet
        lintian --fail-on error --allow-root "$folder"/package/*.deb
        ;;
    *)
        TUFFET_XZ=1 sh packaging/deb.sh "$binary" "$folder/package" >/dev/null
        lintian --fail-on error --allow-root "$folder"/package/*.changes
        ;;
esac
echo "ok: lintian finds no error"

clean_system "$folder/system-$release" --include=systemd
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
trial "$system" "$share" trial-deb.sh "the trial of the package has failed"
rm -rf "$share"
