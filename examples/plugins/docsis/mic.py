#!/usr/bin/env python3
"""Checks both message integrity checks of a cable modem's configuration file: mic.py FILE SECRET ("-" is stdin)."""

import hashlib
import hmac
import sys

COVERED = [1, 2, 3, 4, 17, 43, 6, 18, 19, 20, 22, 23, 24, 25, 28, 29, 26, 35, 36, 37, 40]


def elements(file):
    """Type and bytes of each element, before the end marker; what follows that must be padding."""
    at = 0
    while file[at] != 255:
        end = at + 2 + file[at + 1]
        yield file[at], file[at:end]
        at = end
    if len(file) % 4 or any(file[at + 1 :]) or len(file) - at > 4:
        sys.exit("the file is not padded to a multiple of four octets")


def main():
    name, secret = sys.argv[1:]
    with sys.stdin.buffer if name == "-" else open(name, "rb") as source:
        found = list(elements(source.read()))
    body = b"".join(data for kind, data in found if kind not in (6, 7))
    covered = b"".join(data for wanted in COVERED for kind, data in found if kind == wanted)
    mics = {kind: data[2:] for kind, data in found if kind in (6, 7)}
    if mics.get(6) != hashlib.md5(body).digest():
        sys.exit("the CM MIC is wrong")
    if mics.get(7) != hmac.new(secret.encode(), covered, "md5").digest():
        sys.exit("the CMTS MIC is wrong, or made with another secret")
    print(f"good: {len(found)} elements")


if __name__ == "__main__":
    main()
