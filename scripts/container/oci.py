#!/usr/bin/env python3
"""Makes a container image from scratch, without an engine: a static binary by the instructions of a Containerfile.

    scripts/container/oci.py --containerfile FILE --binary FILE --architecture x86_64|aarch64 --authorities FILE
        --version VERSION --epoch SECONDS --output ARCHIVE

The archive is an OCI image layout (podman, skopeo, ctr), with the manifest that `docker load` reads beside it. It has one
layer, whose bytes depend on the given files alone."""

import argparse
import gzip
import hashlib
import io
import json
import shlex
import tarfile
import time
from pathlib import Path

# The names of Go, which those of OCI are.
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
OCI = "application/vnd.oci.image"
# The server's folders: of its user, so that a volume that is mounted there begins as they are.
OWN_FOLDERS = ["var/lib/tuffet", "var/cache/tuffet", "run/tuffet"]
USER = 65532


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("containerfile", "binary", "authorities", "output"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--architecture", choices=ARCHITECTURES, required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument("--epoch", type=int, required=True)
    return parser.parse_args()


def instructions(text: str):
    """Each instruction of a Containerfile, with its words."""
    joined = "\n".join(line for line in text.splitlines() if not line.startswith("#")).replace("\\\n", " ")
    for line in joined.splitlines():
        if line.strip():
            name, rest = line.split(maxsplit=1)
            yield name, rest.strip()


def pairs(rest: str) -> dict:
    """KEY=VALUE, with quotes around values that have spaces."""
    return dict(word.split("=", 1) for word in shlex.split(rest))


def configuration(containerfile: Path, version: str) -> dict:
    """The part `config` of an image, of all instructions but those that say which files it has: these are `layer`'s."""
    config = {}
    for name, rest in instructions(containerfile.read_text()):
        if name in ("FROM", "ARG", "COPY", "ADD"):
            continue
        if name == "LABEL":
            config["Labels"] = pairs(rest.replace("${VERSION}", version))
        elif name == "ENV":
            config["Env"] = shlex.split(rest)
        elif name == "EXPOSE":
            config["ExposedPorts"] = {port: {} for port in rest.split()}
        elif name == "HEALTHCHECK":
            words, command = rest.split(" CMD ")
            config["Healthcheck"] = {"Test": ["CMD", *json.loads(command)], **times(words)}
        elif name in ("ENTRYPOINT", "CMD"):
            config[{"ENTRYPOINT": "Entrypoint", "CMD": "Cmd"}[name]] = json.loads(rest)
        elif name in ("USER", "STOPSIGNAL"):
            config[{"USER": "User", "STOPSIGNAL": "StopSignal"}[name]] = rest
        else:
            raise SystemExit(f"{containerfile}: scripts/container/oci.py does not know {name}")
    return config


def times(words: str) -> dict:
    """`--interval=10s` and the like, in nanoseconds."""
    keys = {"--interval": "Interval", "--timeout": "Timeout", "--start-period": "StartPeriod"}
    split = (word.split("=") for word in words.split())
    return {keys[key]: int(value.removesuffix("s")) * 1_000_000_000 for key, value in split}


def layer(binary: Path, authorities: Path, epoch: int) -> bytes:
    """The files of the image as a tar archive."""
    files = {"usr/bin/tuffet": (binary, 0o755), "etc/ssl/certs/ca-certificates.crt": (authorities, 0o644)}
    # /srv/tftp, which the command serves, is there so that it starts without a volume.
    named = [*files, *OWN_FOLDERS, "srv/tftp"]
    folders = {str(parent) for name in named for parent in Path(name).parents} | {*OWN_FOLDERS, "srv/tftp", "tmp"}
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name in sorted((folders | set(files)) - {"."}):
            entry = tarfile.TarInfo(name)
            entry.mtime = epoch
            if name in files:
                path, entry.mode = files[name]
                content = path.read_bytes()
                entry.size = len(content)
                archive.addfile(entry, io.BytesIO(content))
                continue
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            if name == "tmp":
                entry.mode = 0o1777
            if name in OWN_FOLDERS:
                entry.mode, entry.uid, entry.gid = 0o700, USER, USER
            archive.addfile(entry)
    return out.getvalue()


class Layout:
    """An OCI image layout in an archive; blobs are named after their digests."""

    def __init__(self, path: Path, epoch: int):
        self.archive, self.epoch = tarfile.open(path, mode="w", format=tarfile.USTAR_FORMAT), epoch

    def add(self, name: str, content: bytes) -> None:
        entry = tarfile.TarInfo(name)
        entry.size, entry.mtime, entry.mode = len(content), self.epoch, 0o644
        self.archive.addfile(entry, io.BytesIO(content))

    def blob(self, content: bytes, kind: str) -> dict:
        """Adds it, and returns its descriptor."""
        digest = hashlib.sha256(content).hexdigest()
        self.add(f"blobs/sha256/{digest}", content)
        return {"mediaType": f"{OCI}.{kind}", "digest": f"sha256:{digest}", "size": len(content)}


def document(value) -> bytes:
    return json.dumps(value, indent=1).encode() + b"\n"


def main() -> None:
    given = arguments()
    files = layer(given.binary, given.authorities, given.epoch)
    config = {
        "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(given.epoch)),
        "architecture": ARCHITECTURES[given.architecture],
        "os": "linux",
        "config": configuration(given.containerfile, given.version),
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(files).hexdigest()}"]},
    }
    layout = Layout(given.output, given.epoch)
    layout.add("oci-layout", document({"imageLayoutVersion": "1.0.0"}))
    of_config = layout.blob(document(config), "config.v1+json")
    of_layer = layout.blob(gzip.compress(files, compresslevel=9, mtime=0), "layer.v1.tar+gzip")
    manifest = {"schemaVersion": 2, "mediaType": f"{OCI}.manifest.v1+json", "config": of_config, "layers": [of_layer]}
    of_manifest = layout.blob(document(manifest), "manifest.v1+json")
    of_manifest["annotations"] = {"org.opencontainers.image.ref.name": given.version}
    layout.add("index.json", document({"schemaVersion": 2, "mediaType": f"{OCI}.index.v1+json", "manifests": [of_manifest]}))
    path = {name: f"blobs/sha256/{part['digest'].split(':')[1]}" for name, part in (("config", of_config), ("layer", of_layer))}
    layout.add("manifest.json", document([
        {"Config": path["config"], "RepoTags": [f"tuffet:{given.version}"], "Layers": [path["layer"]]}
    ]))  # fmt: skip
    layout.archive.close()


if __name__ == "__main__":
    main()
