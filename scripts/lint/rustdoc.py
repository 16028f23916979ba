#!/usr/bin/env python3
"""No link in the documentation of a published crate leads nowhere, whatever the features.

rustdoc documents each crate without features, with each feature alone, and with all: a link from what a feature adds to
what another one adds is broken with the first one alone. Its own warnings are errors. Links that it takes as they are, as
those of the guides, are followed in what it wrote.

Cargo calls this program instead of rustdoc, for the whole workspace, so that the dependencies are those that clippy and
the tests have compiled."""

import html.parser
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Tells the program that cargo calls it: what follows is a folder, and the features of each crate.
CALLED = "TUFFET_RUSTDOC"


def closed(features, chosen):
    """The features that these switch on in their crate."""
    found, left = set(), list(chosen)
    while left:
        name = left.pop()
        if name in features and name not in found:
            found.add(name)
            left += features[name]
    return found


def sets(features):
    """The sets of features to document, by name."""
    names = sorted(name for name in features if name != "default")
    all_sets = {"none": set()} | {name: closed(features, [name]) for name in names} | {"all": set(names)}
    unique = {}
    for name, chosen in all_sets.items():
        if chosen not in unique.values():
            unique[name] = chosen
    return unique


def rustdoc(arguments):
    """Runs it, with the descriptors of cargo, which say how much may run at once."""
    return subprocess.run(["rustdoc", *arguments], check=False, close_fds=False).returncode


def document(arguments, folder, crates):
    """What cargo calls: documents a crate with each set of features that it was compiled with."""
    name = arguments[arguments.index("--crate-name") + 1] if "--crate-name" in arguments else None
    if name is None:
        # The version, and what it knows of targets.
        return rustdoc(arguments)
    if name not in crates:
        return 0
    compiled, rest, words = set(), [], iter(arguments)
    for word in words:
        if word == "--cfg":
            value = next(words)
            if value.startswith('feature="'):
                compiled.add(value.removeprefix('feature="').removesuffix('"'))
            else:
                rest += [word, value]
        elif word in ("-o", "--out-dir"):
            next(words)
        else:
            rest.append(word)
    failed = 0
    for set_name, chosen in sets(crates[name]).items():
        # Without its dependencies, a feature cannot be documented.
        if chosen <= compiled:
            features = [word for feature in sorted(chosen) for word in ("--cfg", f'feature="{feature}"')]
            out = pathlib.Path(folder) / name / set_name
            if rustdoc([*rest, *features, "-D", "warnings", "--out-dir", out]) != 0:
                print(f"rustdoc: {name} with the features `{set_name}`", file=sys.stderr)
                failed = 1
    return failed


class Page(html.parser.HTMLParser):
    """The links and anchors of a page."""

    def __init__(self, path):
        super().__init__()
        self.links, self.anchors = [], set()
        # What other crates say of what they implement for every type has their links.
        self.is_foreign = False
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        if "id" in values:
            self.anchors.add(values["id"])
            self.is_foreign |= values["id"] == "blanket-implementations"
        if tag == "a" and values.get("href") and not self.is_foreign:
            self.links.append(values["href"])


def broken(folder):
    """The links of the pages in a folder that lead nowhere."""
    pages = {}

    def page(path):
        if path not in pages:
            pages[path] = Page(path)
        return pages[path]

    # Those of every documentation, which expect one of several crates.
    common = {folder / "help.html", folder / "settings.html"}
    for path in sorted(set(folder.rglob("*.html")) - common):
        for link in page(path).links:
            url = urllib.parse.urlsplit(link)
            # An item of a crate that is documented elsewhere: rustdoc itself has found it.
            if url.scheme or url.netloc or "::" in link:
                continue
            target = (path.parent / urllib.parse.unquote(url.path)).resolve() if url.path else path
            shown = f"{path.relative_to(folder)}: {link}"
            if not target.is_file():
                yield f"{shown} is not there"
            # Pages of source have no anchors for ranges of lines.
            elif url.fragment and target.suffix == ".html" and not target.is_relative_to(folder / "src"):
                if not {url.fragment, urllib.parse.unquote(url.fragment)} & page(target).anchors:
                    yield f"{shown} names no heading"


def main():
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target").resolve() / "rustdoc"
    command = ["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked", "--offline"]
    metadata = json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
    crates = {}
    for package in metadata["packages"]:
        library = [its for its in package["targets"] if "lib" in its["kind"]]
        if package["publish"] is None and library:
            crates[library[0]["name"]] = package["features"]
    shutil.rmtree(target, ignore_errors=True)
    called = json.dumps([str(target), crates])
    environment = os.environ | {
        "RUSTDOC": str(pathlib.Path(__file__).resolve()),
        CALLED: called,
        # Flags of each run, so that cargo takes nothing for done.
        "RUSTDOCFLAGS": f"{os.environ.get('RUSTDOCFLAGS', '')} --cfg=links_checked_{time.time_ns()}",
    }
    cargo = os.environ.get("CARGO", "cargo")
    command = [cargo, "doc", "--locked", "--quiet", "--no-deps", "--workspace", "--lib", "--examples", "--keep-going"]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False)
    wrong = [line for crate in sorted(crates) for out in sorted((target / crate).glob("*")) for line in broken(out)]
    for line in sorted(set(wrong)):
        print(f"rustdoc: {line}", file=sys.stderr)
    if wrong or done.returncode:
        return 1
    shutil.rmtree(target, ignore_errors=True)
    return 0


if __name__ == "__main__":
    if CALLED in os.environ:
        sys.exit(document(sys.argv[1:], *json.loads(os.environ[CALLED])))
    sys.exit(main())
