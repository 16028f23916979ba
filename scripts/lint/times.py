#!/usr/bin/env python3
"""Times that pages promise: each row of the table in docs/design/bounds.md names a page, words in it with a number, and the
constants of the code that carry it. The page must have these words, and each constant one of their numbers."""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/design/bounds.md"
UNITS = {"ms": 0.001, "s": 1, "second": 1, "minute": 60, "hour": 3600, "day": 86400}
WORDS = {"a": 1, "an": 1, "each": 1, "half a": 0.5, "two": 2, "five": 5, "seven": 7, "ten": 10}
NUMBER = re.compile(rf"(\d[\d.,]*|\b(?:{'|'.join(sorted(WORDS, key=len, reverse=True))})) ?(ms|s|second|minute|hour|day)s?\b")
RANGE = re.compile(r"(\d+) to (\d+) (second|minute)s")
ROW = re.compile(r"^\| \[[^]]+\]\(([^)#]+)\) \| (.+?) \| (`[^|]+) \| .+ \|$")
CONSTANT = re.compile(r"`([^`]+\.rs)`: ((?:`\w+`(?: \(\w+\))?(?:, )?)+)")
INTEGERS = {"microseconds": 1e-6, "minutes": 60, "seconds": 1}


def numbers(words):
    """The times in a phrase, in seconds."""
    found = [float(text.replace(",", "")) * UNITS[unit] if text[0].isdigit() else WORDS[text] * UNITS[unit]
             for text, unit in NUMBER.findall(words)]
    for least, most, unit in RANGE.findall(words):
        found += [float(least) * UNITS[unit], float(most) * UNITS[unit]]
    return found


def value(code, name, unit):
    """The value of a constant or a default, in seconds; None if the code has none of this name."""
    if unit:
        match = re.search(rf"\b{name}: u\d+ = ([\d_ *]+);", code)
        scale = INTEGERS[unit]
    else:
        match = re.search(rf"\b{name}: [^;=]*?=? ?[^;=]*?Duration::from_(secs|millis)\(([\d_ *]+)\)", code)
        scale = match and {"secs": 1, "millis": 0.001}[match[1]]
    if not match:
        return None
    product = 1
    for factor in match[match.lastindex].replace("_", "").split("*"):
        product *= int(factor)
    return product * scale


def problems():
    rows = [match for line in PAGE.read_text().splitlines() if (match := ROW.match(line))]
    if not rows:
        yield f"{PAGE.relative_to(ROOT)}: no row of times is understood"
    for page, words, constants in (match.groups() for match in rows):
        text = (PAGE.parent / page).resolve().read_text()
        where = f"{PAGE.relative_to(ROOT)}: {words}"
        if words not in text:
            yield f"{where}: {page} does not have these words"
        for file, names in CONSTANT.findall(constants):
            code = (ROOT / file).read_text()
            for name, unit in re.findall(r"`(\w+)`(?: \((\w+)\))?", names):
                its = value(code, name, unit)
                if its is None:
                    yield f"{where}: {file} has no time {name}"
                elif not any(abs(its - number) < 1e-9 for number in numbers(words)):
                    yield f"{where}: {name} in {file} is {its:g} s"


found = list(problems())
print("\n".join(found), file=sys.stderr, end="\n" if found else "")
sys.exit(bool(found))
