#!/usr/bin/env python3
"""Layers: no cycle between the top-level modules of a crate, no dependency between crates of the workspace that the table
"Crates" of docs/design/crates.md does not list, and none on the testkit outside of tests."""

import json
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What each crate may depend on.
TABLE = os.path.join("docs", "design", "crates.md")
# The edges of an item that a crate's root defines lead here. The root is no module: everything may use it.
CRATE = "(root)"
# Crates that only tests may depend on.
TEST_ONLY = {"tuffet-testkit"}
# Modules of the SDK use `testing` in place of the host where they are tested natively, and `testing` their types.
CYCLIC = {"tuffet-sdk"}


def code(path):
    """The source without comments."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def heads(text, at):
    """The first names of the paths at a place: one, or those of a group in braces."""
    if not text.startswith("{", at):
        name = re.compile(r"\w+").match(text, at)
        return [name.group()] if name else []
    depth, part, parts = 0, "", []
    for char in text[at:]:
        if char == "{":
            depth += 1
        if char == "}":
            depth -= 1
        if depth == 0 or (depth == 1 and char == ","):
            parts.append(part)
            part = ""
            if depth == 0:
                break
        elif not (depth == 1 and char == "{"):
            part += char
    return [name.group() for name in (re.match(r"\s*(\w+)", part) for part in parts) if name]


def exported(text, modules):
    """What the root of a crate re-exports, by the module that it comes from."""
    known = {}
    for use in re.finditer(r"\buse\s+(?:crate::|self::)?(\w+)::([^;]*);", text):
        if use.group(1) in modules:
            for name in re.findall(r"\w+", use.group(2)):
                known.setdefault(name, use.group(1))
    return known


def edges(source):
    """From each top-level module to those that it names, with a file that does."""
    roots = [os.path.join(source, name) for name in ("lib.rs", "main.rs")]
    text = "".join(code(root) for root in roots if os.path.exists(root))
    modules = set(re.findall(r"\bmod\s+(\w+)\s*[;{]", text))
    known = exported(text, modules)
    found = {}
    for folder, _, files in os.walk(source):
        for name in files:
            path = os.path.join(folder, name)
            parts = os.path.relpath(path, source).removesuffix(".rs").split(os.sep)
            if not name.endswith(".rs") or parts[0] not in modules:
                continue
            # How many `super::` lead from this file to the root of the crate.
            up = len(parts) - (parts[-1] == "mod")
            body = code(path)
            for begin in re.finditer(r"\bcrate::|(?<![\w:])(?:super::)+", body):
                supers = begin.group().count("super")
                inline = inside_tests(body, begin.start())
                if supers and supers != up + inline:
                    continue
                for head in heads(body, begin.end()):
                    target = head if head in modules else known.get(head, CRATE)
                    if target not in (CRATE, parts[0]):
                        found.setdefault(parts[0], {}).setdefault(target, os.path.relpath(path, ROOT))
    return found


def inside_tests(body, at):
    """Whether a place is in the inline module at the end of a file, where paths begin one deeper."""
    begin = re.search(r"^mod \w+ \{", body, flags=re.M)
    return int(bool(begin) and begin.start() < at)


def cycle(graph):
    """A cycle of the graph as a list of modules; nothing where there is none."""
    done, path = set(), []

    def visit(module):
        if module in path:
            return path[path.index(module):] + [module]
        if module in done:
            return None
        path.append(module)
        for other in sorted(graph.get(module, ())):
            found = visit(other)
            if found:
                return found
        path.pop()
        done.add(module)
        return None

    for module in sorted(graph):
        found = visit(module)
        if found:
            return found
    return None


def allowed():
    """The table: what each crate may depend on."""
    with open(os.path.join(ROOT, TABLE), encoding="utf-8") as file:
        section = file.read().split("\n## Crates\n", 1)[1].split("\n## ", 1)[0]
    table = {}
    for row in re.findall(r"^\|(.+)\|(.+)\|(.+)\|$", section, flags=re.M):
        for crate in re.findall(r"`([\w-]+)`", row[0]):
            table[crate] = set(re.findall(r"`([\w-]+)`", row[2]))
    return table


def outside_tests(package):
    """The crates for tests that a package depends on otherwise."""
    return sorted({entry["name"] for entry in package["dependencies"] if entry["kind"] != "dev"} & TEST_ONLY)


def prove():
    """Sees a cycle by each way that a path can take, and none where there is none: a check that cannot fail is none."""
    root = "mod a;\nmod b;\npub use b::Thing;\n"
    there = [
        "use crate::a::Item;",
        "use crate::{a::Item};",
        "use super::super::a::Item;",
        "fn f() -> crate::a::Item {}",
        "mod tests {\n    use super::super::super::a::Item;\n}\n",
    ]
    for back, expected in [(line, True) for line in there] + [("use std::fmt; // crate::a", False)]:
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "b"))
            files = {"lib.rs": root, "a.rs": "use crate::Thing;", "b/mod.rs": "mod deep;", "b/deep.rs": back}
            for name, text in files.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            found = cycle(edges(folder))
            if bool(found) != expected:
                sys.exit(f"layers.py is broken: {back!r} gives {found}")
    for kind, expected in [("dev", []), (None, ["tuffet-testkit"]), ("build", ["tuffet-testkit"])]:
        if outside_tests({"dependencies": [{"name": "tuffet-testkit", "kind": kind}]}) != expected:
            sys.exit(f"layers.py is broken: a dependency of the kind {kind} on the testkit is not judged")


def main():
    prove()
    problems = []
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked", "--offline"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    packages = metadata["packages"]
    names = {package["name"] for package in packages}
    table = allowed()
    for package in sorted(packages, key=lambda package: package["name"]):
        name = package["name"]
        manifest = os.path.relpath(package["manifest_path"], ROOT)
        if name not in table:
            problems.append(f"{manifest}: the table of crates in {TABLE} has no row for `{name}`")
            continue
        for dependency in sorted({entry["name"] for entry in package["dependencies"]} & names):
            if dependency not in table[name]:
                problems.append(f"{manifest}: `{name}` may not depend on `{dependency}` ({TABLE}, Crates)")
        for dependency in outside_tests(package):
            problems.append(f"{manifest}: only the tests of `{name}` may depend on `{dependency}`")
        if name in CYCLIC:
            continue
        source = os.path.join(os.path.dirname(package["manifest_path"]), "src")
        graph = edges(source)
        found = cycle(graph)
        if found:
            steps = [f"{a} -> {b} ({graph[a][b]})" for a, b in zip(found, found[1:])]
            problems.append(f"`{name}` has a cycle of modules: " + ", ".join(steps))
    for gone in sorted(set(table) - names):
        problems.append(f"{TABLE}: there is no crate `{gone}`")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
