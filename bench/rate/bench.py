#!/usr/bin/env python3
"""Measures transfers with a rate beside others: whether they keep it, what the others lose, and the server's CPU time.

Starts Tuffet with a listener that has a rate and one that has none, and loads both with tuffet-load: the unbounded
clients alone, the bounded ones alone, and both at once. Then clients of a profile with as much as a total rate, half of
them with windows and half in lockstep, alone and beside the unbounded ones. Writes JSON and a page to the folder OUT.

    bench.py --tuffet PROGRAM --load PROGRAM --out FOLDER [--smoke]
"""

import argparse
import os
import random
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness

MB = 1_000_000
WINDOW = ("--windowsize", "64", "--gro")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tuffet", required=True)
    parser.add_argument("--load", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--clients", type=int, default=100, help="bounded clients, and as many unbounded ones")
    parser.add_argument("--rate", type=int, default=MB, help="bytes a second of a bounded client")
    parser.add_argument("--seconds", type=int, default=20, help="how long a bounded transfer takes")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--smoke", action="store_true", help="all of it in small: shows that it runs")
    found = parser.parse_args()
    if found.smoke:
        found.clients, found.rate, found.seconds, found.rounds = 5, MB // 2, 3, 1
    return found


class Server:
    def __init__(self, options, folder):
        self.free, self.bounded, self.shared = (harness.free_port() for _ in range(3))
        path = os.path.join(folder, "tuffet.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f"listeners:\n- {{ address: '127.0.0.1:{self.free}' }}\n"
                f"- {{ address: '127.0.0.1:{self.bounded}', rate: {options.rate} }}\n"
                # A profile is for addresses, and all others have the one of IPv4.
                f"- {{ address: '[::1]:{self.shared}' }}\n"
                f"profiles: [{{ name: shared, clients: ['::1'], total-rate: {options.rate * options.clients} }}]\n"
                f"state: {folder}/state\ncontrol: {folder}/control\nworkers: 1\n"
                f"roots: [{{ name: files, path: {folder}/www }}]\n"
                "limits: { transfers: 20000, per-client: { transfers: 20000 } }\n"
            )
        command = [options.tuffet, "serve", "--user", str(os.getuid()), "--config", path, "--log", "error"]
        self.process = harness.start(harness.on_core(0) + command)
        for port in (self.free, self.bounded):
            while not harness.answers(port, self.process):
                time.sleep(0.05)


def begin(options, folder, address, clients, *more):
    command = harness.on_core(1) + [options.load, "--server", address, "--json", "--expect", f"{folder}/www"]
    command += ["--concurrency", str(clients), "--timeout", "60s", "--blksize", "1428", *more]
    return harness.start(command, stdout=harness.PIPE, text=True)


def run(options, folder, bounded, shared, free):
    """One of the cases, with a server of its own."""
    server = Server(options, folder)
    before, began = harness.cpu_seconds(server.process), time.monotonic()
    loads = {}
    if free:
        address, fast = f"127.0.0.1:{server.free}", ("--file", "large", "--duration", f"{options.seconds}s")
        loads["free"] = begin(options, folder, address, options.clients, *fast, *WINDOW)
    slow = ("--file", "bounded", "--transfers")
    if bounded:
        address, count = f"127.0.0.1:{server.bounded}", options.clients
        loads["bounded"] = begin(options, folder, address, count, *slow, str(count), *WINDOW)
    if shared:
        address, count = f"[::1]:{server.shared}", options.clients // 2
        loads["windows"] = begin(options, folder, address, count, *slow, str(count), *WINDOW)
        rest = options.clients - count
        loads["lockstep"] = begin(options, folder, address, rest, *slow, str(rest))
    reports = {name: harness.report_of(process) for name, process in loads.items()}
    seconds, cpu = time.monotonic() - began, harness.cpu_seconds(server.process) - before
    server.process.terminate()
    server.process.wait()
    size = options.rate * options.seconds
    moved = sum(report["bytes"] for report in reports.values()) / 1e9
    row = {"seconds": seconds, "cpu_s_per_gb": cpu / moved, "cpu_percent": 100 * cpu / seconds}
    if free:
        row["free_mb_s"] = reports["free"]["throughput_mb_s"]
    if bounded:
        times = reports["bounded"]["completion_ms"]
        row["kept_median"] = size / (times["p50"] / 1000) / options.rate
        row["kept_slowest"] = size / (times["max"] / 1000) / options.rate
        row["bounded_mb_s"] = reports["bounded"]["throughput_mb_s"]
        row["client_timeouts"] = reports["bounded"]["client_timeouts"]
    if shared:
        halves = [reports[half] for half in ("windows", "lockstep")]
        # When the last one is complete, all bytes have been sent.
        slowest = max(report["completion_ms"]["max"] for report in halves) / 1000
        row["kept_median"] = size / (reports["windows"]["completion_ms"]["p50"] / 1000) / options.rate
        row["kept_lockstep"] = size / (reports["lockstep"]["completion_ms"]["p50"] / 1000) / options.rate
        row["kept_slowest"] = size / slowest / options.rate
        row["bounded_mb_s"] = sum(report["bytes"] for report in halves) / slowest / MB
        row["client_timeouts"] = sum(report["client_timeouts"] for report in halves)
    return row


def page(options, cases, facts):
    lines = harness.heading("Transfers with a rate", facts)
    lines += ["Medians of the rounds. *Kept* is the rate of a client as a part of the configured one: of the median",
              "client, of the median one in lockstep, and of the slowest; with a total rate, it is the part of an equal share. The",
              "server has one worker on a core of its own, the clients share another.", "",
              "| case | kept, median | in lockstep | slowest | bounded, MB/s | unbounded, MB/s | CPU s/GB | CPU |",
              "|---|--:|--:|--:|--:|--:|--:|--:|"]
    for case, rounds in cases.items():
        def shown(key, form, rounds=rounds):
            return format(harness.median(rounds, key), form) if key in rounds[0] else "–"
        lines.append(f"| {case} | {shown('kept_median', '.3f')} | {shown('kept_lockstep', '.3f')} "
                     f"| {shown('kept_slowest', '.3f')} | {shown('bounded_mb_s', '.1f')} "
                     f"| {shown('free_mb_s', '.0f')} | {shown('cpu_s_per_gb', '.3f')} | {shown('cpu_percent', '.0f')} % |")
    return "\n".join([*lines, ""])


def main():
    options = arguments()
    harness.ends_with_children()
    folder = tempfile.mkdtemp(prefix="tuffet-rate-")
    os.makedirs(f"{folder}/www")
    chance = random.Random(1)
    for name, size in (("large", 16 * MB), ("bounded", options.rate * options.seconds)):
        with open(f"{folder}/www/{name}", "wb") as file:
            file.write(chance.randbytes(size))
    clients = options.clients
    cases = {
        f"{clients} unbounded": (False, False, True),
        f"{clients} bounded": (True, False, False),
        "both": (True, False, True),
        f"{clients} with a total rate": (False, True, False),
        f"{clients} with a total rate beside {clients} unbounded": (False, True, True),
    }
    try:
        rounds = [{case: run(options, folder, *which) for case, which in cases.items()} for _ in range(options.rounds)]
    finally:
        harness.end_all()
        shutil.rmtree(folder, ignore_errors=True)
    measured = {case: [each[case] for each in rounds] for case in cases}
    facts = harness.facts_of(options.tuffet, options.rounds)
    facts["rate"] = f"{options.rate / MB:g} MB/s for each of {clients} clients, or as a total rate, {options.seconds} s"
    harness.publish(options.out, "rate", facts, measured, page(options, measured, facts))


if __name__ == "__main__":
    main()
