#!/usr/bin/env python3
"""The crates that would be published: those without `publish = false`.

    published.py          lists them
    published.py needs CRATE
                          lists those that CRATE needs, with it
    published.py check    what crates.io and readers of it need: metadata, a license, a README with the Rust version, dependencies
                          with this version, and none of them on a crate that is not published"""

import json
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def problems(package, published):
    """What is missing, or would not work outside of the workspace."""
    for key in ("description", "license", "keywords", "categories", "rust_version"):
        if not package[key]:
            yield f"has no {key.replace('_', '-')}"
    if not pathlib.Path(package["manifest_path"]).with_name("LICENSE").exists():
        yield "has no LICENSE: link to that of the repository"
    readme = pathlib.Path(package["manifest_path"]).with_name("README.md")
    sentence = f"needs Rust {package['rust_version']}; a minor version may raise that."
    if not readme.exists():
        yield "has no README.md"
    elif sentence not in readme.read_text(encoding="utf-8"):
        yield f"has a README.md without the words `{sentence}`"
    for dependency in package["dependencies"]:
        name, requirement = dependency["name"], dependency["req"]
        # Cargo leaves a dependency of tests by its path alone out of the package.
        if "path" not in dependency or (dependency["kind"] == "dev" and requirement == "*"):
            continue
        if name in published and requirement != f"={package['version']}":
            yield f"depends on {name} {requirement}: write `version = \"={package['version']}\"` beside its path"
        if name not in published:
            yield f"depends on {name}, which is not published: only tests may, by its path alone"


def needs(package, packages):
    """The names of the crates of this workspace that a crate depends on, also where a feature or its package's tests ask for
    them, and its own."""
    found, left = set(), [package]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            # By its path alone: cargo leaves it out of the package.
            packed = (its for its in packages[name]["dependencies"] if its["kind"] != "dev" or its["req"] != "*")
            left += [its["name"] for its in packed if "path" in its]
    return found


def main(arguments):
    named = len(arguments) == 2 and arguments[0] == "needs"
    if arguments not in ([], ["check"]) and not named:
        print(__doc__, file=sys.stderr)
        return 64
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked", "--offline"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    packages = [package for package in metadata["packages"] if package["publish"] is None]
    names = {package["name"] for package in packages}
    if named:
        if arguments[1] not in names:
            print(f"published.py: {arguments[1]} is not published", file=sys.stderr)
            return 64
        print("\n".join(sorted(needs(arguments[1], {package["name"]: package for package in packages}))))
        return 0
    if not arguments:
        print("\n".join(sorted(names)))
        return 0
    wrong = [f"{package['name']} {problem}" for package in packages for problem in problems(package, names)]
    for line in wrong:
        print(f"published: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
