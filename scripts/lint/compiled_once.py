#!/usr/bin/env python3
"""What `make run` compiles, `make test` does not compile again.

Cargo compiles a crate once for each choice of features, of its own and of what it depends on, and tests choose more
than programs do. This compares the units of both commands, without compiling anything.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CARGO = os.environ.get("CARGO", "cargo").split()

# As scripts/build.sh and scripts/suite.sh call cargo.
RUN = ["build", "--locked", "--workspace", "--bin", "tuffet"]
TEST = ["test", "--locked", "--workspace", "--exclude", "tuffet-fleet"]


def as_tests():
    """The words of scripts/lib.sh for a build with the features of tests."""
    for line in (ROOT / "scripts/lib.sh").read_text(encoding="utf-8").splitlines():
        if line.startswith("AS_TESTS="):
            return line.removeprefix("AS_TESTS=").strip("'\"").split()
    sys.exit("compiled_once.py: scripts/lib.sh has no AS_TESTS")


def units(words):
    """What cargo would compile: a digest for each unit, with the name of its crate."""
    # The graph of units is an unstable output of a stable cargo.
    ran = subprocess.run(
        [*CARGO, *words, "-Zunstable-options", "--unit-graph"],
        cwd=ROOT, env={**os.environ, "RUSTC_BOOTSTRAP": "1"}, capture_output=True, text=True, check=False,
    )
    if ran.returncode:
        sys.exit(f"compiled_once.py: cargo {' '.join(words)}: {ran.stderr}")
    graph = json.loads(ran.stdout)["units"]
    known = {}

    def digest(index):
        if index not in known:
            unit = graph[index]
            # The profiles `dev` and `test` have two names and the same settings.
            profile = {key: value for key, value in unit["profile"].items() if key != "name"}
            depends = sorted(digest(its["index"]) for its in unit["dependencies"])
            what = [unit["pkg_id"], unit["target"], unit["mode"], unit["platform"], unit["features"], profile, depends]
            known[index] = hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()
        return known[index]

    return {digest(index): unit["pkg_id"].split("/")[-1] for index, unit in enumerate(graph)}


def twice(run, test):
    return sorted({name for unit, name in run.items() if unit not in test})


def main():
    test = units(TEST)
    # Without these words, crates are compiled twice: a check that cannot fail is none.
    if not twice(units(RUN), test):
        sys.exit("compiled_once.py: AS_TESTS has become superfluous; delete it, or mend this check")
    if names := twice(units(RUN + as_tests()), test):
        sys.exit(
            f"{len(names)} crates are compiled in `make run` and again in `make test`, since their features differ:\n"
            + "\n".join(f"  {name}" for name in names)
            + "\nGive the dependency the same features in Cargo.toml, or build both with the same words of cargo."
        )


main()
