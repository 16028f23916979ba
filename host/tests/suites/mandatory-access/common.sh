# shellcheck shell=bash
# Functions of the trials, which run as root in the emulated machine.

export PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 SYSTEMD_PAGER=

ok() { echo "ok: $*" >/dev/console; }

# Ends the trial, with what the kernel recorded.
fail() {
    {
        echo "failed: $*"
        dmesg | grep -i 'apparmor=\|avc: ' | tail -n 30
    } >/dev/console
    busybox poweroff -f
    # It takes a moment.
    sleep 60
}
well() {
    echo "all is well" >/dev/console
    busybox poweroff -f
    sleep 60
}

# says TEXT PART...: each part is in the text.
says() {
    local text=$1 part
    shift
    for part; do
        case $text in *"$part"*) ;; *) fail "\`$part\` is missing in: $text" ;; esac
    done
}

# The folder that is served.
files() {
    mkdir -p "$1/closed" "$1/inbox"
    echo open >"$1/open"
    echo secret >"$1/closed/file"
    chmod 755 "$1" "$1/closed"
    chown tuffet "$1/inbox"
}
# get NAME [PORT]
get() { tuffet get --quiet --timeout 60 -o - "tftp://127.0.0.1:${2-69}/$1" 2>&1; }
# The last line of the log with these words, as soon as it is there. `log` prints it.
logged() {
    for _ in $(seq 300); do
        if log | grep -F "$*" | tail -n 1 | grep .; then return; fi
        sleep 0.2
    done
    echo "no line with $*: $(log)"
}
