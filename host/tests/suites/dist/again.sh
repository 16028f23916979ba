#!/bin/sh
# Makes everything of `make dist` again, from a copy of the tree in another folder and with another environment: the bytes must
# be those of the first time.
#
#   host/tests/suites/dist/again.sh FOLDER PROFILE [ARCHITECTURE...]
#
# FOLDER is target/dist; PROFILE and ARCHITECTURE are those that it was made with.
set -eu
first=$(realpath "$1")
shift
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh

# The path has another length, too.
around=$TARGET/dist-again
clone=$around/a-folder-of-another-name/tuffet
mkdir -p "$around"
trap 'rm -rf "$around"' EXIT
trap 'exit 130' INT TERM
rm -rf "$around/a-folder-of-another-name"
git clone --quiet --shared . "$clone"
# And what is not committed.
git ls-files -z --deleted | xargs -0 -r -I{} rm -f "$clone/{}"
git ls-files -z --cached --modified --others --exclude-standard | sort -zu |
    tar --create --null --ignore-failed-read --files-from=- 2>/dev/null | tar --extract --directory "$clone"
(umask 077 && cd / && CARGO_TARGET_DIR=$clone/target TZ=Asia/Tokyo sh "$clone/scripts/dist.sh" "$@" >/dev/null)
second=$clone/target/dist
if ! diff "$first/SHA256SUMS" "$second/SHA256SUMS"; then
    # Shown as far as it helps: the first file of each archive that differs.
    for file in "$second"/*; do
        cmp "$first/$(basename "$file")" "$file" || true
    done
    fail "two builds of the same tree differ"
fi
echo "ok: the same bytes from another folder: $(wc -l <"$first/SHA256SUMS") files"
