#!/bin/sh
# What the server says where AppArmor or SELinux refuses it a file: in Debian's own kernel, in QEMU without KVM, once with
# each of them. With SELinux also what docs/rhel.md says of a service without a policy module, under Debian's policy.
#
#   host/tests/suites/mandatory-access/run.sh BINARY FOLDER [apparmor|selinux]...
#
# FOLDER keeps the kernel and the clean system for the next time.
set -eu

binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
shift 2
[ $# -gt 0 ] || set -- apparmor selinux
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh
. host/tests/suites/systemd/common.sh
here=host/tests/suites/mandatory-access

# shellcheck disable=SC2034 # for not_here
suite="AppArmor and SELinux"
[ "$(uname -m)" = x86_64 ] || not_here "this is not x86_64"
debian mmdebstrap qemu-system-x86_64 mke2fs cpio strip

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The kernel, unpacked and not installed: it would change how the machine boots.
if [ ! -d "$folder/kernel-$release" ]; then
    image=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9][^ ]*\)/\1/p' | head -n 1)
    [ -n "$image" ] || not_here "Debian's index names no kernel"
    (cd "$work" && download "$image") || not_here "apt-get cannot download $image"
    mkdir "$work/kernel"
    dpkg-deb -x "$work/$image"_*.deb "$work/unpacked"
    cp "$work"/unpacked/boot/vmlinuz-* "$work/kernel/linux"
    for module in virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk; do
        # Some are part of the kernel, or compressed, in other versions.
        find "$work/unpacked" -name "$module.ko*" -exec cp {} "$work/kernel" \;
        [ ! -e "$work/kernel/$module.ko.xz" ] || xz -d "$work/kernel/$module.ko.xz"
    done
    mv "$work/kernel" "$folder/kernel-$release"
    rm -r "$work/unpacked"
fi
kernel=$folder/kernel-$release

# Runs a command in the system $1. It needs /proc, which is gone with the namespace.
in_system() {
    # shellcheck disable=SC2016 # for the shell in the namespace
    unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$@" >"$work/said" 2>&1 ||
        { tail -n 20 "$work/said" >&2; fail "$*: failed"; }
}

# The files of packages that nothing reads there would only make the image larger.
clean_system "$folder/system-$release" --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-exclude=/usr/share/man/*' \
    --include=systemd,busybox-static,iproute2,netbase,apparmor,selinux-policy-default,policycoreutils,policycoreutils-python-utils
# Changes of the policy take minutes in an emulated processor, and seconds here.
contexts=etc/selinux/default/contexts/files
if ! grep -q /srv/tftp "$system/$contexts/file_contexts.local" 2>/dev/null; then
    in_system "$system" semanage fcontext -N -a -t public_content_t '/srv/tftp(/.*)?'
fi
if ! cmp -s "$here/trial.cil" "$system/var/tmp/done.cil"; then
    cp "$here/trial.cil" "$system/var/tmp/trial.cil"
    in_system "$system" semodule -n -i /var/tmp/trial.cil
    mv "$system/var/tmp/trial.cil" "$system/var/tmp/done.cil"
fi

# A system of its own for this run: what the trials need, each file with the label that the policy names.
cp -a "$system" "$work/system"
rm -rf "$work/system/usr/share/selinux" "$work/system/var/lib/apt/lists" "$work/system/var/cache/apt"
mkdir "$work/system/trial"
cp "$here"/trial-*.sh "$here/common.sh" examples/systemd/tuffet.service examples/systemd/tuffet.socket "$work/system/trial"
cp "$here/trial.service" "$work/system/etc/systemd/system"
strip -o "$work/system/usr/bin/tuffet" "$binary"
echo 'tuffet:x:64069:64069::/:/bin/sh' >>"$work/system/etc/passwd"
echo 'tuffet:x:64069:' >>"$work/system/etc/group"
sed -i 's/^SELINUX=.*/SELINUX=enforcing/' "$work/system/etc/selinux/config"
in_system "$work/system" setfiles -F -e /proc "/$contexts/file_contexts" /
truncate -s 2G "$work/disk"
mke2fs -q -t ext4 -d "$work/system" "$work/disk"
rm -r "$work/system"

# It mounts the disk, and starts the program that the command line names there.
mkdir -p "$work/initrd/bin" "$work/initrd/proc" "$work/initrd/dev" "$work/initrd/disk"
cp "$system/bin/busybox" "$work/initrd/bin/busybox"
find "$kernel" -name "*.ko" -exec cp {} "$work/initrd" \;
cat >"$work/initrd/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
for module in virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk; do
    [ ! -e /$module.ko ] || /bin/busybox insmod /$module.ko
done
/bin/busybox mount -t ext4 /dev/vda /disk
for word in $(/bin/busybox cat /proc/cmdline); do
    case $word in program=*) program=${word#program=} ;; esac
done
/bin/busybox umount /proc
/bin/busybox mount --move /dev /disk/dev
exec /bin/busybox switch_root /disk "$program"
INIT
chmod +x "$work/initrd/init"
(cd "$work/initrd" && find . | cpio --quiet --create --format=newc) >"$work/initrd.cpio"

# boots PROGRAM WORD...: runs it as the first process, with these words for the kernel. It says what it found, and at last
# that all is well.
boots() {
    name=$1
    program=$2
    shift 2
    TMPDIR=$work timeout 900 qemu-system-x86_64 -machine pc -accel tcg -cpu max -m 2G -nographic -no-reboot -nic none -snapshot \
        -drive "file=$work/disk,format=raw,if=virtio" -kernel "$kernel/linux" -initrd "$work/initrd.cpio" \
        -append "console=ttyS0 quiet panic=-1 program=$program $*" </dev/null >"$work/console" 2>&1 ||
        { cat "$work/console" >&2; fail "QEMU ended with an error"; }
    # The first line of the trial may follow one of the kernel without an end.
    tr -d '\r' <"$work/console" | grep -ao 'ok: .*' || true
    grep -aq 'all is well' "$work/console" || { cat "$work/console" >&2; fail "$name: not all is well"; }
}

for name; do
    case $name in
        apparmor) boots apparmor /trial/trial-apparmor.sh apparmor=1 security=apparmor ;;
        selinux) boots selinux /lib/systemd/systemd security=selinux selinux=1 systemd.unit=trial.service systemd.show_status=no ;;
        *) fail "$name is neither apparmor nor selinux" ;;
    esac
done
