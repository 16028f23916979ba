#!/bin/sh
# Runs bench.py, with fbtftp as a proxy if it can be had.
#
#   bench/origin/run.sh TARGET_FOLDER FOLDER_OF_THE_BINARIES [WORDS FOR bench.py...]
set -eu

venv=$1/fbtftp binaries=$2
shift 2
[ -x "$venv/bin/python" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install -q fbtftp==0.5; } || rm -rf "$venv"
[ ! -x "$venv/bin/python" ] || set -- --python "$venv/bin/python" "$@"
exec python3 "$(dirname "$0")/bench.py" --tuffet "$binaries/tuffet" --load "$binaries/tuffet-load" --out bench/results "$@"
