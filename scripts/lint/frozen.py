#!/usr/bin/env python3
"""Compares the plugin interface with its frozen versions.

A component runs only if its types are exactly those of the server. So what a released version of `sdk/wit/policy.wit` has
stays as it is, and what is added belongs into a new minor version. `frozen/policy-VERSION.wit` is the file of a released
version; a release that adds something puts its own copy there. Comments may change.
"""

import re
import sys
from pathlib import Path

WIT = Path("sdk/wit/policy.wit")
FROZEN = Path(__file__).parent / "frozen"


def read(text):
    """The version of a package as numbers, and its items by interface and name."""
    text = re.sub(r"//[^\n]*", "", text)
    version = re.search(r"package tuffet:policy@(\d+)\.(\d+)\.(\d+)\s*;", text)
    if not version:
        sys.exit("frozen: the package is not tuffet:policy with a released version")
    items = {}
    for interface, body in blocks(text):
        items[interface, ""] = "interface"
        for name, item in parts(body):
            items[interface, name] = " ".join(item.split())
    return tuple(map(int, version.groups())), items


def blocks(text):
    """The interfaces: names, and what is between their braces."""
    for found in re.finditer(r"interface\s+([a-z0-9-]+)\s*\{", text):
        depth, end = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        yield found[1], text[found.end() : end - 1]


def parts(body):
    """The types and functions of an interface, and what it uses of others, each with its name."""
    item = re.compile(
        r"\s*(?:(use)\s+([^;]*);|(?:record|variant|enum|flags|resource)\s+%?([a-z0-9-]+)\s*\{[^}]*\}"
        r"|type\s+%?([a-z0-9-]+)[^;]*;|%?([a-z0-9-]+)\s*:\s*func[^;]*;)"
    )
    at = 0
    while body[at:].strip():
        found = item.match(body, at)
        if not found:
            sys.exit(f"frozen: this is no item of an interface: {body[at:].strip()[:60]!r}")
        if not found[1]:  # What is used shows in the items that use it.
            yield found[3] or found[4] or found[5], found[0]
        at = found.end()


def main():
    version, now = read(WIT.read_text())
    problems = []
    shown = ".".join(map(str, version))
    for path in sorted(FROZEN.glob("policy-*.wit")):
        frozen_version, frozen = read(path.read_text())
        name = ".".join(map(str, frozen_version))
        if version[0] != frozen_version[0]:
            continue
        for place, item in frozen.items():
            where = "/".join(filter(None, place))
            if place not in now:
                problems.append(f"{where} of {name} is gone: components that were built for it need it")
            elif now[place] != item:
                problems.append(f"{where} is not that of {name}: add something else, with another name")
        added = ["/".join(filter(None, place)) for place in now if place not in frozen]
        if added and version[:2] <= frozen_version[:2]:
            problems.append(f"{', '.join(added)}: not in {name}, and this is {shown}: what is added needs a new minor version")
    if not (FROZEN / f"policy-{shown}.wit").is_file():
        problems.append(f"there is no frozen copy of {shown}: cp {WIT} {FROZEN.name}/policy-{shown}.wit in scripts/lint")
    for problem in problems:
        print(f"{WIT}: {problem}", file=sys.stderr)
    sys.exit(bool(problems))


main()
