#!/bin/sh
# Starts a systemd in namespaces of its own, over a copy of a system that is thrown away, and runs a script there as its
# only service.
#
#   host/tests/suites/systemd/boot.sh SYSTEM SHARE
#
# SYSTEM is the folder of the system, `/` for this one. SHARE is there as /mnt; its `trial.sh` is run, and says that
# all is well with `touch /mnt/good`. The exit code is 0 if it did, 1 if not, and 69 if this machine cannot do it, with
# the reason as the last line.
set -eu

system=$(realpath "$1")
share=$(realpath "$2")
impossible() {
    echo "$*"
    exit 69
}
[ "$(id -u)" = 0 ] || impossible "needs root"
for tool in unshare pivot_root timeout ip; do
    command -v "$tool" >/dev/null || impossible "$tool is not installed"
done
{ [ -x "$system/lib/systemd/systemd" ] || [ -x "$system/usr/lib/systemd/systemd" ]; } || impossible "systemd is not installed"

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
mkdir "$folder/cgroup" "$folder/copy"
mount -t cgroup2 cgroup2 "$folder/cgroup" 2>/dev/null || impossible "there is no cgroup2"
cgroup=$folder/cgroup/tuffet-trial-$$
mkdir "$cgroup" 2>/dev/null || impossible "no control group can be made"

# What is mounted is mounted in a namespace of mounts, and gone with it.
cat >"$folder/start" <<'EOF'
set -eu
folder=$1 system=$2 share=$3
trap 'echo "$0: not possible here" >"$share/impossible"' EXIT
mount -t tmpfs tmpfs "$folder/copy"
cd "$folder/copy"
mkdir up work root
mount -t overlay overlay -o "lowerdir=$system,upperdir=up,workdir=work" root
cd root
mount -t proc proc proc
mount -t sysfs sysfs sys 2>/dev/null || mount --rbind /sys sys
umount -R sys/fs/cgroup 2>/dev/null || true
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount --rbind /dev dev
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mount --bind "$share" mnt
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
systemd=/lib/systemd/systemd
[ -x "$systemd" ] || systemd=/usr/lib/systemd/systemd
trap - EXIT
exec env -i container=unshare PATH=/usr/sbin:/usr/bin:/sbin:/bin "$systemd" --system --unit=trial.service \
    --show-status=no --log-target=console
EOF
status=0
# shellcheck disable=SC2016
timeout --kill-after=5 180 sh -c 'echo $$ >"$1/cgroup.procs" && shift && exec "$@"' sh "$cgroup" \
    unshare --mount --pid --fork --kill-child --uts --ipc --cgroup --net --propagation private \
    sh -e "$folder/start" "$folder" "$system" "$share" >"$share/console" 2>&1 || status=$?
[ ! -e "$share/impossible" ] || impossible "$(tail -n 1 "$share/console")"
if [ -e "$share/good" ]; then
    grep '^ok' "$share/said"
    exit 0
fi
tail -n 60 "$share/console" "$share/said" >&2
echo "systemd ended with $status" >&2
exit 1
