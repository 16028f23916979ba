"""Modules that Python loads by itself when they are first needed. A component has no files to load them from, so
they are loaded while it is built."""

import _strptime  # type: ignore[import-not-found]  # noqa: F401  (datetime.strptime, time.strptime)
import codecs

for _name in (
    "ascii",
    "base64",
    "cp1252",
    "hex",
    "idna",
    "iso8859-15",
    "latin-1",
    "punycode",
    "raw-unicode-escape",
    "unicode-escape",
    "utf-16",
    "utf-16-be",
    "utf-16-le",
    "utf-32",
    "utf-8-sig",
):
    codecs.lookup(_name)
