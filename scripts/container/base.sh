#!/bin/sh
# Makes the archive of a base image from Debian packages, without a registry, and prints where it is: the C
# library, the runtime of the compiler and the certificate authorities; no shell, no package manager. Other
# packages may be named, for the clients of the tests; busybox-static among them gives a shell.
#
#   scripts/container/base.sh FOLDER [PACKAGE...]
#
# FOLDER keeps the archive for the next call.
set -eu

mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/../.."
. scripts/lib.sh
included=libc6,libgcc-s1
for package in "$@"; do included=$included,$package; done
digest=$( (cat scripts/container/base.sh; echo "$included") | sha256sum | cut -c1-12)
archive=$folder/base-$digest.tar
if [ ! -s "$archive" ]; then
    packages mmdebstrap=mmdebstrap
    installed mmdebstrap || { echo "no base image: mmdebstrap is not installed" >&2; exit 69; }
    part=$(mktemp "$folder/part.XXXXXX.tar")
    trap 'rm -f "$part"' EXIT
    # Nothing of the packages is run. The authorities come without the tools that their package needs.
    # shellcheck disable=SC2016 # for the hook
    mmdebstrap --quiet --variant=extract --include="$included" --extract-hook='set -e; cd "$1"
        APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get -qq -o APT::Sandbox::User=root download ca-certificates
        dpkg-deb -x ca-certificates_*.deb .
        rm ca-certificates_*.deb
        mkdir -p etc/ssl/certs
        cat usr/share/ca-certificates/mozilla/*.crt >etc/ssl/certs/ca-certificates.crt
        [ ! -x bin/busybox ] || for name in $(bin/busybox --list); do
            [ -e "bin/$name" ] || ln -s busybox "bin/$name"
        done
        rm -rf usr/share/ca-certificates usr/share/locale usr/share/man usr/share/perl* \
            usr/lib/*/gconv usr/lib/*/perl* var/lib/apt var/cache/apt
        find usr/share/doc ! -name copyright -type f -delete' \
        bookworm "$part" >&2
    mv "$part" "$archive"
fi
echo "$archive"
