#!/bin/sh
# What cargo-deny says of the dependencies, by deny.toml. Advisories need their database from the network: where it
# cannot be had, that is said, and the rest is judged all the same.
set -eu

CARGO_DENY=0.20.2
cd "$(dirname "$0")/../.."
if [ "$(cargo deny --version 2>/dev/null)" != "cargo-deny $CARGO_DENY" ]; then
    echo "installing cargo-deny $CARGO_DENY (minutes)" >&2
    cargo install --quiet --locked "cargo-deny@$CARGO_DENY"
fi
cargo deny --workspace check --hide-inclusion-graph bans licenses sources
if ! cargo deny fetch db >/dev/null 2>&1; then
    echo "skipped: the database of advisories cannot be fetched" >&2
    exit 0
fi
cargo deny --workspace check --hide-inclusion-graph advisories
