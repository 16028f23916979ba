#!/usr/bin/env python3
"""Writes what the files of `make dist` were made of, as an in-toto statement with the predicate of SLSA 1.0.

    scripts/dist/provenance.py FOLDER NAME PROFILE VERSION [DEBIAN_PACKAGE]...

The subjects are all files in FOLDER, which gets the statement as NAME. It is not signed, and has no times: the same
sources give the same statement."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Identifiers; nothing answers there.
BUILD_TYPE = "tag:tuffet.invalid,2026:make-dist/1"
BUILDER = "tag:tuffet.invalid,2026:unattested"
TOOLS = {"cc": "--version", "aarch64-linux-gnu-gcc": "--version", "tar": "--version", "gzip": "--version",
         "dpkg-deb": "--version", "python3": "--version"}  # fmt: skip


def main(folder, name, profile, version, *debian):
    files = sorted(path for path in Path(folder).iterdir() if path.name != name)
    commit = output("git", "rev-parse", "HEAD")
    source = {"name": "source", "digest": {"gitCommit": commit}}
    if output("git", "status", "--porcelain"):
        source["annotations"] = {"modified": True}
        print("provenance: the tree has changes that are not committed; the statement says so", file=sys.stderr)
    document = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": path.name, "digest": {"sha256": sha256(path)}} for path in files],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": BUILD_TYPE,
                "externalParameters": {"command": f"make dist PROFILE={profile}", "version": version},
                "resolvedDependencies": [
                    source,
                    {"name": "Cargo.lock", "digest": {"sha256": sha256(ROOT / "Cargo.lock")}},
                    *({"name": Path(path).name, "digest": {"sha256": sha256(Path(path))}} for path in debian),
                ],
            },
            "runDetails": {"builder": {"id": BUILDER, "version": toolchain()}},
        },
    }
    (Path(folder) / name).write_text(json.dumps(document, indent=1) + "\n")


def toolchain():
    rustc = dict(line.split(": ", 1) for line in output("rustc", "-vV").splitlines()[1:])
    found = {"rustc": f"{rustc['release']} ({rustc['commit-hash']})", "rustc-host": rustc["host"],
             "cargo": output("cargo", "--version")}  # fmt: skip
    for tool, option in TOOLS.items():
        try:
            found[tool] = output(tool, option).splitlines()[0]
        except (OSError, subprocess.CalledProcessError):
            # The cross compiler is there only where it was used.
            continue
    return found


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


if __name__ == "__main__":
    if len(sys.argv) < 5:
        print(__doc__, file=sys.stderr)
        sys.exit(64)
    main(*sys.argv[1:])
