#!/bin/sh
# The public interface of the crates that a programmer names, in docs/interfaces: what users will notice of a change shows
# in its diff. scripts/interfaces lists it from the JSON of rustdoc, with the features that the workspace uses.
#
#   scripts/lint/interfaces.sh            writes it
#   scripts/lint/interfaces.sh --check    fails if it is not as recorded
set -eu
cd "$(dirname "$0")/../.."
. scripts/lib.sh
cargo=${CARGO:-cargo}
crates="tuffet tuffet-client tuffet-config tuffet-core tuffet-http tuffet-sdk tuffet-testing"
# Crates with items that those export.
inner="tuffet-engine tuffet-leases tuffet-policy tuffet-request tuffet-server tuffet-store"

rm -rf "$TARGET/interfaces/lists"
mkdir -p "$TARGET/interfaces/lists"
# Each version of Rust has a format of its own, and spells some paths of its library in its own way.
recorded=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
rust=$(rustc --version | sed 's/^rustc \([0-9]*\.[0-9]*\).*/\1/')
if [ "$rust" != "$recorded" ]; then
    message="docs/interfaces is recorded with Rust $recorded, and this is $rust (rustup override set $recorded)"
    [ "${1-}" = --check ] || fail "$message"
    echo "not checked: $message"
    exit 0
fi

# JSON is not stable yet. The variable reaches rustdoc alone, because some build scripts look at it, and crates would be
# compiled again. Cargo selects the whole workspace, with the features of its tests, so that what clippy checked is used.
cat >"$TARGET/interfaces/rustdoc" <<SCRIPT
#!/bin/sh
wanted=" $(echo "$crates $inner" | tr - _) "
name=
for word; do
    [ "\$name" != - ] || name=\$word
    [ "\$word" != --crate-name ] || name=-
done
case \$wanted in *" \$name "*) RUSTC_BOOTSTRAP=1 exec rustdoc "\$@" -Z unstable-options --output-format json ;; esac
[ -n "\$name" ] || exec rustdoc "\$@"
SCRIPT
chmod +x "$TARGET/interfaces/rustdoc"
# Its own flags: for cargo, this is not the HTML that `cargo doc` may have written there.
RUSTDOCFLAGS="${RUSTDOCFLAGS-} --cap-lints allow" RUSTDOC=$TARGET/interfaces/rustdoc $cargo doc --locked --quiet --no-deps --workspace --lib --examples
# shellcheck disable=SC2086 # one word per crate
CARGO_TARGET_DIR=$TARGET/interfaces $cargo run --locked --quiet --manifest-path scripts/interfaces/Cargo.toml -- \
    "$TARGET/doc" "$TARGET/interfaces/lists" $crates

if [ "${1-}" = --check ]; then
    diff -ur docs/interfaces "$TARGET/interfaces/lists" || {
        echo "docs/interfaces is not up to date: if users may notice this change, run sh scripts/lint/interfaces.sh, and say it in CHANGELOG.md" >&2
        exit 1
    }
else
    rm -rf docs/interfaces
    cp -r "$TARGET/interfaces/lists" docs/interfaces
fi
