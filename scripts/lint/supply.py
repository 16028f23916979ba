#!/usr/bin/env python3
"""What Tuffet is made of, from Cargo.lock and cargo's own metadata.

    supply.py check         sources, checksums, licences, and the line of wasmtime
    supply.py sbom FILE [TRIPLE]...
                            the same as a CycloneDX 1.5 document: what is in the binary, and what built it, for one or
                            several targets

The licences that are allowed stand in deny.toml, which cargo-deny reads too (`make deny`)."""

import json
import pathlib
import re
import subprocess
import sys
import tomllib
import uuid

ROOT = pathlib.Path(__file__).resolve().parents[2]
CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"
# The server and the plugins that are embedded in it.
SHIPPED = ["tuffet-cli", "tuffet-acl", "tuffet-ask", "tuffet-audit", "tuffet-mac-map", "tuffet-publish", "tuffet-remap",
           "tuffet-template"]
WASMTIME = "48."
TRIPLE = "x86_64-unknown-linux-gnu"


def main(arguments):
    triples = arguments[2:] or [TRIPLE]
    platforms = [word for triple in triples for word in ("--filter-platform", triple)]
    metadata = json.loads(cargo("metadata", "--locked", "--format-version", "1", *platforms))
    locked = tomllib.loads((ROOT / "Cargo.lock").read_text())["package"]
    if arguments == ["check"]:
        wrong = judge(metadata, locked, tomllib.loads((ROOT / "deny.toml").read_text()))
        wrong += unsound(sbom(metadata, locked, triples))
        for line in wrong:
            print(f"supply: {line}", file=sys.stderr)
        return 1 if wrong else 0
    if len(arguments) >= 2 and arguments[0] == "sbom":
        document = sbom(metadata, locked, triples)
        wrong = unsound(document)
        if wrong:
            print("\n".join(wrong), file=sys.stderr)
            return 1
        path = pathlib.Path(arguments[1])
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(document, indent=1) + "\n")
        print(f"{path}: {len(document['components'])} components")
        return 0
    print(__doc__, file=sys.stderr)
    return 64


def cargo(*arguments):
    return subprocess.run(["cargo", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


def judge(metadata, locked, deny):
    """What must not be."""
    allowed = set(deny["licenses"]["allow"])
    used, wrong = set(), []
    for package in locked:
        name = f"{package['name']} {package['version']}"
        source = package.get("source")
        if source is not None and source != CRATES_IO:
            wrong.append(f"{name} comes from {source}: only crates.io is allowed")
        if source == CRATES_IO and not re.fullmatch(r"[0-9a-f]{64}", package.get("checksum", "")):
            wrong.append(f"{name} has no checksum in Cargo.lock")
        if package["name"] in ("wasmtime", "wasmtime-wasi", "wasmtime-wasi-http") and not package["version"].startswith(WASMTIME):
            wrong.append(f"{name} is not on the LTS line {WASMTIME}*: docs/supply-chain.md says how that changes")
    resolved = {node["id"] for node in metadata["resolve"]["nodes"]}
    for package in metadata["packages"]:
        if package["id"] not in resolved:
            continue
        name = f"{package['name']} {package['version']}"
        if not package["license"]:
            wrong.append(f"{name} names no licence")
            continue
        taken = satisfied(package["license"], allowed)
        if taken is None:
            wrong.append(f"{name} is under {package['license']}, of which deny.toml allows not enough")
        else:
            used |= taken
    for licence in sorted(allowed - used):
        wrong.append(f"deny.toml allows {licence}, which nothing needs: remove it")
    return wrong


def satisfied(expression, allowed):
    """The licences of an SPDX expression that are relied on, those named first in the list of what is allowed; or
    None where what is allowed does not do."""
    tokens = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))

    def either():
        found = both()
        while tokens and tokens[0] == "OR":
            tokens.pop(0)
            other = both()
            found = min((one for one in (found, other) if one is not None), key=rank, default=None)
        return found

    def both():
        found = one()
        while tokens and tokens[0] == "AND":
            tokens.pop(0)
            other = one()
            found = None if found is None or other is None else found | other
        return found

    def one():
        token = tokens.pop(0)
        if token == "(":
            found = either()
            tokens.pop(0)
            return found
        if tokens and tokens[0] == "WITH":
            tokens.pop(0)
            token = f"{token} WITH {tokens.pop(0)}"
        return {token} if token in allowed else None

    def rank(licences):
        return (len(licences - {"MIT", "Apache-2.0"}), len(licences))

    return either()


def sbom(metadata, locked, triples):
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    checksums = {(package["name"], package["version"]): package.get("checksum") for package in locked}
    members = set(metadata["workspace_members"])
    roots = [id for name in SHIPPED for id in members if packages[id]["name"] == name]
    linked = reach(roots, nodes, lambda dep: any(kind["kind"] is None for kind in dep["dep_kinds"])
                   and not is_macro(packages[dep["pkg"]]))
    built = reach(roots, nodes, lambda dep: any(kind["kind"] != "dev" for kind in dep["dep_kinds"]))
    server = next(packages[id] for id in roots if packages[id]["name"] == "tuffet-cli")
    # The same sources give the same document.
    serial = uuid.uuid5(uuid.NAMESPACE_URL, (ROOT / "Cargo.lock").read_text() + server["version"] + " ".join(triples))
    components = []
    for id in sorted(built - {server["id"]}, key=lambda id: (packages[id]["name"], packages[id]["version"])):
        package = packages[id]
        component = {
            "type": "library",
            "bom-ref": purl(package),
            "name": package["name"],
            "version": package["version"],
            "purl": purl(package),
            "scope": "required" if id in linked else "excluded",
            "licenses": [{"expression": package["license"].replace(" / ", " OR ").replace("/", " OR ")}],
        }
        if package["description"]:
            component["description"] = " ".join(package["description"].split())
        checksum = checksums.get((package["name"], package["version"]))
        if checksum:
            component["hashes"] = [{"alg": "SHA-256", "content": checksum}]
        if package["repository"]:
            component["externalReferences"] = [{"type": "vcs", "url": package["repository"]}]
        components.append(component)
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "serialNumber": f"urn:uuid:{serial}",
        "version": 1,
        "metadata": {
            "component": {
                "type": "application",
                "bom-ref": purl(server),
                "name": "tuffet",
                "version": server["version"],
                "purl": purl(server),
                "licenses": [{"expression": server["license"]}],
            },
            "properties": [{"name": "tuffet:target", "value": triple} for triple in triples],
        },
        "components": components,
        "dependencies": [
            {
                "ref": purl(packages[id]),
                # The plugins are embedded by the build script.
                "dependsOn": sorted({purl(packages[dep["pkg"]]) for dep in nodes[id]["deps"]
                                     if dep["pkg"] in built and any(kind["kind"] != "dev" for kind in dep["dep_kinds"])}
                                    | ({purl(packages[root]) for root in roots if root != id}
                                       if id == server["id"] else set())),
            }
            for id in sorted(built, key=lambda id: purl(packages[id]))
        ],
    }


def reach(roots, nodes, follow):
    reached, waiting = set(), list(roots)
    while waiting:
        id = waiting.pop()
        if id not in reached:
            reached.add(id)
            waiting += [dep["pkg"] for dep in nodes[id]["deps"] if follow(dep)]
    return reached


def is_macro(package):
    return any("proc-macro" in target["kind"] for target in package["targets"])


def purl(package):
    # Versions may have a `+`, which stands for a space unless it is escaped.
    return f"pkg:cargo/{package['name']}@{package['version'].replace('+', '%2B')}"


def unsound(document):
    """What is wrong with a document, by the schema of CycloneDX 1.5 as far as it is used here."""
    wrong = []
    everything = [document["metadata"]["component"], *document["components"]]
    refs = [component["bom-ref"] for component in everything]
    if len(refs) != len(set(refs)):
        wrong.append("sbom: a bom-ref stands twice")
    if not re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", document["serialNumber"]):
        wrong.append("sbom: the serial number is none")
    for component in everything:
        if not re.fullmatch(r"pkg:cargo/[A-Za-z0-9_-]+@[A-Za-z0-9.%_-]+", component["purl"]):
            wrong.append(f"sbom: {component['purl']} is no package URL")
        if "/" in component["licenses"][0]["expression"]:
            wrong.append(f"sbom: {component['name']}: {component['licenses'][0]['expression']} is no SPDX expression")
        own = component["name"].startswith("tuffet")
        if not own and not component.get("hashes"):
            wrong.append(f"sbom: {component['name']} has no checksum")
    listed = {dependency["ref"] for dependency in document["dependencies"]}
    if listed != set(refs):
        wrong.append("sbom: components and dependencies are not the same")
    for dependency in document["dependencies"]:
        for ref in dependency["dependsOn"]:
            if ref not in listed:
                wrong.append(f"sbom: {dependency['ref']} depends on {ref}, which is not there")
    for name in ("wasmtime", "tuffet-core", "tuffet-acl", "rustls"):
        if not any(component["name"] == name and component["scope"] == "required" for component in document["components"]):
            wrong.append(f"sbom: {name} is not in it")
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
