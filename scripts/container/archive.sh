#!/bin/sh
# `make container`: the image in the engine that runs; without one, an archive of it that `docker load` reads.
#
#   scripts/container/archive.sh TARGET_FOLDER BINARY IMAGE [BASE]
set -eu
here=$(cd "$(dirname "$0")" && pwd)

if [ "${1-}" = --inside ]; then
    shift
    sh "$here/image.sh" "$1" "$2" "$3" "${4-}"
    if [ -n "${TUFFET_OWN_ENGINE-}" ]; then
        archive=$1/$(echo "$3" | tr '/:' '--').tar
        docker save --output "$archive" "$3"
        echo "no container engine runs here, so it is in $archive: docker load --input $archive"
    fi
    exit 0
fi

folder=$1/containers
# An engine of our own has no network.
[ -n "${4-}" ] || sh "$here/base.sh" "$folder" >/dev/null
exec sh "$here/engine.sh" "$folder" sh "$here/archive.sh" --inside "$folder" "$2" "$3" "${4-}"
