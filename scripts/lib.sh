# shellcheck shell=sh
# Functions for the tasks and suites. A script changes to the root of the repository and reads this file there:
#
#   cd "$(dirname "$0")/.." && . scripts/lib.sh

# The folder of build output.
# shellcheck disable=SC2034 # for the scripts that read this file
TARGET=$(realpath -m "${CARGO_TARGET_DIR:-target}")

# With `--workspace`, cargo then chooses the features of dependencies as it does for tests, so that programs and tests share
# what is compiled: scripts/lint/compiled_once.py.
# shellcheck disable=SC2034
AS_TESTS=--examples

# Reports what is not tested here, on the terminal and in the file that TUFFET_SKIPPED names.
skip() {
    echo "skipped: $1"
    [ -z "${TUFFET_SKIPPED-}" ] || echo "skipped: $1" >>"$TUFFET_SKIPPED"
}

# Ends the script.
fail() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

is_root() { [ "$(id -u)" = 0 ]; }

installed() { command -v "$1" >/dev/null 2>&1; }

# Installs missing programs, where that is possible (root on Debian or Ubuntu), and lists those that stay missing.
# Never fails: the tests that need one report what they skip. Words: COMMAND=PACKAGE or FILE=PACKAGE.
packages() {
    wanted=$(missing "$@")
    [ -n "$wanted" ] || return 0
    # shellcheck disable=SC2086 # one word per package
    if is_root && installed apt-get; then debian_packages $wanted || true; fi
    still=$(missing "$@" | tr '\n' ' ')
    [ -z "$still" ] || echo "not installed: $still(as root on Debian: apt-get install $still)" >&2
}

# Installs packages of Debian, as root. Another run may be installing something.
debian_packages() {
    (
        flock 9
        patient_apt update && patient_apt install -y --no-install-recommends "$@"
    ) 9</var/lib/apt </dev/null >/dev/null
}

# apt-get, which tries downloads again, and waits for other programs that install something.
patient_apt() {
    DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 "$@"
}

# Runs a command up to three times: one that needs the network may fail for a moment.
again() {
    for pause in 5 20; do
        "$@" && return 0
        sleep "$pause"
    done
    "$@"
}

missing() {
    for pair in "$@"; do
        installed "${pair%%=*}" || echo "${pair#*=}"
    done
}

# Downloads a Debian package into this folder, without installing it.
download() {
    patient_apt download "$1" >/dev/null 2>&1 && return 0
    is_root && patient_apt update >/dev/null 2>&1 && patient_apt download "$1" >/dev/null 2>&1
}

# Whether a file must be made again: it is missing, or something below the other paths is newer.
outdated() {
    made=$1
    shift
    [ -f "$made" ] || return 0
    [ -n "$(find "$@" -newer "$made" -type f ! -name '*.wasm' ! -path '*__pycache__*' 2>/dev/null || echo all)" ]
}

# Starts a server in the background and waits until it serves; sets $server to its process and $address to its first
# address. Words: FILE_FOR_ITS_LOG COMMAND...; the command logs as JSON to that file.
serve() {
    log=$1
    shift
    : >"$log"
    "$@" 2>"$log" &
    server=$!
    address=
    for _ in $(seq 3000); do
        if grep -q '"serving"' "$log"; then
            address=$(sed -n 's/.*"listening","address":"\([^"]*\)".*/\1/p' "$log" | head -n 1)
            break
        fi
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    [ -n "$address" ] || { cat "$log" >&2; fail "the server does not start"; }
}

# Prepares a folder for a tool that takes long to build: takes its lock, because another run may be building the tool,
# and sets $tools to the absolute path.
lock() {
    mkdir -p "$1"
    tools=$(cd "$1" && pwd)
    exec 9>"$tools/lock"
    flock 9
}

# Sets $work to a new folder beside the tools: what is made there is complete when it is renamed. It goes when the script
# ends.
begin() {
    work=$(mktemp -d "$tools/build.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM
}
