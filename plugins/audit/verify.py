#!/usr/bin/env python3
"""Verifies the chain of an audit log of Tuffet (plugins/audit/README.md).

    verify.py [--after SEQ:HASH] [--seen FILE] FILE...

The files in the order in which they were written, as after rotation. Exit code 0: every line is as it was
written, and none is missing between the first and the last. 1: one line for each finding. 2: it could not
be looked at.
"""

import argparse
import hashlib
import heapq
import json
import re
import sys

UNCHAINED = re.compile(rb'^\{"unchained":')
HASH = re.compile(rb',"hash":"([0-9a-f]{64})"\}$')
# What the first line of a log follows.
BEGINNING = (0, "0" * 64)


def read(raw):
    """Number, hash, hash of the line before, and lines lost before it; or why it is no line of the log."""
    found = HASH.search(raw)
    if not found and UNCHAINED.match(raw):
        raise ValueError("it is not in the chain: the server could not read or write its keys then")
    if not found:
        raise ValueError("it is no line of an audit log, or not a whole one")
    try:
        line = json.loads(raw)
        seq, previous, lost = line["seq"], line["previous"], line.get("lost", 0)
        if type(seq) is not int or type(lost) is not int or type(previous) is not str:
            raise ValueError
    except (ValueError, KeyError, TypeError, AttributeError):
        raise ValueError("it is no line of an audit log") from None
    if hashlib.sha256(raw[: found.start()] + b"}").hexdigest() != found[1].decode():
        raise ValueError(f"line {seq} of the log was changed: its hash does not fit")
    return seq, found[1].decode(), previous, lost


class Chain:
    """Follows the log over its files."""

    def __init__(self, head):
        # Number and hash of the last good line.
        self.seq, self.hash = head
        # Lines since then that are none: each may stand for one of the log.
        self.unreadable = 0
        self.findings = 0
        self.lines = 0
        self.lost = 0
        # What came before a line with a lower number, ordered by number and then as it came: two processes of a server
        # write during a restart.
        self.early = []
        self.count = 0
        self.late = 0
        # The number of the last line that was read.
        self.latest = self.seq
        # Sinks deliver at least once: lines that came again, just as they were.
        self.repeated = 0
        self.hashes = {self.seq: self.hash}

    def finding(self, where, what):
        self.findings += 1
        print(f"{where}: {what}")

    def take(self, where, raw):
        """The next line of the files."""
        try:
            line = read(raw)
            number = self.latest = line[0]
        except ValueError as error:
            # It has no number: it stays behind the line before it.
            line, number = error, self.latest
        if self.early and self.is_due(number):
            self.late += not isinstance(line, ValueError) and self.hashes.get(number) != line[1]
        if not self.is_due(number) or (self.early and isinstance(line, ValueError)):
            heapq.heappush(self.early, (number, self.count, where, line))
            self.count += 1
            return
        self.line(where, line)
        while self.early and self.is_due(self.early[0][0]):
            self.next_early()

    def is_due(self, number):
        return number - self.seq - 1 <= self.unreadable

    def next_early(self):
        _, _, where, line = heapq.heappop(self.early)
        self.line(where, line)

    def end(self):
        """All files were read: what is missing now does not come."""
        while self.early:
            self.next_early()

    def line(self, where, line):
        if isinstance(line, ValueError):
            self.finding(where, line)
            self.unreadable += 1
            return
        seq, own, previous, lost = line
        if self.hashes.get(seq) == own and seq > 0:
            self.repeated += 1
            return
        if seq <= self.seq:
            self.finding(where, f"there is another line {seq} of the log: one of the two was put in")
            return
        missing = seq - self.seq - 1
        if missing > self.unreadable:
            which = f"line {self.seq + 1}" if missing == 1 else f"lines {self.seq + 1} to {seq - 1}"
            self.finding(where, f"before line {seq} of the log {which} {'is' if missing == 1 else 'are'} missing: removed, or never written")
        elif missing == 0 and previous != self.hash:
            self.finding(where, f"line {seq} of the log does not follow line {self.seq}: one of the two was put in")
        self.seq, self.hash, self.unreadable = seq, own, 0
        self.hashes[seq] = own
        self.lines += 1
        self.lost += lost


def head(text):
    seq, _, own = text.partition(":")
    if not seq.isascii() or not seq.isdigit() or not re.fullmatch("[0-9a-f]{64}", own):
        raise argparse.ArgumentTypeError("write SEQ:HASH, as this program prints them")
    return int(seq), own


def look_at_witness(chain, path):
    """What a witness has seen must be there."""
    first = min(chain.hashes)
    with open(path, "rb") as file:
        for number, raw in enumerate(file, 1):
            where = f"{path}:{number}"
            try:
                seen = json.loads(raw)
                seq, own = seen["seq"], seen["hash"]
            except (ValueError, KeyError, TypeError):
                chain.finding(where, "it is nothing that a witness has seen")
                continue
            if seq < first:
                continue
            if seq not in chain.hashes:
                chain.finding(where, f"line {seq} of the log was seen, and is missing")
            elif chain.hashes[seq] != own:
                chain.finding(where, f"line {seq} of the log was seen as another one: it was changed, hash and all")


def main():
    parser = argparse.ArgumentParser(description="Verifies the chain of an audit log of Tuffet.")
    parser.add_argument("--after", type=head, default=BEGINNING, metavar="SEQ:HASH", help="the line that the first one follows")
    parser.add_argument("--seen", metavar="FILE", help="what a witness was told")
    parser.add_argument("files", nargs="+", metavar="FILE", help="in the order in which they were written")
    arguments = parser.parse_args()
    chain = Chain(arguments.after)
    try:
        for path in arguments.files:
            with open(path, "rb") as file:
                for number, raw in enumerate(file, 1):
                    chain.take(f"{path}:{number}", raw.removesuffix(b"\n"))
        chain.end()
        if arguments.seen:
            look_at_witness(chain, arguments.seen)
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    if chain.repeated:
        print(f"note: {chain.repeated} lines were delivered more than once; they are the same each time")
    if chain.late:
        print(f"note: {chain.late} lines come after a later one: during a restart, two processes of a server write")
    if chain.lost:
        print(f"note: {chain.lost} requests have no line: the sink took no more; the lines say where")
    if chain.findings:
        return 1
    if not chain.lines:
        print("good: no lines")
        return 0
    print(f"good: {chain.lines} lines, the last is {chain.seq}:{chain.hash}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
