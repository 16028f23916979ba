#!/bin/sh
# Installs programs that are missing, where that is possible (root on Debian or Ubuntu), and says which
# stay missing. It never fails: who needs them says what it skips.
#
#   scripts/packages.sh COMMAND=PACKAGE...
set -eu

missing() {
    for pair in "$@"; do
        command -v "${pair%%=*}" >/dev/null 2>&1 || echo "${pair#*=}"
    done
}

wanted=$(missing "$@")
[ -n "$wanted" ] || exit 0
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    # Another run may be installing something.
    exec 9</var/lib/apt
    flock 9
    # shellcheck disable=SC2086 # one word per package
    { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $wanted; } \
        </dev/null >/dev/null || true
fi
still=$(missing "$@" | tr '\n' ' ')
[ -z "$still" ] || echo "not installed: $still(as root on Debian: apt-get install $still)" >&2
