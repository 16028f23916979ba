#!/bin/sh
# `make install` and `make uninstall` into a folder: what they place, what they leave alone, and what they leave behind.
#
#   host/tests/suites/install/run.sh BINARY
set -eu

binary=$(realpath "$1")
cd "$(dirname "$0")/../../../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
fail() {
    echo "make install: $*" >&2
    exit 1
}
run() { DESTDIR=$folder PREFIX=/opt/t SYSCONFDIR=/opt/conf sh packaging/install.sh "$@" 2>"$folder.log" || { cat "$folder.log"; fail "$*"; }; }
trap 'rm -rf "$folder" "$folder.log"' EXIT

run install "$binary"
for file in bin/tuffet lib/systemd/system/tuffet.service lib/systemd/system/tuffet.socket \
    lib/systemd/system/tuffet-admin.socket lib/sysusers.d/tuffet.conf lib/tmpfiles.d/tuffet.conf \
    share/man/man1/tuffet.1 share/man/man1/tuffet-serve.1 share/man/man5/tuffet.yaml.5 \
    share/bash-completion/completions/tuffet share/zsh/site-functions/_tuffet \
    share/fish/vendor_completions.d/tuffet.fish share/doc/tuffet/LICENSE; do
    [ -s "$folder/opt/t/$file" ] || fail "$file is missing"
done
"$folder/opt/t/bin/tuffet" --version >/dev/null || fail "the binary does not run"
unit=$folder/opt/t/lib/systemd/system/tuffet.service
grep -q '^ExecStart=/opt/t/bin/tuffet serve --restartable --config /opt/conf/tuffet/tuffet.yaml$' "$unit" || fail "$(grep Exec "$unit")"
if grep -rnE '/usr/bin|/etc/tuffet' "$folder/opt/t/lib" "$folder/opt/conf"; then fail "a path is of another installation"; fi
if command -v systemd-analyze >/dev/null; then
    mkdir -p "$folder/etc/systemd/system"
    cp "$unit" "$folder/etc/systemd/system"
    said=$(systemd-analyze verify --man=no --recursive-errors=no --root="$folder" "$folder/etc/systemd/system/tuffet.service" 2>&1 | grep tuffet || true)
    [ -z "$said" ] || fail "$said"
    rm -r "${folder:?}/etc"
fi

# Once more, over a configuration that was changed.
echo '# mine' >>"$folder/opt/conf/tuffet/tuffet.yaml"
run install "$binary"
grep -q '^# mine$' "$folder/opt/conf/tuffet/tuffet.yaml" || fail "the configuration was overwritten"
grep -q 'stays as it is' "$folder.log" || fail "it does not say that the configuration stays"

touch "$folder/opt/t/share/man/man1/another.1"
run uninstall
left=$(cd "$folder" && find . -type f | sort | tr '\n' ' ')
[ "$left" = './opt/conf/tuffet/tuffet.yaml ./opt/t/share/man/man1/another.1 ' ] || fail "after uninstall there is $left"
run uninstall
echo "make install: places everything, keeps the configuration, and uninstall leaves nothing else"
