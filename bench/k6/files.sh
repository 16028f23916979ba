#!/bin/sh
# Makes the files that the scripts ask for, in DIR/files, and DIR/manifest.json with their sizes and hashes. Serve
# DIR/files with the TFTP server that is to be tested.
#
#   bench/k6/files.sh DIR
#
# Sizes by environment: KERNEL (bytes, default 2 MiB), INITRD (default 8 MiB), PHONES (how many, default 500).
set -eu

[ $# = 1 ] || { echo "usage: $0 DIR" >&2; exit 64; }
kernel=${KERNEL:-2097152}
initrd=${INITRD:-8388608}
phones=${PHONES:-500}
mkdir -p "$1/files"
cd "$1/files"
mkdir -p grub pxelinux.cfg phones uploads
chmod 777 uploads # servers often run as nobody

some() { head -c "$2" /dev/urandom >"$1"; }
some bootx64.efi 933888
some grub/fonts.pf2 65536
some pxelinux.0 42988
some ldlinux.c32 119524
some vmlinuz "$kernel"
some initrd.img "$initrd"
some firmware.bin 1048576
echo 'linux (tftp)/vmlinuz
initrd (tftp)/initrd.img' >grub/grub.cfg
echo 'default linux
label linux
  kernel vmlinuz
  append initrd=initrd.img' >pxelinux.cfg/default
echo '<Default></Default>' >XMLDefault.cnf.xml
echo 'account.1.enable = 0' >y000000000028.cfg
cp y000000000028.cfg phones/default.cfg
# One file of 2 KiB for each phone, under the two names that phones of two makers ask for. 02 at the front: addresses
# that no maker has.
awk -v phones="$phones" 'BEGIN {
    padding = sprintf("%2048s", "")
    for (n = 0; n < phones; n++) {
        mac = sprintf("025e%08x", n)
        text = substr("<device><mac>" mac "</mac></device>" padding, 1, 2047)
        file = "phones/" mac ".cfg"
        print text >file
        close(file)
    }
}'
for file in phones/025e*.cfg; do
    mac=${file#phones/}
    mac=${mac%.cfg}
    ln -f "$file" "$mac.cfg"
    ln -f "$file" "SEP$(echo "$mac" | tr abcdef ABCDEF).cnf.xml"
done

{
    printf '{\n  "phones": %s,\n  "files": {' "$phones"
    separator=
    for file in bootx64.efi grub/fonts.pf2 grub/grub.cfg pxelinux.0 ldlinux.c32 pxelinux.cfg/default vmlinuz initrd.img \
        firmware.bin XMLDefault.cnf.xml y000000000028.cfg; do
        hash=$(sha256sum "$file")
        printf '%s\n    "%s": { "size": %s, "sha256": "%s" }' "$separator" "$file" "$(wc -c <"$file")" "${hash%% *}"
        separator=,
    done
    printf '\n  }\n}\n'
} >../manifest.json
