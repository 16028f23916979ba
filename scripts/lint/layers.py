#!/usr/bin/env python3
"""Layers: no cycle between the top-level modules of a crate, no cycle of more than two files within a crate, no
dependency between crates of the workspace that the table "Crates" of docs/design/crates.md does not list, and none on
the testkit or the guests of the tests outside of tests.

How files are counted. A file imports another one if it names an item that the other defines: in a `use`, or in a path
that begins with `crate`, `self`, `super` or a module of its own. A path through a re-export leads to the file with the
definition. Not counted: `mod` declarations and re-exports themselves; what a file names of the modules above it (a
folder's `mod.rs` and the parts of its `impl` in other files are one thing); tests (`#[cfg(test)]`); method calls, which
name no file. A cycle is a strongly connected component of this graph."""

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
TEST_ONLY = {"tuffet-testkit", "tuffet-test-guests"}
# Modules of the SDK use `testing` in place of the host where they are tested natively, and `testing` their types.
CYCLIC = {"tuffet-sdk"}
MAX_CYCLE = 2


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


NOISE = re.compile(
    r"//[^\n]*|/\*.*?\*/"
    r"|\bb?r(?P<hashes>#*)\".*?\"(?P=hashes)"
    r"|\bb?\"(?:\\.|[^\"\\])*\"|\"(?:\\.|[^\"\\])*\""
    r"|'(?:\\[^\n]*?|[^'\\\n])'",
    flags=re.S,
)
DEFINITION = r"\b(?:struct|enum|union|trait|type|fn|const|static|macro_rules!)\s+"


def bare(text):
    """The source without comments, literals and items behind `#[cfg(test)]`."""
    text = NOISE.sub("_", text)
    while True:
        test = re.search(r"#\[cfg\((?:all\()?test\b[^\]]*\]", text)
        if not test:
            return text
        end, depth = test.end(), 0
        while end < len(text):
            char = text[end]
            end += 1
            depth += (char in "{([") - (char in "})]")
            if depth < 0 or (depth == 0 and char in ";},"):
                break
        text = text[: test.start()] + text[end:]


def leaves(tree):
    """The paths of a `use` with their names here: `a::{b as c, d::*}` gives (a::b, c) and (a::d, *)."""
    head, brace, _ = tree.partition("{")
    prefix = [part.strip() for part in head.split("::")]
    if not brace:
        *path, last = prefix
        last, _, alias = re.sub(r"\s+", " ", last).partition(" as ")
        if last == "*":
            return [(path, "*")]
        return [(path, alias)] if last == "self" else [(path + [last], alias or last)] if last else []
    found, depth, begin = [], 0, len(head) + 1
    for at in range(len(head), len(tree)):
        depth += (tree[at] == "{") - (tree[at] == "}")
        if (depth, tree[at]) in ((1, ","), (0, "}")):
            found += [(prefix[:-1] + path, name or prefix[-2]) for path, name in leaves(tree[begin:at])]
            begin = at + 1
    return found


class Module:
    """A module with a file of its own."""

    def __init__(self, file, above):
        self.file = file
        self.above = above
        with open(file, encoding="utf-8") as source:
            self.text = bare(source.read())
        folder, name = os.path.split(file)
        if above and name != "mod.rs":
            folder = file.removesuffix(".rs")
        self.below = {}
        for child in re.findall(r"\bmod\s+(\w+)\s*;", self.text):
            for path in (f"{folder}/{child}.rs", f"{folder}/{child}/mod.rs"):
                if os.path.exists(path):
                    self.below[child] = Module(path, self)
        self.uses = []
        for use in re.finditer(r"(\bpub(?:\([^)]*\))?\s+)?\buse\s+([^;]+);", self.text):
            inner = self.inline(use.start())
            self.uses += [(path, name, bool(use.group(1)), inner) for path, name in leaves(use.group(2))]

    def inline(self, at):
        """How many inline modules enclose a place of the file."""
        depth, opened = 0, []
        for mark in re.finditer(r"\bmod\s+\w+\s*\{|[{}]", self.text[:at]):
            if mark.group() == "}":
                depth -= 1
                opened = [level for level in opened if level < depth]
            else:
                opened += [depth] if mark.group().startswith("mod") else []
                depth += 1
        return len(opened)

    def all(self):
        """This module and those below it."""
        return [self] + [module for child in self.below.values() for module in child.all()]

    def root(self):
        return self.above.root() if self.above else self

    def find(self, path, inner=0, seen=()):
        """The module with the definition that a path of this file leads to; nothing if that is another crate's."""
        if not path or (self, tuple(path)) in seen:
            return None
        seen += ((self, tuple(path)),)
        head, *rest = path
        if head == "crate":
            return self.root().inside(rest, seen)
        if head not in ("self", "super"):
            return self.inside(path, seen) if head in self.below else None
        module = self
        while path and path[0] in ("self", "super"):
            if path[0] == "super" and inner:
                inner -= 1
            elif path[0] == "super":
                module = module and module.above
            path = path[1:]
        return module and module.inside(path, seen)

    def inside(self, path, seen):
        """As `find`, for a path below this module."""
        if not path:
            return self
        head, *rest = path
        if head in self.below:
            return self.below[head].inside(rest, seen)
        for target, name, _, inner in self.uses:
            if name == head:
                return self.find(target + rest, inner, seen)
        if not re.search(DEFINITION + head + r"\b", self.text):
            for target, name, _, inner in self.uses:
                module = self.find(target, inner, seen) if name == "*" else None
                if module and module is not self:
                    found = module.inside(path, seen)
                    if found and re.search(DEFINITION + head + r"\b", found.text):
                        return found
        return self

    def imports(self):
        """The modules that this one imports, as the head of this program says."""
        paths = [(path, inner) for path, _, exported, inner in self.uses if not exported]
        heads = "|".join(["crate", "self", "super", *self.below])
        body = re.sub(r"\buse\s+[^;]+;", lambda use: " " * len(use.group()), self.text)
        for begin in re.finditer(rf"(?<![\w:$])(?:{heads})(?:::\w+)+", body):
            paths.append((begin.group().split("::"), self.inline(begin.start())))
        above, module = [self], self.above
        while module:
            above.append(module)
            module = module.above
        found = {self.find(path, inner) for path, inner in paths}
        return {module for module in found if module and module not in above}


def cycles_of_files(source):
    """The cycles of more than MAX_CYCLE files below a folder `src`, each as a list of files with those that they import."""
    cycles = []
    for name in ("lib.rs", "main.rs"):
        file = os.path.join(source, name)
        if os.path.exists(file):
            modules = Module(file, None).all()
            graph = {module: module.imports() for module in modules}
            for group in components(graph):
                if len(group) > MAX_CYCLE:
                    lines = []
                    for module in sorted(group, key=lambda module: module.file):
                        others = sorted(os.path.relpath(other.file, source) for other in graph[module] & group)
                        lines.append(f"{os.path.relpath(module.file, source)} -> {' '.join(others)}")
                    cycles.append(lines)
    return cycles


def components(graph):
    """The strongly connected components of a graph (Tarjan)."""
    number, low, path, found = {}, {}, [], []

    def visit(node):
        number[node] = low[node] = len(number)
        path.append(node)
        for other in graph[node]:
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in path:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            at = path.index(node)
            found.append(set(path[at:]))
            del path[at:]

    for node in graph:
        if node not in number:
            visit(node)
    return found


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
                sys.exit(f"check-layers.py is broken: {back!r} gives {found}")
    prove_files()
    for kind, expected in [("dev", []), (None, ["tuffet-testkit"]), ("build", ["tuffet-testkit"])]:
        if outside_tests({"dependencies": [{"name": "tuffet-testkit", "kind": kind}]}) != expected:
            sys.exit(f"layers.py is broken: a dependency of the kind {kind} on the testkit is not judged")


def prove_files():
    """As `prove`, for cycles of files: `a/mod.rs` -> `b.rs` -> `c.rs`, and what leads from `c.rs` back to `a`."""
    others = {
        "lib.rs": "mod a;\nmod b;\nmod c;\npub use a::deep::{self as below, Thing};\n",
        "a/mod.rs": "pub mod deep;\nuse crate::b::Item;\npub use deep::Thing as Other;\nstruct Own;",
        "a/deep.rs": "use super::Own;\nuse crate::b::Item;\npub struct Thing;",
        "b.rs": "pub struct Item;\nfn f() -> super::c::Part { let url = \"http://x\"; }",
    }
    for back, expected in [
        ("use crate::{a::{Own, Other}};", True),
        ("use super::Thing;", True),
        ("use crate::a::Other as Name;", True),
        ("fn f() -> crate::below::Thing {}", True),
        ("mod inner {\n    use super::super::a::*;\n}", True),
        ("pub use crate::a::Own;", False),
        ("#[cfg(test)]\nmod tests {\n    use crate::a::Own;\n}", False),
        ("// crate::a::Own\nconst A: &str = \"crate::a::Own\";", False),
        ("use std::a::Own;", False),
    ]:
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(os.path.join(folder, "a"))
            for name, text in {**others, "c.rs": f"pub struct Part;\n{back}\n"}.items():
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            found = cycles_of_files(folder)
            if bool(found) != expected:
                sys.exit(f"check-layers.py is broken: {back!r} gives the cycles {found}")


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
        for lines in cycles_of_files(source):
            problems.append(f"`{name}` has a cycle of {len(lines)} files:\n    " + "\n    ".join(lines))
    for gone in sorted(set(table) - names):
        problems.append(f"{TABLE}: there is no crate `{gone}`")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
