#!/usr/bin/env python3
"""Addresses move between two servers under 200 clients, in network namespaces, and what that costs is counted.

    host/tests/suites/addresses/run.py FOLDER_OF_THE_BINARIES [--case NAME]... [--verbose]

keepalived moves an address on a link, bird announces one by BGP behind a router that hashes (ECMP), and nftables
rewrites one as kube-proxy does. Ends with status 1 where more is lost than the case allows, or bytes are wrong. Needs
root, keepalived, bird2, nftables, conntrack, curl and atftp; says what it skips.
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time
from pathlib import Path

import routed, vrrp
from network import call
from parts import CLIENTS, SIZE, Failure

CASES = {
    "vrrp-crash": (vrrp.crash, ["keepalived"]),
    "vrrp-plain": (vrrp.plain, ["keepalived"]),
    "vrrp-planned": (vrrp.planned, ["keepalived"]),
    "anycast-crash": (routed.anycast_crash, ["bird", "nft"]),
    "anycast-withdrawn-first": (routed.anycast_first, ["bird"]),
    "anycast-withdrawn-last": (routed.anycast_last, ["bird"]),
    "anycast-joins": (routed.anycast_joins, ["bird"]),
    "kube-proxy-flows-kept": (routed.flows_kept, ["nft", "conntrack"]),
    "kube-proxy-flows-forgotten": (routed.flows_forgotten, ["nft", "conntrack"]),
    "kube-proxy-pod-killed": (routed.pod_killed, ["nft", "conntrack"]),
}


def skip(why: str) -> None:
    print(f"skipped: {why}")
    if listed := os.environ.get("TUFFET_SKIPPED"):
        with open(listed, "a", encoding="utf-8") as file:
            file.write(f"skipped: {why}\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binaries", type=Path, help="the folder of tuffet and tuffet-load")
    parser.add_argument("--case", action="append", choices=CASES, help="all unless given; may be repeated")
    parser.add_argument("--verbose", action="store_true", help="show the logs of what failed")
    options = parser.parse_args()
    if os.getuid():
        skip("addresses that move: this needs root")
        return 0
    try:
        call("ip", "netns", "add", f"tuffet-{os.getpid()}-try")
        call("ip", "netns", "delete", f"tuffet-{os.getpid()}-try")
    except RuntimeError as error:
        skip(f"addresses that move: no network namespaces: {error}")
        return 0
    failed = False
    print(f"{'case':<27} {'completed':>9} {'lost':>5} {'repeats':>8} {'slowest':>8}   took")
    for name in options.case or CASES:
        case, needed = CASES[name]
        if missing := [program for program in ["curl", "atftp", *needed] if not shutil.which(program)]:
            skip(f"{name}: {', '.join(missing)} not installed")
            continue
        with tempfile.TemporaryDirectory() as folder:
            files = Path(folder) / "files"
            files.mkdir()
            (files / "file").write_bytes(random.Random(1).randbytes(SIZE))
            begin = time.monotonic()
            try:
                result = case(options.binaries.resolve(), Path(folder))
            except (Failure, RuntimeError) as error:
                failed = True
                print(f"{name:<27} FAILED: {error}")
                if options.verbose:
                    for log in sorted(Path(folder).glob("*.log")):
                        print(f"--- {log.name}\n{log.read_text()[-3000:]}")
                continue
            took = time.monotonic() - begin
            print(
                f"{name:<27} {result.completed:>9} {result.lost:>5} {result.repeats:>8} {result.slowest:>6.2f} s"
                f"   {took:.0f} s",
                flush=True,
            )
    print(f"{CLIENTS} clients at a time, files of {SIZE // 1000} kB in blocks of 512 bytes, one after the other")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
