#!/bin/sh
# Boots Linux for 64-bit ARM in QEMU, and serves there with the static binary: as another user, behind seccomp and
# Landlock of that processor, with plugins, uploads and a reload. First the filter only records the system calls that it
# does not list, and none may be recorded; then it is in force.
#
#   host/tests/suites/static/arm.sh BINARY FOLDER
#
# BINARY is that of `make build STATIC=aarch64`; FOLDER keeps Debian's kernel and busybox.
set -eu

binary=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh
fail() {
    echo "test-arm: $*" >&2
    exit 1
}
packages qemu-system-aarch64=qemu-system-arm cpio=cpio aarch64-linux-gnu-strip=binutils-aarch64-linux-gnu

if [ ! -f "$folder/linux" ] || [ ! -f "$folder/busybox" ]; then
    # Packages of the other architecture, unpacked and not installed.
    apt=$(mktemp -d)
    trap 'rm -rf "$apt"' EXIT
    mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/root"
    : >"$apt/status"
    set -- -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o "Dir::State=$apt" -o "Dir::State::status=$apt/status" \
        -o "Dir::Cache=$apt" -o APT::Sandbox::User=root -qq
    apt-get "$@" update
    image=$(apt-cache "$@" depends linux-image-cloud-arm64 | sed -n 's/.*Depends: *\(linux-image-[^ ]*\).*/\1/p' | head -n 1)
    [ -n "$image" ] || fail "Debian's index names no kernel for ARM"
    (cd "$apt/archives" && { apt-get "$@" download "$image-unsigned" || apt-get "$@" download "$image"; } &&
        apt-get "$@" download busybox-static) >&2 || fail "apt-get cannot download the kernel or busybox"
    for package in "$apt"/archives/*.deb; do dpkg-deb --extract "$package" "$apt/root"; done
    cp "$apt"/root/boot/vmlinuz-* "$folder/linux"
    cp "$apt"/root/bin/busybox "$folder/busybox"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/root/bin" "$work/root/etc" "$work/root/proc" "$work/root/sys" "$work/root/dev" "$work/root/srv/uploads" \
    "$work/root/var" "$work/root/tmp"
cp "$folder/busybox" "$work/root/bin/busybox"
aarch64-linux-gnu-strip -o "$work/root/bin/tuffet" "$binary"
cp -r examples/quickstart/files "$work/root/srv/files"
echo 'root:x:0:0::/:/bin/sh
tuffet:x:998:998::/:/bin/sh' >"$work/root/etc/passwd"
echo 'root:x:0:
tuffet:x:998:' >"$work/root/etc/group"
sed -e 's|127.0.0.1:6969|0.0.0.0:69|' -e 's|path: ./files|path: /srv/files|' examples/quickstart/tuffet.yaml >"$work/root/etc/tuffet.yaml"
cat >>"$work/root/etc/tuffet.yaml" <<'YAML'
state: /var/lib/tuffet
control: /var/lib/tuffet/control
admin: { address: "127.0.0.1:6980" }
privileges: { user: tuffet, seccomp: MODE, require: true }
YAML
sed -i 's|^policy:|  - name: uploads\n    path: /srv/uploads\n    writable: true\n\npolicy:|' "$work/root/etc/tuffet.yaml"
cat >"$work/root/init" <<'INIT'
#!/bin/busybox sh
# Each step says what it found; the last line says that all went well.
/bin/busybox mkdir -p /usr/bin /usr/sbin /sbin
/bin/busybox --install -s
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev 2>/dev/null
mount -t tmpfs var /var
ip link set lo up
chown -R tuffet /srv/uploads
# Otherwise the kernel bounds what the filter records.
echo 0 >/proc/sys/kernel/printk_ratelimit
stop() {
    echo "test-arm: failed: $*"
    cat /tmp/log
    dmesg | grep -i 'audit\|oops\|segfault' | tail -n 20
    poweroff -f
}
grep -qw log /proc/sys/kernel/seccomp/actions_logged || stop "this kernel does not record what a filter logs"
for mode in log "on"; do
    sed "s/MODE/$mode/" /etc/tuffet.yaml >/tmp/tuffet.yaml
    mkdir -p /tmp/etc
    mv /tmp/tuffet.yaml /tmp/etc/tuffet.yaml
    chmod 755 /tmp/etc
    tuffet serve --config /tmp/etc/tuffet.yaml 2>/tmp/log &
    server=$!
    for _ in $(seq 1200); do
        if grep -q serving /tmp/log; then break; fi
        kill -0 $server 2>/dev/null || stop "the server ended"
        sleep 1
    done
    grep -q serving /tmp/log || stop "the server does not serve"
    for task in /proc/$server/task/*/status; do
        grep -q '^Seccomp:[[:space:]]*2' $task && grep -q '^NoNewPrivs:[[:space:]]*1' $task &&
            grep -q '^Uid:[[:space:]]*998[[:space:]]*998' $task && grep -q '^CapEff:[[:space:]]*0*$' $task ||
            stop "a thread without restrictions: $(cat $task)"
    done
    tuffet get -o /tmp/hello tftp://127.0.0.1/hello.txt >/tmp/out 2>&1 || stop "get: $(cat /tmp/out)"
    cmp /tmp/hello /srv/files/hello.txt || stop "other bytes"
    busybox tftp -g -b 1400 -r hello.txt -l /tmp/again 127.0.0.1 || stop "busybox gets nothing"
    cmp /tmp/again /srv/files/hello.txt || stop "other bytes for busybox"
    tuffet get -o /tmp/phone tftp://127.0.0.1/SEP001122334455.cnf.xml >/tmp/out 2>&1 || stop "mac-map: $(cat /tmp/out)"
    cmp /tmp/phone /srv/files/phones/001122334455.cfg || stop "mac-map does not decide"
    if tuffet get -o /tmp/plan tftp://127.0.0.1/secret/plan.txt >/tmp/out 2>&1; then stop "acl does not decide"; fi
    dd if=/dev/urandom of=/tmp/large bs=1M count=8 2>/dev/null
    tuffet put /tmp/large tftp://127.0.0.1/large-$mode >/tmp/out 2>&1 || stop "put: $(cat /tmp/out)"
    cmp /tmp/large /srv/uploads/large-$mode || stop "the upload has other bytes"
    tuffet get -o /tmp/large2 tftp://127.0.0.1/large-$mode >/tmp/out 2>&1 || stop "get: $(cat /tmp/out)"
    cmp /tmp/large /tmp/large2 || stop "the download has other bytes"
    wget -q -O /tmp/metrics http://127.0.0.1:6980/metrics || stop "no metrics"
    grep -q '^tuffet_' /tmp/metrics || stop "no metrics: $(cat /tmp/metrics)"
    tuffet status --control /var/lib/tuffet/control >/tmp/out 2>&1 || stop "status: $(cat /tmp/out)"
    sed -i 's/this folder is closed/closed since the reload/' /tmp/etc/tuffet.yaml
    tuffet reload --config /tmp/etc/tuffet.yaml >/tmp/out 2>&1 || stop "reload: $(cat /tmp/out)"
    tuffet get -o /tmp/plan tftp://127.0.0.1/secret/plan.txt >/tmp/out 2>&1
    grep -q 'closed since the reload' /tmp/out || stop "the reload changed nothing: $(cat /tmp/out)"
    kill $server
    wait $server || stop "the server ended with $?"
    # SIGSYS has no part in this: the filter answers with an error, or records.
    if dmesg | grep 'audit: type=1326' >/tmp/recorded; then stop "calls that the filter does not list: $(cat /tmp/recorded)"; fi
    grep 'dropped privileges' /tmp/log
    echo "seccomp: $mode: good"
done
echo "test-arm: good on $(uname -m), Linux $(uname -r)"
poweroff -f
INIT
chmod +x "$work/root/init"
(cd "$work/root" && find . | cpio --quiet --create --format=newc) >"$work/initrd"
# Some minutes: the processor is emulated, and compiles the plugins.
timeout 1500 qemu-system-aarch64 -machine virt -cpu cortex-a72 -smp 2 -m 3G -nographic -no-reboot -nic none \
    -kernel "$folder/linux" -initrd "$work/initrd" -append "console=ttyAMA0 quiet panic=1 audit=1" </dev/null >"$work/console" 2>&1 ||
    { cat "$work/console" >&2; fail "QEMU ended with an error"; }
tr -d '\r' <"$work/console" | grep -a 'seccomp: \|dropped privileges\|test-arm: ' || true
grep -aq 'test-arm: good' "$work/console" || { cat "$work/console" >&2; fail "not all went well"; }
