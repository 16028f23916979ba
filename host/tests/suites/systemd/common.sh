# shellcheck shell=sh
# Functions of the suites in a system of their own, beside those of scripts/lib.sh.

here=host/tests/suites/systemd
# What is not tested where it cannot be.
suite=

# Ends the suite, which is not for this machine.
not_here() {
    skip "$suite: $1"
    exit 0
}

# Sets $release to the codename of this Debian. Words: programs that must be there.
debian() {
    # shellcheck source=/dev/null
    [ "$(. /etc/os-release && echo "$ID")" = debian ] || not_here "this is not Debian"
    # shellcheck source=/dev/null
    release=$(. /etc/os-release && echo "${VERSION_CODENAME-}")
    for tool; do
        installed "$tool" || not_here "$tool is not installed"
    done
    is_root || not_here "needs root"
}

# Makes a clean system of this release in the folder $1, once. Words after it: options of mmdebstrap.
clean_system() {
    system=$1
    shift
    [ ! -d "$system" ] || return 0
    rm -rf "$system.part"
    mmdebstrap --quiet --variant=essential --dpkgopt='path-exclude=/usr/share/locale/*' "$@" "$release" "$system.part" ||
        not_here "no clean system of $release can be made"
    mv "$system.part" "$system"
}

# Runs the script $3 under a systemd over the system $1, with the folder $2 as /mnt. Its message on failure: $4.
trial() {
    cp "$here/$3" "$2/trial.sh"
    status=0
    sh "$here/boot.sh" "$1" "$2" >"$2/result" || status=$?
    case $status in
        0) cat "$2/result" ;;
        69) not_here "$(tail -n 1 "$2/result")" ;;
        *)
            echo "$4" >&2
            exit 1
            ;;
    esac
}
