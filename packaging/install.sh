#!/bin/sh
# Installs the server and what belongs to it, or removes it again: `make install`, `make uninstall`, and the Debian
# package.
#
#   packaging/install.sh install BINARY
#   packaging/install.sh uninstall
#
# DESTDIR      a folder in front of every path, for packages [none]
# PREFIX       [/usr/local]
# SYSCONFDIR   the folder of tuffet/tuffet.yaml [/etc]
# UNITDIR      units of systemd [PREFIX/lib/systemd/system]
# ZSHDIR       completions of zsh [PREFIX/share/zsh/site-functions]
set -eu
umask 022

here=$(cd "$(dirname "$0")/.." && pwd)
prefix=${PREFIX:-/usr/local}
sysconf=${SYSCONFDIR:-/etc}
dest=${DESTDIR-}
units=${UNITDIR:-$prefix/lib/systemd/system}
zsh=${ZSHDIR:-$prefix/share/zsh/site-functions}
bash=$prefix/share/bash-completion/completions
fish=$prefix/share/fish/vendor_completions.d
doc=$prefix/share/doc/tuffet
man=$prefix/share/man
config=$sysconf/tuffet/tuffet.yaml

# place MODE FROM TO
place() {
    mkdir -p "$(dirname "$dest$3")"
    install -m "$1" "$2" "$dest$3"
}

# As `place`, with the paths of this installation in place of those that the file names.
adapted() {
    sed -e "s|/usr/bin/tuffet|$prefix/bin/tuffet|g" -e "s|/etc/tuffet/|$sysconf/tuffet/|g" "$1" >"$work/adapted"
    place 644 "$work/adapted" "$2"
}

put() {
    binary=$1
    if [ ! -x "$binary" ]; then
        echo "$binary does not exist: run \`make build\` first" >&2
        exit 66
    fi
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    place 755 "$binary" "$prefix/bin/tuffet"
    for unit in tuffet.service tuffet.socket tuffet-admin.socket; do
        adapted "$here/examples/systemd/$unit" "$units/$unit"
    done
    adapted "$here/examples/systemd/tuffet.sysusers" "$prefix/lib/sysusers.d/tuffet.conf"
    adapted "$here/packaging/tuffet.tmpfiles" "$prefix/lib/tmpfiles.d/tuffet.conf"

    "$binary" generate man "$work/man"
    for page in "$work"/man/man?/*; do
        place 644 "$page" "$man${page#"$work/man"}"
    done
    "$binary" generate completions bash >"$work/bash"
    "$binary" generate completions zsh >"$work/zsh"
    "$binary" generate completions fish >"$work/fish"
    place 644 "$work/bash" "$bash/tuffet"
    place 644 "$work/zsh" "$zsh/_tuffet"
    place 644 "$work/fish" "$fish/tuffet.fish"
    place 644 "$here/LICENSE" "$doc/LICENSE"
    place 644 "$here/CHANGELOG.md" "$doc/CHANGELOG.md"

    if [ -e "$dest$config" ]; then
        echo "$dest$config is there already and stays as it is" >&2
    else
        adapted "$here/examples/systemd/tuffet.yaml" "$config"
    fi
    [ -z "$dest" ] || return 0
    cat <<MESSAGE
Installed below $prefix. Next:

    systemd-sysusers && systemd-tmpfiles --create
    systemctl daemon-reload
    systemctl enable --now tuffet.service
    $prefix/bin/tuffet doctor --config $config
MESSAGE
}

remove() {
    rm -f "$dest$prefix/bin/tuffet" \
        "$dest$units/tuffet.service" "$dest$units/tuffet.socket" "$dest$units/tuffet-admin.socket" \
        "$dest$prefix/lib/sysusers.d/tuffet.conf" "$dest$prefix/lib/tmpfiles.d/tuffet.conf" \
        "$dest$man/man1/tuffet.1" "$dest$man/man1"/tuffet-*.1 "$dest$man/man5/tuffet.yaml.5" \
        "$dest$bash/tuffet" "$dest$zsh/_tuffet" "$dest$fish/tuffet.fish"
    rm -f "$dest$doc/LICENSE" "$dest$doc/CHANGELOG.md"
    rmdir "$dest$doc" 2>/dev/null || true
    [ ! -e "$dest$config" ] || echo "$dest$config stays, and so do the folders of the server's state and files" >&2
}

case ${1-}:$# in
    install:2) put "$2" ;;
    uninstall:1) remove ;;
    *)
        sed -n '2,12s/^# \{0,1\}//p' "$0" >&2
        exit 64
        ;;
esac
