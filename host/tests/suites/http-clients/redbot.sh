#!/bin/sh
# REDbot, which judges answers by HTTP, from PyPI. Where it cannot be fetched, that is said and nothing fails.
#
#   host/tests/suites/http-clients/redbot.sh FOLDER
#
# leaves FOLDER/venv/bin/python, which can import it.
set -eu

REDBOT=2.7.1
mkdir -p "$1"
venv=$(cd "$1" && pwd)/venv
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh

leave_out() {
    skip "answers by HTTP, judged by REDbot: $1"
    rm -rf "$venv"
    exit 0
}

if [ "$(cat "$venv/version" 2>/dev/null)" = "$REDBOT" ]; then exit 0; fi
rm -rf "$venv"
python3 -m venv "$venv" >/dev/null || leave_out "python3 -m venv failed (on Debian: apt-get install python3-venv)"
"$venv/bin/pip" install --quiet --disable-pip-version-check "redbot==$REDBOT" \
    || leave_out "pip install redbot==$REDBOT failed"
echo "$REDBOT" >"$venv/version"
