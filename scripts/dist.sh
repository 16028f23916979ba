#!/bin/sh
# `make dist`: what a release page holds, in target/dist.
#
#   scripts/dist.sh PROFILE [ARCHITECTURE...]
#
# ARCHITECTURE is x86_64 or aarch64, this machine's among them; both unless given. The same commit, toolchain and packages
# of Debian give the same bytes, in any folder: paths are mapped to names, archives are sorted, and every time is that of
# the commit (SOURCE_DATE_EPOCH replaces it).
set -eu
umask 022
cd "$(dirname "$0")/.."
. scripts/lib.sh
cargo=${CARGO:-cargo}
profile=$1
shift
[ $# -gt 0 ] || set -- x86_64 aarch64

out=$TARGET/dist
# Other flags than those of other builds, so another folder: each would compile everything again after the other.
build=$TARGET/dist-build
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
# Compressed by several threads, a package depends on their number.
DPKG_DEB_THREADS_MAX=1
export SOURCE_DATE_EPOCH DPKG_DEB_THREADS_MAX LC_ALL=C TZ=UTC

packages dpkg-buildpackage=dpkg-dev dh=debhelper python3=python3
for tool in git python3 apt-get dpkg-deb dpkg-buildpackage dh; do
    installed "$tool" || fail "$tool is missing: \`make dist\` needs Debian, with dpkg-dev, debhelper and python3"
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# Keeps the paths of this machine out of what is compiled. The last prefix that fits a path counts.
map_paths() {
    targets=
    for architecture; do targets="$targets --target $architecture-unknown-linux-musl"; done
    # The sources of crates must be there, because their folder is named after the registry's address.
    # shellcheck disable=SC2086 # several words
    $cargo fetch --quiet --locked --target wasm32-wasip2 $targets
    home=$(realpath "${CARGO_HOME:-$HOME/.cargo}")
    rust=$(rustc --print sysroot)/lib/rustlib/src/rust=/rustc/$(rustc -vV | sed -n 's/^commit-hash: //p')
    flags="" cflags=""
    for pair in "$home=/cargo" "$rust" "$PWD=/tuffet" "$build=/tuffet/target" "$home"/registry/src/*; do
        case $pair in *=*) ;; *) pair=$pair=/cargo/registry ;; esac
        case $pair in *' '*) fail "paths with spaces cannot be mapped: $pair" ;; esac
        flags="$flags --remap-path-prefix=$pair" cflags="$cflags -ffile-prefix-map=$pair"
    done
    # For the server, for the plugins in it, which are built without the flags of the host, and for C in dependencies.
    export RUSTFLAGS="$flags" CARGO_TARGET_WASM32_WASIP2_RUSTFLAGS="$flags" CFLAGS="$cflags"
    # As in the release profile: line tables have paths, and double the size.
    name=$(echo "$profile" | tr 'a-z-' 'A-Z_')
    export "CARGO_PROFILE_${name}_STRIP=symbols" "CARGO_PROFILE_${name}_DEBUG=false"
}

binary() { echo "$build/$1-unknown-linux-musl/$(test "$profile" = dev && echo debug || echo "$profile")/tuffet"; }

# One folder with everything, from which the server runs as it is and packaging/install.sh installs it.
tarball() {
    name=tuffet-$version-linux-$1
    mkdir "$work/$name"
    git ls-files -z LICENSE CHANGELOG.md examples/quickstart examples/systemd ':!*/run.sh' ':!*/README.md' packaging/install.sh \
        packaging/tuffet.tmpfiles |
        tar --create --null --files-from=- | tar --extract --directory "$work/$name"
    cp packaging/README.md "$work/$name/README.md"
    cp "$(binary "$1")" "$work/$name/tuffet"
    "$native" generate man "$work/$name/man" >/dev/null
    mkdir "$work/$name/completions"
    for shell in bash zsh fish; do "$native" generate completions $shell >"$work/$name/completions/tuffet.$shell"; done
    tar --create --file "$work/$name.tar" --directory "$work" --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" \
        --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' "$name"
    gzip -n -9 "$work/$name.tar"
    mv "$work/$name.tar.gz" "$out/"
    rm -r "${work:?}/$name"
}

# The example plugins as components, each beside its configuration, from which a server runs it as it is.
components() {
    name=tuffet-$version-example-plugins
    mkdir "$work/$name"
    git ls-files -z LICENSE examples/plugins ':!*/src/*' ':!*/Cargo.toml' ':!*.py' |
        tar --create --null --files-from=- --transform='s,^examples/plugins/,,' |
        tar --extract --directory "$work/$name"
    for folder in "$work/$name"/*/; do
        example=$(basename "$folder")
        # In its place, so that it is checked with its own configuration.
        CARGO_TARGET_DIR=$build "$1" plugin build "examples/plugins/$example" >&2
        mv "examples/plugins/$example/$example.wasm" "$folder"
    done
    (cd "$work/$name" && sha256sum -- */*.wasm >SHA256SUMS)
    tar --create --file "$work/$name.tar" --directory "$work" --sort=name --format=gnu --mtime="@$SOURCE_DATE_EPOCH" \
        --owner=0 --group=0 --numeric-owner --mode='u=rwX,go=rX' "$name"
    gzip -n -9 "$work/$name.tar"
    rm -r "${work:?}/$name"
}

# The authorities that plugins, sinks and telemetry trust when they speak TLS, of Debian's package.
authorities() {
    mkdir "$work/authorities"
    (cd "$work/authorities" && download ca-certificates && dpkg-deb -x ca-certificates_*.deb .) ||
        fail "apt-get cannot download ca-certificates, for the container image"
    cat "$work"/authorities/usr/share/ca-certificates/mozilla/*.crt >"$work/authorities/ca-certificates.crt"
}

echo "tuffet $version, profile $profile, for $*" >&2
(
    map_paths "$@"
    for architecture; do
        CARGO_TARGET_DIR=$build sh scripts/build.sh static "$architecture" "$profile" >&2
    done
    components "$(binary "$(uname -m)")"
)
native=$(binary "$(uname -m)")
[ -x "$native" ] || fail "there is no binary for $(uname -m), which prints man pages and completions"

rm -rf "$out"
mkdir -p "$out"
mv "$work/tuffet-$version-example-plugins.tar.gz" "$out/"
authorities
triples=
for architecture; do
    triples="$triples $architecture-unknown-linux-musl"
    tarball "$architecture"
    python3 scripts/container/oci.py --containerfile examples/container/Containerfile --binary "$(binary "$architecture")" \
        --architecture "$architecture" --authorities "$work/authorities/ca-certificates.crt" --version "$version" \
        --epoch "$SOURCE_DATE_EPOCH" --output "$out/tuffet-$version-image-$architecture.tar"
done
sh packaging/deb.sh "$native" "$build/deb" >/dev/null
cp "$build"/deb/*.deb "$out/"
# shellcheck disable=SC2086 # several words
python3 scripts/lint/supply.py sbom "$out/tuffet-$version.cdx.json" $triples >/dev/null
python3 scripts/dist/provenance.py "$out" "tuffet-$version.provenance.json" "$profile" "$version" \
    "$work"/authorities/ca-certificates_*.deb
(cd "$out" && sha256sum -- * >"$work/SHA256SUMS")
mv "$work/SHA256SUMS" "$out/"
ls -l "$out"
