#!/usr/bin/env python3
"""Make targets: at most 20, each with a line for `make help`; and no document or comment names a target, a suite or a
script that does not exist. Results of benchmarks are left out: they record what was run at their revision."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST = 20
WHEN = {"default", "ci", "verify", "by name"}
SET = r"(?:[A-Z0-9_]+=(?:'[^']*'|\S+) +)*"
# In a code span of any file, in a block of commands of a page, and anywhere: what can be nothing else.
SPAN = re.compile(rf"`(?:sudo +)?{SET}make +({SET}[a-z][^`]*)`")
BLOCK = re.compile(rf"^ *(?:sudo +)?{SET}make +({SET}[a-z].*)$", re.M)
PLAIN = re.compile(r"\bmake +((?:test|bench|check|fuzz|soak|static)-[a-z0-9-]+|(?:test|bench) +SUITE=[a-z0-9-]+)")
SCRIPT = re.compile(r"(?<![\w/.-])(?:scripts|host/tests/suites)/[\w./-]+\.(?:sh|py|txt)\b")


def suites(text):
    """By kind, from each suite of the table to its lines as (key, value)."""
    found = {"test": {}, "bench": {}}
    for paragraph in re.split(r"\n\n+", text):
        lines = [line for line in paragraph.splitlines() if line and not line.startswith("#")]
        if lines:
            kind, name = lines[0].split()
            found[kind][name] = [tuple(line.split(maxsplit=1)) for line in lines[1:]]
    return found


def unsound(table):
    """Problems of the table itself."""
    for kind, entries in table.items():
        for name, lines in entries.items():
            values = {}
            for key, value in lines:
                values.setdefault(key, []).append(value)
            if unknown := set(values) - {"when", "about", "needs", "tools", "run"}:
                yield f"the suite {name} has the unknown keys {unknown}"
            if len(values.get("about", [])) != 1 or not values.get("run"):
                yield f"the suite {name} needs one line `about`, and `run`"
            if len(values.get("when", [])) != 1 or values["when"][0] not in WHEN:
                yield f"the suite {name} needs one line `when`, of {', '.join(sorted(WHEN))}"
            for word in " ".join(values.get("needs", [])).split():
                if word.startswith("@") and word[1:] not in entries:
                    yield f"the suite {name} needs {word}, which is no suite of make {kind}"


def wrong(command, targets, table):
    """What is wrong with the words after `make`, if anything."""
    words = re.findall(r"[^\s=']+(?:=(?:'[^']*'|[^\s;]*))?", re.split(r" # |&&|;|\|", command)[0])
    target = next((word.rstrip("\\") for word in words if "=" not in word and not word.startswith("-")), "")
    if target not in targets:
        return f"there is no target {target}"
    for word in words:
        if not word.startswith("SUITE="):
            continue
        if target not in table:
            return f"make {target} has no suites"
        for name in word.removeprefix("SUITE=").strip("'").split():
            if re.fullmatch(r"[a-z0-9-]+", name) and name not in table[target] and name != "list":
                return f"make {target} has no suite {name}"
    return None


def mentions(text, page):
    """The words after `make` wherever a text names a command."""
    # A comment may break a span into two lines.
    joined = re.sub(r"\n[ \t]*(?://[/!]?|#)?[ \t]*", " ", text)
    yield from SPAN.findall(joined)
    yield from PLAIN.findall(joined)
    if page:
        for block in re.findall(r"^```[a-z]*\n(.*?)^```", text, re.M | re.S):
            yield from BLOCK.findall(block)


def prove(targets, table):
    """Sees each kind of mistake, and none where there is none: a check that cannot fail is none."""
    for text, expected in [
        ("`make test`, `sudo make install`, `K6=soak make bench SUITE=k6`, `make test SUITE=boot ARGS='--case grub'`", 0),
        ("```sh\nmake build && cargo build\nmake test SUITE='it unit'  # two\n```\nTo make up `x` and make sure `y`", 0),
        ("`make nothing`", 1),
        ("`make\n//! nothing`", 1),
        ("make test-boot runs it", 1),
        ("make test SUITE=nothing runs it", 1),
        ("`make test SUITE='it nothing'`", 1),
        ("`make lint SUITE=it`", 1),
        ("```sh\nmake nothing # x\n```", 1),
    ]:
        found = {mention for mention in mentions(text, True) if wrong(mention, targets, table)}
        if len(found) != expected:
            sys.exit(f"targets.py is broken: {text!r} gives {found}")


def main():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z][\w-]*):(?!=)", makefile, re.M))
    explained = set(re.findall(r"^([a-z][\w-]*):.*## ", makefile, re.M))
    table = suites((ROOT / "scripts/suites.txt").read_text(encoding="utf-8"))
    prove(targets, table)
    problems = list(unsound(table))
    if len(targets) > MOST:
        problems.append(f"Makefile: {len(targets)} targets, and {MOST} are allowed: make it a suite")
    problems += [f"Makefile: {target} has no line for `make help`" for target in sorted(targets - explained)]
    files = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True)
    for name in files.stdout.decode().split("\0"):
        path = ROOT / name
        if name.startswith("bench/results/") or name == "scripts/lint/targets.py" or not path.is_file():
            continue
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue
        for mention in sorted(set(mentions(text, name.endswith(".md")))):
            if problem := wrong(mention, targets, table):
                problems.append(f"{name}: `make {mention}`: {problem}")
        for script in sorted(set(SCRIPT.findall(text))):
            if not (ROOT / script).exists() and not (path.parent / script).exists():
                problems.append(f"{name}: there is no {script}")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
