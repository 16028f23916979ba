#!/bin/sh
# Unpacks the TFTP servers that tests compare with, below a folder: nothing of them is installed, so no service
# starts on port 69. (The packages of tftpd-hpa and atftpd cannot be installed beside each other anyway.) Each gets a
# folder with the name of its package: those of Debian 12, and two of today, which are pinned by their digests. Never
# fails: the tests that need a missing server report what they skip.
#
#   host/tests/suites/peers.sh FOLDER
set -eu
mkdir -p "$1"
folder=$(cd "$1" && pwd)
cd "$(dirname "$0")/../../.."
. scripts/lib.sh

cd "$folder"
for command in apt-get dpkg-deb ldd; do
    installed "$command" || { echo "peers.sh: $command is missing" >&2; exit 0; }
done

lacks_libraries() { ldd "$1" 2>/dev/null | grep -q 'not found'; }

for pair in in.tftpd=tftpd-hpa atftpd=atftpd dnsmasq=dnsmasq-base; do
    package=${pair#*=}
    server=$package/usr/sbin/${pair%%=*}
    if ! [ -x "$server" ] && download "$package"; then
        dpkg-deb -x "$package"_*.deb "$package" || true
        rm -f "$package"_*.deb
    fi
    if [ -x "$server" ] && lacks_libraries "$server" && is_root; then
        # The package of dnsmasq without its service, for its libraries; and those of the others.
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
            dnsmasq-base libwrap0 libpcre2-8-0 </dev/null >/dev/null 2>&1 || true
    fi
    if [ -x "$server" ] && lacks_libraries "$server"; then
        rm -f "$server"
    fi
    [ -x "$server" ] || echo "peers.sh: no ${pair%%=*} (package $package)" >&2
done

# DHCP servers, which check the configurations of docs/dhcp.md. Kea has its libraries in a package of their own.
for pair in dhcpd=isc-dhcp-server kea-dhcp4=kea-dhcp4-server; do
    package=${pair#*=}
    server=$package/usr/sbin/${pair%%=*}
    if ! [ -x "$server" ] && download "$package"; then
        dpkg-deb -x "$package"_*.deb "$package" || true
        rm -f "$package"_*.deb
        if [ "$package" = kea-dhcp4-server ] && download kea-common; then
            dpkg-deb -x kea-common_*.deb "$package" || true
            rm -f kea-common_*.deb
            if is_root; then
                DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
                    liblog4cplus-2.0.5 libmariadb3 libpq5 </dev/null >/dev/null 2>&1 || true
            fi
        fi
    fi
    [ -x "$server" ] || echo "peers.sh: no ${pair%%=*} (package $package)" >&2
done

# Fetches files of Debian's pool into this folder: PATH DIGEST... apt knows the mirror, and how to reach it.
pinned() {
    # shellcheck disable=SC2016 # apt's own variables
    set -- "$(apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        awk '$1 == "Debian" && $2 !~ /security/ { print $2; exit }')" "$@"
    mirror=${1%/}
    shift
    while [ $# -gt 0 ]; do
        /usr/lib/apt/apt-helper -o Acquire::Retries=0 -o Acquire::http::Timeout=20 download-file \
            "$mirror/pool/main/$1" "${1##*/}" "SHA256:$2" >/dev/null 2>&1 || return 1
        shift 2
    done
}

# Makes a folder by a command, which runs in it; the folder is complete when it is there.
make_once() {
    [ ! -d "$1" ] || return 0
    rm -rf "$1.part"
    mkdir "$1.part"
    if (cd "$1.part" && "$2"); then mv "$1.part" "$1"; else rm -rf "$1.part"; fi
}

# in.tftpd 7.3 is a package of the Debian after 13. It needs a newer libc than Debian 12 has, so it gets its own.
newer_tftpd() {
    [ "$(uname -m)" = x86_64 ] &&
        pinned t/tftp-hpa/tftpd-hpa_7.2+20261013-2_amd64.deb \
            06ae65150e248705f3dd3d44496bb15fe6a9478601c948aa9012cf2b17936ea0 \
            g/glibc/libc6_2.43-7_amd64.deb \
            5c71715c51103beb4fbba9fe9f8dff604af6610dfa71c70bff342f54a7860803 &&
        for package in *.deb; do dpkg-deb -x "$package" . && rm "$package" || return 1; done &&
        cat >in.tftpd <<'END' && chmod +x in.tftpd && ./in.tftpd --version >/dev/null
#!/bin/sh
here=$(dirname "$0")
lib=$here/usr/lib/x86_64-linux-gnu
exec "$lib/ld-linux-x86-64.so.2" --library-path "$lib" "$here/usr/sbin/in.tftpd" "$@"
END
}

# dnsmasq 2.93, from its source.
newer_dnsmasq() {
    installed cc && installed make &&
        pinned d/dnsmasq/dnsmasq_2.93.orig.tar.gz cc967771abdafeb43d10db18932d6b59fd4bed2c69c22acf8cb96aff6920d55f &&
        tar -xf dnsmasq_2.93.orig.tar.gz --strip-components=1 && make -s >/dev/null 2>&1 &&
        mv src/dnsmasq . && rm -rf src ./*.tar.gz
}

make_once tftpd-hpa-newer newer_tftpd
make_once dnsmasq-newer newer_dnsmasq
[ -d tftpd-hpa-newer ] || echo "peers.sh: no in.tftpd 7.3" >&2
[ -d dnsmasq-newer ] || echo "peers.sh: no dnsmasq 2.93" >&2
