#!/bin/sh
# Fuzzes with cargo-fuzz: `fuzz.sh run SECONDS TARGET…` (all of them at once), `fuzz.sh keep TARGET…`; `fuzz.sh install`
# installs cargo-fuzz alone. All of it is built in target/fuzz, where corpora grow, too; finds lie below
# target/fuzz/found. docs/fuzzing.md explains.
set -eu

CARGO_FUZZ=0.13.2
cd "$(dirname "$0")/.."
. scripts/lib.sh
here=$PWD
work=$TARGET/fuzz
# The toolchain is the ordinary one; the fuzzer's flags are unstable.
export RUSTC_BOOTSTRAP=1

folder_of() {
    case $1 in
        packet | negotiation | transfer | leases) echo "$here/core/fuzz" ;;
        config | manifest | request) echo "$here/host/fuzz" ;;
        *) echo "fuzz.sh: there is no target $1: there are packet negotiation transfer leases config manifest request" >&2
            return 1 ;;
    esac
}

install() {
    # Another run may be installing it.
    flock 9
    if [ "$(cargo fuzz --version 2>/dev/null)" = "cargo-fuzz $CARGO_FUZZ" ]; then return; fi
    echo "installing cargo-fuzz $CARGO_FUZZ" >&2
    cargo install --quiet --locked "cargo-fuzz@$CARGO_FUZZ"
}

# The corpus that grows, begun with the one that is kept.
corpus_of() {
    corpus=$work/corpus/$1
    kept=$(folder_of "$1")/corpus/$1.tar.gz
    mkdir -p "$corpus" "$work/found/$1"
    if [ -f "$kept" ]; then tar -xzf "$kept" -C "$corpus"; fi
    # Those that are written by hand; and the examples, whose keys are the words of this language as well.
    seeds=$(folder_of "$1")/seeds/$1
    if [ -d "$seeds" ]; then cp "$seeds"/* "$corpus"; fi
    echo '# words' >"$work/$1.words"
    if [ "$1" = config ]; then
        (cd "$here" && find examples -name '*.yaml' -size -8k) | while read -r example; do
            cp "$here/$example" "$corpus/$(echo "$example" | tr / -)"
            grep -oE '[a-z][a-z-]*:( |$)' "$here/$example" || true
        done | sort -u | sed 's/.*/"&"/' >>"$work/$1.words"
    fi
    echo "$corpus"
}

cargo_fuzz() {
    command=$1 target=$2
    shift 2
    folder=$(folder_of "$target")
    case $folder in
        # Its build script would build the plugins with the fuzzer's flags; no target needs them.
        */host/fuzz) export TUFFET_GUESTS="${TUFFET_GUESTS:-$TARGET/guests/wasm32-wasip2/guest}" ;;
    esac
    # It needs no runtime of plugins.
    if [ "$target" = request ]; then set -- --no-default-features "$target" "$@"; else set -- "$target" "$@"; fi
    (cd "$folder" && cargo fuzz "$command" --fuzz-dir . --target-dir "$work" "$@")
}

fuzz() {
    seconds=$1 target=$2
    corpus=$(corpus_of "$target")
    log=$work/$target.log
    # Inputs that take seconds are finds too.
    if cargo_fuzz run "$target" "$corpus" -- -max_total_time="$seconds" -max_len=8192 -len_control=20 -timeout=10 \
        -rss_limit_mb=2048 -print_final_stats=1 -dict="$work/$target.words" -artifact_prefix="$work/found/$target/" >"$log" 2>&1; then
        grep -E '^(Done|stat::number_of_executed_units|stat::average_exec)|^#[0-9]+.*DONE' "$log" | sed "s/^/$target: /"
        return
    fi
    tail -n 40 "$log" >&2
    echo "fuzz: $target found something: $work/found/$target; the log is $log" >&2
    return 1
}

# Keeps of a corpus what its coverage needs, packed into one file: thousands of inputs are no files to look at.
keep() {
    target=$1
    corpus=$(corpus_of "$target")
    cargo_fuzz cmin "$target" "$corpus" >&2
    folder=$(folder_of "$target")/corpus
    mkdir -p "$folder"
    (cd "$corpus" && find . -type f | LC_ALL=C sort | tar -cf - --owner=0 --group=0 --numeric-owner --mode=644 \
        --mtime=@0 -T -) | gzip -9n >"$folder/$target.tar.gz"
    echo "$target: $(find "$corpus" -type f | wc -l) inputs, $(wc -c <"$folder/$target.tar.gz") bytes packed"
}

command=${1:?install, run or keep}
shift
mkdir -p "$work"
install 9>"$work/lock"
case $command in
    install) ;;
    run)
        seconds=${1:?seconds}
        shift
        status=0
        for target in "$@"; do cargo_fuzz build "$target"; done
        for target in "$@"; do
            fuzz "$seconds" "$target" &
            running="${running-} $!"
        done
        for one in ${running-}; do wait "$one" || status=1; done
        exit $status
        ;;
    keep) for target in "$@"; do keep "$target"; done ;;
    *) echo "fuzz.sh: install, run SECONDS TARGET…, or keep TARGET…" >&2; exit 64 ;;
esac
