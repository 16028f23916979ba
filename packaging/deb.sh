#!/bin/sh
# Makes the Debian package of a binary, and prints where it is: `make deb`.
#
#   packaging/deb.sh BINARY FOLDER
#
# debhelper does the work, because it writes the maintainer scripts as the release of Debian wants them. The package is
# for the release and architecture of this machine. TUFFET_XZ is how hard it is compressed (1 to 9) [6].
set -eu

binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
source=$(cd "$(dirname "$0")/.." && pwd)

[ -x "$binary" ] || { echo "$binary does not exist: run \`make build\` first" >&2; exit 66; }
for tool in dpkg-buildpackage dh; do
    command -v "$tool" >/dev/null || { echo "no package: dpkg-dev and debhelper are not installed" >&2; exit 69; }
done
version=$("$binary" --version | cut -d ' ' -f 2)
case $(dpkg-parsechangelog -l "$source/packaging/debian/changelog" -S Version) in
    "$version"-*) ;;
    *)
        echo "packaging/debian/changelog has no entry for $version, the version of $binary" >&2
        exit 65
        ;;
esac

work=$folder/tuffet-$version
rm -rf "$work" "$folder"/*.deb "$folder"/*.changes "$folder"/*.buildinfo
mkdir "$work"
cp -r "$source/packaging/debian" "$work/debian"
cd "$work"
TUFFET_SOURCE=$source TUFFET_BINARY=$binary dpkg-buildpackage --build=binary --no-sign >"$folder/log" 2>&1 ||
    { cat "$folder/log" >&2; exit 1; }
rm -rf "$work"
ls "$folder"/*.deb
