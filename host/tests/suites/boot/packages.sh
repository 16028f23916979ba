#!/bin/sh
# Unpacks Debian's boot firmware and boot loaders below a folder. Nothing is installed: the packages of signed boot
# loaders change how the machine itself boots. Never fails: a case whose files are missing reports that it is skipped.
#
#   host/tests/suites/boot/packages.sh FOLDER [FILE]...
#
# FILE is what a package is wanted for, such as boot/vmlinuz; all unless given.
set -eu

mkdir -p "$1"
folder=$(cd "$1" && pwd)
shift
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh

cd "$folder"
for command in apt-get apt-cache dpkg-deb; do
    installed "$command" || { echo "boot/packages.sh: $command is missing" >&2; exit 0; }
done

# The smallest kernel that Debian signs; its package is named after its version.
kernel() { apt-cache depends linux-image-cloud-amd64 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9][^ ]*\)/\1/p' | head -n 1; }

for pair in "usr/share/OVMF=ovmf" "usr/lib/ipxe/snponly.efi=ipxe" \
    "usr/lib/PXELINUX=pxelinux" "usr/lib/syslinux=syslinux-common" "usr/lib/grub/x86_64-efi=grub-efi-amd64-bin" \
    "usr/lib/grub/i386-pc=grub-pc-bin" "usr/bin/grub-mknetdir=grub-common" \
    "usr/lib/x86_64-linux-gnu/libefivar.so.1=libefivar1" "usr/lib/x86_64-linux-gnu/libefiboot.so.1=libefiboot1" \
    "usr/lib/grub/x86_64-efi-signed=grub-efi-amd64-signed" "usr/lib/shim=shim-signed" "boot/vmlinuz=$(kernel)"; do
    package=${pair#*=}
    case "$# $* " in "0 "* | *" ${pair%%=*} "*) ;; *) continue ;; esac
    [ -e "${pair%%=*}" ] && continue
    if [ -n "$package" ] && download "$package"; then
        for archive in "$package"_*.deb; do
            # Its modules would need the tenfold place.
            case $package in
                linux-image-*) dpkg-deb --fsys-tarfile "$archive" | tar -x --wildcards './boot/vmlinuz-*' ;;
                *) dpkg-deb -x "$archive" . ;;
            esac
            echo "${archive%.deb}" >>versions.txt
            rm -f "$archive"
        done
    fi
    for image in boot/vmlinuz-*; do
        if [ -f "$image" ]; then mv "$image" boot/vmlinuz; fi
    done
    [ -e "${pair%%=*}" ] || echo "boot/packages.sh: no ${pair%%=*} (package ${package:-linux-image-cloud-amd64})" >&2
done
