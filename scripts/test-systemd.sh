#!/bin/sh
# The units of examples/systemd under a real systemd: it is started in namespaces of its own, over a copy of this
# system that is thrown away, and scripts/systemd/trial.sh does there what the README of the example says, and more.
#
#   scripts/test-systemd.sh BINARY
set -eu

binary=$(realpath "$1")
cd "$(dirname "$0")/.."
skip() {
    echo "skipped: the units under a real systemd: $1" >&2
    exit 0
}
[ "$(id -u)" = 0 ] || skip "needs root"
systemd=$(command -v /lib/systemd/systemd /usr/lib/systemd/systemd | head -n 1) || true
[ -n "$systemd" ] || skip "systemd is not installed"
for tool in unshare pivot_root timeout curl; do
    command -v "$tool" >/dev/null || skip "$tool is not installed"
done

folder=$(mktemp -d)
cgroup=
# shellcheck disable=SC2317
end() {
    if [ -n "$cgroup" ]; then
        find "$cgroup" -depth -type d -exec rmdir {} + 2>/dev/null || true
        umount -l "$folder/cgroup" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
trap end EXIT
mkdir "$folder/share" "$folder/cgroup" "$folder/copy"
cp "$binary" "$folder/share/tuffet"
cp -r examples/systemd "$folder/share/example"
cp scripts/systemd/trial.sh "$folder/share"
mount -t cgroup2 cgroup2 "$folder/cgroup" 2>/dev/null || skip "there is no cgroup2"
cgroup=$folder/cgroup/tuffet-trial-$$
mkdir "$cgroup" 2>/dev/null || skip "no control group can be made"

# What is mounted is mounted in a namespace of mounts, and gone with it.
cat >"$folder/start" <<'EOF'
set -eu
folder=$1 systemd=$2
trap 'echo "$0: not possible here" >"$folder/share/impossible"' EXIT
mount -t tmpfs tmpfs "$folder/copy"
cd "$folder/copy"
mkdir up work root
mount -t overlay overlay -o lowerdir=/,upperdir=up,workdir=work root
cd root
mount -t proc proc proc
mount -t sysfs sysfs sys 2>/dev/null || mount --rbind /sys sys
umount -R sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount --rbind /dev dev
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mount --bind "$folder/share" mnt
# Nothing of this system starts there but the trial.
rm -rf etc/systemd/system/* etc/machine-id etc/tuffet srv/tftp
touch etc/machine-id
cat >etc/systemd/system/trial.service <<'UNIT'
[Unit]
DefaultDependencies=no
[Service]
Type=oneshot
ExecStart=/bin/bash /mnt/trial.sh
StandardOutput=append:/mnt/said
StandardError=append:/mnt/said
UNIT
ip link set lo up
mkdir -p old
pivot_root . old
umount -l /old
trap - EXIT
exec env -i container=unshare PATH=/usr/sbin:/usr/bin:/sbin:/bin "$systemd" --system --unit=trial.service \
    --show-status=no --log-target=console
EOF
status=0
# shellcheck disable=SC2016
timeout --kill-after=5 180 sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$cgroup" \
    unshare --mount --pid --fork --kill-child --uts --ipc --cgroup --net --propagation private \
    sh -e "$folder/start" "$folder" "$systemd" >"$folder/share/console" 2>&1 || status=$?
[ ! -e "$folder/share/impossible" ] || skip "$(tail -n 1 "$folder/share/console")"
if [ -e "$folder/share/good" ]; then
    grep '^ok' "$folder/share/said"
    exit 0
fi
tail -n 60 "$folder/share/console" "$folder/share/said" >&2
echo "the trial of the units has failed (systemd ended with $status)" >&2
exit 1
