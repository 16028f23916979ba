#!/bin/sh
# Makes the image of tuffet by examples/container/Containerfile.
#
#   scripts/container/image.sh FOLDER BINARY IMAGE [BASE]
#
# Without BASE, base.sh makes the base; FOLDER keeps what it made.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
folder=$1 binary=$2 image=$3 base=${4-}
mkdir -p "$folder"
if [ -z "$base" ]; then
    base=tuffet-base:bookworm
    archive=$(sh "$here/base.sh" "$folder")
    docker import "$archive" "$base" >/dev/null
fi
context=$(mktemp -d "$folder/context.XXXXXX")
trap 'rm -rf "$context"' EXIT
cp "$binary" "$context/tuffet"
# A debug build carries twice its size in line tables.
strip "$context/tuffet" 2>/dev/null || true
# Folders that belong to the server: a volume that is mounted on one for the first time begins as it is. Only
# an archive says whose they are without a shell in the image.
mkdir -p "$context/folders/var/lib/tuffet" "$context/folders/var/cache/tuffet" "$context/folders/run/tuffet"
chmod 700 "$context"/folders/var/*/tuffet "$context/folders/run/tuffet"
tar --create --file "$context/folders.tar" --directory "$context/folders" --owner=65532 --group=65532 \
    var/lib/tuffet var/cache/tuffet run/tuffet
rm -r "$context/folders"
version=$("$binary" --version | cut -d' ' -f2)
# The classic builder needs no plug-in of the client.
DOCKER_BUILDKIT=0 docker build --quiet --tag "$image" --build-arg BASE="$base" --build-arg VERSION="$version" \
    --file "$here/../../examples/container/Containerfile" "$context" >/dev/null
echo "$image is made: $(docker image inspect --format '{{.Size}}' "$image") bytes"
