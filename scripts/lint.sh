#!/bin/sh
# `make lint`: formatting, lints, and what scripts/lint checks. A check whose program is missing is left out, with a word.
set -eu
cd "$(dirname "$0")/.."
. scripts/lib.sh
cargo=${CARGO:-cargo}

$cargo fmt --all --check
for other in core/fuzz host/fuzz scripts/interfaces; do
    $cargo fmt --manifest-path $other/Cargo.toml --check
    # Its lock file has what the crates of the workspace need.
    $cargo metadata --locked --format-version 1 --manifest-path $other/Cargo.toml >/dev/null
done
sh scripts/build.sh plugins
(set -x && $cargo clippy --locked --workspace --all-targets -- -D warnings)
sh scripts/lint/unsafe.sh
sh scripts/bindings/rust.sh "$TARGET" --check
sh scripts/bindings/c.sh --check
sh scripts/lint/interfaces.sh --check
sh scripts/lint/links.sh
sh scripts/lint/suites.sh
sh scripts/lint/systemd.sh
if installed python3; then
    python3 scripts/lint/frozen.py
    python3 scripts/lint/targets.py
    python3 scripts/lint/times.py
    python3 scripts/lint/layers.py
    python3 scripts/lint/compiled_once.py
    python3 scripts/lint/published.py check
    python3 scripts/lint/rustdoc.py
    python3 scripts/lint/supply.py check
else
    echo "python3 is not installed: make targets and times in documents, layers, crates that are compiled twice, manifests of packages, links of rustdoc, licences and sources were not checked" >&2
fi
if installed shellcheck; then
    git ls-files -z '*.sh' .ci/run | xargs -0 shellcheck -x
else
    echo "shellcheck is not installed: the scripts were not checked" >&2
fi
