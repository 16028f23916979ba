#!/bin/sh
# The Python SDK: its tests and those of its guests, natively; then the guests as components, for the tests of
# the server. Where there is no Python 3.11, or componentize-py cannot be fetched from PyPI, that is said and
# nothing fails.
#
#   host/tests/suites/sdks/python.sh FOLDER
#
# leaves FOLDER/reference.wasm and FOLDER/firmware.wasm. What has not changed is not built again.
set -eu

mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh

leave_out() {
    skip "the Python SDK: $1"
    rm -f "$folder"/*.wasm # built by a tool that is gone
    exit 0
}

fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

python=
for candidate in "${PYTHON-}" python3 python3.14 python3.13 python3.12 python3.11; do
    if [ -n "$candidate" ] && fits "$candidate"; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || leave_out "there is no Python 3.11 or later"

# `-B`: nothing is left in the source folders.
for tests in sdk/python/tests sdk/python/examples/firmware sdk/conformance/python; do
    (cd "$tests" && PYTHONPATH=$OLDPWD/sdk/python "$python" -B -m unittest -q) || {
        echo "$tests: a test failed" >&2
        exit 1
    }
done

requirements=sdk/python/requirements.txt
venv=$folder/venv
if ! cmp -s "$requirements" "$venv/requirements.txt"; then
    rm -rf "$venv"
    if ! "$python" -c 'import ensurepip' 2>/dev/null && is_root && installed apt-get; then
        { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
            --no-install-recommends python3-venv; } </dev/null >/dev/null || true
    fi
    "$python" -m venv "$venv" >/dev/null || leave_out "python3 -m venv failed (on Debian: apt-get install python3-venv)"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --only-binary :all: -r "$requirements" \
        || leave_out "pip install -r $requirements failed"
    cp "$requirements" "$venv/requirements.txt"
fi

build() {
    project=$1 component=$folder/$2.wasm
    if outdated "$component" sdk/python/tuffet sdk/python/requirements.txt sdk/wit "$project"; then
        "$venv/bin/python" -B sdk/python "$project" -o "$component"
    fi
}
build sdk/conformance/python reference
build sdk/python/examples/firmware firmware
