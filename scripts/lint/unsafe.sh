#!/bin/sh
# `unsafe` is for host/udp alone. The lints deny it elsewhere; this sees where they are switched off.
set -eu
cd "$(dirname "$0")/../.."

found=$(grep -rnE --include='*.rs' 'allow\((clippy::[a-z_]+, *)*unsafe_code|^[^/"]*\bunsafe +(fn|impl|trait|extern|\{)' \
    bench core host plugins sdk | grep -v '^host/udp/' | grep -vE '^sdk/rust/src/(bindings.rs|generated/)' || true)
if [ -n "$found" ]; then
    echo "unsafe code outside of host/udp:" >&2
    echo "$found" >&2
    exit 1
fi
