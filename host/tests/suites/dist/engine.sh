#!/bin/sh
# `docker load` takes the image of `make dist`, and the container serves, without a privilege and with a file system that cannot
# be written. Where no engine can run it says so and ends well.
#
#   host/tests/suites/dist/engine.sh IMAGE FOLDER
#
# FOLDER takes what an engine stores.
set -eu

# The second half, where an engine answers.
if [ "${1-}" = --inside ]; then
    image=$2 files=$3 name=tuffet-dist-$$
    tag=$(docker load --quiet --input "$image" | sed 's/^Loaded image: //')
    trap 'docker rm --force "$name" >/dev/null 2>&1 || true; docker rmi "$tag" >/dev/null 2>&1 || true' EXIT
    docker run --detach --name "$name" --network none --read-only --cap-drop ALL --security-opt no-new-privileges \
        --tmpfs /run/tuffet:uid=65532,gid=65532,mode=0700 --volume "$files:/srv/tftp:ro" "$tag" >/dev/null
    # The health check of the image, until the server answers.
    for _ in $(seq 300); do
        if docker exec "$name" /usr/bin/tuffet top --once >/dev/null 2>&1; then break; fi
        sleep 0.1
    done
    said=$(docker exec "$name" /usr/bin/tuffet get --quiet --timeout 10 -o - tftp://127.0.0.1/hello) || true
    [ "$said" = hello ] || { docker logs "$name" >&2; echo "the container of $image serves nothing: $said" >&2; exit 1; }
    docker stop --time 20 "$name" >/dev/null
    echo "ok: docker load takes $tag, and it serves"
    exit 0
fi

image=$(realpath "$1")
mkdir -p "$2"
folder=$(realpath "$2")
cd "$(dirname "$0")/../../../.."
. scripts/lib.sh
files=$(mktemp -d "$folder/files.XXXXXX")
trap 'rm -rf "$files"' EXIT
chmod 755 "$files"
echo hello >"$files/hello"
chmod 644 "$files/hello"
code=0
sh scripts/container/engine.sh "$folder" sh host/tests/suites/dist/engine.sh --inside "$image" "$files" || code=$?
if [ "$code" = 69 ]; then
    skip "the image of \`make dist\` in an engine: none can run here"
    exit 0
fi
exit "$code"
