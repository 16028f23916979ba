#!/usr/bin/env python3
"""What `make run` compiles is compiled once: not again in `make test`, nor for programs and again for macros.

Cargo compiles a crate once for each choice of features, of its own and of what it depends on. Tests choose more than
programs do, macros and build scripts less. This compares the units of the commands, without compiling anything.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CARGO = os.environ.get("CARGO", "cargo").split()

# As scripts/build.sh and scripts/suite.sh call cargo.
RUN = ["build", "--locked", "--workspace", "--bin", "tuffet"]
TEST = ["test", "--locked", "--workspace", "--exclude", "tuffet-fleet"]

# What a build script of cranelift needs of its interpreter, which takes a second; the rest takes seven.
TWICE = {"cranelift-bitset", "pulley-interpreter", "wasmtime-internal-core"}


def as_tests():
    """The words of scripts/lib.sh for a build with the features of tests."""
    for line in (ROOT / "scripts/lib.sh").read_text(encoding="utf-8").splitlines():
        if line.startswith("AS_TESTS="):
            return line.removeprefix("AS_TESTS=").strip("'\"").split()
    sys.exit("compiled_once.py: scripts/lib.sh has no AS_TESTS")


def units(words):
    """What cargo would compile: a digest for each unit, with its package and its target."""
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

    named = {digest(index): unit for index, unit in enumerate(graph)}
    return {
        its: (unit["pkg_id"], unit["target"]["name"], unit["mode"])
        for its, unit in named.items()
    }


def name(package):
    """The name in a package's identifier, such as `path+file:///folder/core#tuffet-core@0.2.0`."""
    return re.split("[/#]", package)[-1].split("@")[0]


def again(run, test):
    """The packages that `run` compiles and `test` compiles again."""
    return sorted({name(package) for unit, (package, *_) in run.items() if unit not in test})


def twice(run):
    """The packages of which `run` compiles one target twice."""
    count = Counter(its for its in run.values() if its[2] == "build" and its[1] != "build-script-build")
    return {name(package) for (package, *_), units in count.items() if units > 1}


def fail(names, what):
    lines = "\n".join(f"  {its}" for its in names)
    sys.exit(f"{what}:\n{lines}\nGive them the same features, in Cargo.toml or in scripts/features/Cargo.toml.")


def main():
    test = units(TEST)
    # Without these words, crates are compiled again: a check that cannot fail is none.
    if not again(units(RUN), test):
        sys.exit("compiled_once.py: AS_TESTS has become superfluous; delete it, or mend this check")
    run = units(RUN + as_tests())
    if names := again(run, test):
        fail(names, "`make run` compiles these, and `make test` compiles them again, since their features differ")
    if names := sorted(twice(run) - TWICE):
        fail(names, "`make run` compiles these for programs and again for macros, since their features differ")
    if superfluous := TWICE - twice(run):
        sys.exit(f"compiled_once.py: {', '.join(superfluous)}: compiled once; delete it from TWICE")


main()
