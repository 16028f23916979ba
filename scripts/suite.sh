#!/bin/sh
# Runs the suites of scripts/suites.txt.
#
#   scripts/suite.sh test|bench [NAME...]   runs suites, by default those for `when default`; with DRY, prints their commands
#   scripts/suite.sh list test|bench        lists them
#   scripts/suite.sh steps WHEN             prints the make command of each suite for WHEN, such as `test SUITE=boot`
#   scripts/suite.sh tools WHEN             fetches and builds beforehand what the suites for WHEN need
#
# A suite is a paragraph of the table: its kind and name, then lines that begin with a key.
#
#   when    `default` without SUITE, `ci` in .ci/run, `verify` in `make verify`, or `by name`
#   about   one line for `make help`
#   needs   programs to install: COMMAND=PACKAGE, FILE=PACKAGE, or @SUITE for those of another suite
#   tools   a command that builds a tool beforehand, for `make tools`
#   run     a command of this shell, with the functions below; "$@" has the words of ARGS
#
# TARGET is the folder of build output, BIN that of the programs in PROFILE, DEBUG and RELEASE those of these profiles.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh

# Tests leave nothing behind, however they end.
if [ "${1-}" = test ] && [ -z "${DRY-}${TUFFET_SUPERVISED-}" ]; then
    export TUFFET_SUPERVISED=yes
    exec bash scripts/supervise.sh sh scripts/suite.sh "$@"
fi

# Another table, for the check of this script.
SUITES=${SUITES:-scripts/suites.txt}
CARGO=${CARGO:-cargo} PROFILE=${PROFILE:-dev} words=${ARGS-}
# Not for the programs that suites run.
unset ARGS
# shellcheck disable=SC2034 # for the commands of suites
DEBUG=$TARGET/debug RELEASE=$TARGET/release
# shellcheck disable=SC2034
[ "$PROFILE" = dev ] && BIN=$DEBUG || BIN=$TARGET/$PROFILE
export CARGO PROFILE

# The values of a key: KIND NAME KEY, a line each. Without NAME and KEY, the names of a kind.
field() {
    awk -v kind="$1" -v name="${2-}" -v key="${3-}" '
        /^[a-z]/ { inside = $1 == kind && (name == "" || $2 == name); if (inside && key == "") print $2 }
        inside && $1 == key { sub(/^ *[a-z]+ +/, ""); print }' "$SUITES"
}

# The suites for WHEN as KIND NAME, in their order.
suites_for() {
    awk -v when="$1" '/^[a-z]/ { suite = $1 " " $2 } $1 == "when" && substr($0, index($0, $2)) == when { print suite }' "$SUITES"
}

needs() {
    for word in $(field "$1" "$2" needs); do
        case $word in
            @*) (needs "$1" "${word#@}") ;;
            *) echo "$word" ;;
        esac
    done
}

list() {
    for name in $(field "$1"); do
        echo "  $name|$(field "$1" "$name" when)|$(field "$1" "$name" about)"
    done | column -t -s '|' 2>/dev/null || field "$1"
}

# --- Functions for the commands of suites.

build() { sh scripts/build.sh "$@"; }

# Most tests wait for time-outs and processes most of their time. The simulated fleet has a suite of its own.
cargo_test() {
    # shellcheck disable=SC2086 # several words, such as those of a wrapper
    RUST_TEST_THREADS=${TEST_THREADS:-$(($(nproc) * 3))} TUFFET_PYTHON_GUESTS=$TARGET/python \
        TUFFET_JS_GUESTS=$TARGET/js TUFFET_GO_GUESTS=$TARGET/go TUFFET_C_GUESTS=$TARGET/c TUFFET_PEERS=$TARGET/peers \
        TUFFET_NEWER_TFTPD=${TUFFET_NEWER_TFTPD-$TARGET/peers/tftpd-hpa-newer/in.tftpd} \
        TUFFET_NEWER_DNSMASQ=${TUFFET_NEWER_DNSMASQ-$TARGET/peers/dnsmasq-newer/dnsmasq} \
        PATH=$PATH:$TARGET/peers/tftpd-hpa/usr/sbin $CARGO test --locked --workspace --exclude tuffet-fleet "$@"
}

# `--test NAME` for the integration tests of all crates; `it` and `containers` are suites of their own.
test_targets() {
    for target in */tests/*/main.rs */*/tests/*/main.rs */tests/*.rs */*/tests/*.rs */*/*/tests/*.rs; do
        [ -f "$target" ] || continue
        # Unit tests in files of their own.
        case $target in */src/*) continue ;; esac
        target=$(basename "${target%/main.rs}" .rs)
        case $target in it | containers) ;; *) echo "--test $target" ;; esac
    done
}

# Adds tools to the PATH, as far as they can be built; $folders are theirs.
with_tools() {
    built=0
    folders=$(sh scripts/tools.sh "$TARGET" "$@") || built=$?
    PATH=$PATH:/usr/sbin${folders:+:$folders}
    return "$built"
}

static() { sh scripts/build.sh static "$1" "$PROFILE"; }

simulate() {
    seeds=${SEEDS:-1000000}
    export TUFFET_SEEDS="$seeds" TUFFET_FIRST_SEED="${FIRST_SEED:-0}"
    # shellcheck disable=SC2086 # several words, such as those of a wrapper
    nice -n 19 $CARGO test --locked -p tuffet-core --test simulation seeds
    # shellcheck disable=SC2086
    TUFFET_SEEDS=$((seeds / 100 + 1)) nice -n 19 $CARGO test --locked --workspace --lib worker::simulation
}

# --- The subcommands.

# Runs one suite; the words of ARGS follow its name.
run() {
    kind=$1 name=$2
    shift 2
    # shellcheck disable=SC2046 # one word per program
    [ -n "${DRY-}${PREPARED-}" ] || packages $(needs "$kind" "$name")
    while IFS= read -r line <&3; do
        if [ -n "${DRY-}" ]; then echo "$line"; else evaluate "$@" 3<&-; fi
    done 3<<LINES
$(field "$kind" "$name" run)
LINES
}

# A function of its own, so that `return` ends one command.
evaluate() { eval "$line"; }

# Runs several suites, with a table of their times, what they skipped, and the tests that took long.
run_all() {
    kind=$1
    shift
    if [ -z "${DRY-}" ]; then
        # shellcheck disable=SC2046 # one word per program
        packages $(for name in "$@"; do needs "$kind" "$name"; done | sort -u)
        mkdir -p "$TARGET"
        # Each suite would install the same again.
        export PREPARED=yes TUFFET_SKIPPED="$TARGET/skipped.txt" TUFFET_TEST_TIMES="$TARGET/times.txt"
        rm -f "$TUFFET_SKIPPED" "$TUFFET_TEST_TIMES"
    fi
    for name in "$@"; do
        set -- "$@" "$kind SUITE=$name"
        shift
    done
    # Its result is that of the whole run, after the lists below; `set -e` does not reach a function in a condition.
    status=0
    bash scripts/steps.sh "$kind" "$@" || status=$?
    [ -z "${DRY-}" ] || return "$status"
    if [ -s "$TUFFET_SKIPPED" ]; then
        printf '\nskipped:\n' && sort -u "$TUFFET_SKIPPED" | sed 's/^skipped: //; s/^/  /'
    else
        printf '\nnothing was skipped\n'
    fi
    [ ! -f "$TUFFET_TEST_TIMES" ] ||
        sort -rn "$TUFFET_TEST_TIMES" | awk -F '\t' '$1 >= 10 { printf "slow: %s, %d s\n", $2, $1 }'
    return "$status"
}

case ${1-} in
    test | bench)
        kind=$1
        shift
        if [ "$*" = list ]; then list "$kind" && exit; fi
        known=" $(field "$kind" | tr '\n' ' ')"
        for name; do
            case $known in *" $name "*) continue ;; esac
            { echo "make $kind: there is no suite $name. There are:" && list "$kind"; } >&2
            exit 64
        done
        # shellcheck disable=SC2046 # one word per suite
        [ $# -gt 0 ] || set -- $(suites_for default | sed -n "s/^$kind //p")
        if [ $# -gt 1 ]; then
            run_all "$kind" "$@"
            exit
        fi
        name=$1
        eval "set -- $words"
        run "$kind" "$name" "$@"
        ;;
    list) list "$2" ;;
    steps) suites_for "$2" | sed 's/ / SUITE=/' ;;
    tools)
        suites_for "$2" | {
            words=
            while read -r kind name; do words="$words $(needs "$kind" "$name")"; done
            # shellcheck disable=SC2086 # one word per program
            packages $words
        }
        suites_for "$2" | while read -r kind name; do
            field "$kind" "$name" tools | while IFS= read -r line; do evaluate </dev/null || true; done
        done
        ;;
    *)
        echo "suite.sh: test, bench, list, steps or tools" >&2
        exit 64
        ;;
esac
