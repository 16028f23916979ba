#!/usr/bin/env python3
"""Measures transfers with a rate beside others: whether they keep it, what the others lose, and the server's CPU time.

Starts Tuffet with a listener that has a rate and one that has none, and loads both with tuffet-load: the unbounded
clients alone, the bounded ones alone, and both at once. Writes JSON and a page to the folder OUT.

    bench.py --tuffet PROGRAM --load PROGRAM --out FOLDER [--smoke]
"""

import argparse
import datetime
import json
import os
import platform
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
MB = 1_000_000
WINDOW = ("--blksize", "1428", "--windowsize", "64", "--gro")
# What must not outlive this program.
RUNNING = []


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


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port, process):
    """An ERROR for a file that nobody has shows that the server is there."""
    if process.poll() is not None:
        sys.exit(f"the server ended with {process.returncode}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.settimeout(0.2)
        probe.sendto(b"\0\1nobody-has-this\0octet\0", ("127.0.0.1", port))
        try:
            return probe.recv(600)[:2] == b"\0\5"
        except OSError:
            return False


def on_core(core):
    """The server has a core of its own, where there are two."""
    return ["taskset", "-c", str(core)] if os.cpu_count() > 1 and shutil.which("taskset") else []


class Server:
    def __init__(self, options, folder):
        self.free, self.bounded = free_port(), free_port()
        path = os.path.join(folder, "tuffet.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f"listeners:\n- {{ address: '127.0.0.1:{self.free}' }}\n"
                f"- {{ address: '127.0.0.1:{self.bounded}', rate: {options.rate} }}\n"
                f"state: {folder}/state\ncontrol: {folder}/control\nworkers: 1\n"
                f"roots: [{{ name: files, path: {folder}/www }}]\n"
                "limits: { transfers: 20000, per-client: { transfers: 20000 } }\n"
            )
        command = [options.tuffet, "serve", "--user", str(os.getuid()), "--config", path, "--log", "error"]
        self.process = subprocess.Popen(on_core(0) + command)
        RUNNING.append(self.process)
        for port in (self.free, self.bounded):
            while not answers(port, self.process):
                time.sleep(0.05)

    def cpu(self):
        """Seconds of CPU time so far."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def begin(options, folder, port, *more):
    command = on_core(1) + [options.load, "--server", f"127.0.0.1:{port}", "--json", "--expect", f"{folder}/www"]
    command += ["--concurrency", str(options.clients), "--timeout", "60s", *WINDOW, *more]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    RUNNING.append(process)
    return process


def report_of(process):
    text, _ = process.communicate()
    report = json.loads(text)
    if report["failed"] or report["wrong_bytes"]:
        sys.exit(f"not all transfers are sound: {json.dumps(report, indent=1)}")
    return report


def run(options, folder, bounded, free):
    """One of the three cases, with a server of its own."""
    server = Server(options, folder)
    before, began = server.cpu(), time.monotonic()
    loads = {}
    if free:
        loads["free"] = begin(options, folder, server.free, "--file", "large", "--duration", f"{options.seconds}s")
    if bounded:
        loads["bounded"] = begin(options, folder, server.bounded, "--file", "bounded", "--transfers", str(options.clients))
    reports = {name: report_of(process) for name, process in loads.items()}
    seconds, cpu = time.monotonic() - began, server.cpu() - before
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
    return row


def median(rounds, key):
    values = sorted(entry[key] for entry in rounds)
    return values[len(values) // 2]


def page(options, cases, facts):
    lines = [f"# Transfers with a rate, {facts['date']}", "", "| | |", "|---|---|"]
    lines += [f"| {key} | {value} |" for key, value in facts.items() if key != "date"]
    lines += ["", "Medians of the rounds. *Kept* is the rate of a client as a part of the configured one: of the median",
              "client, and of the slowest. The server has one worker on a core of its own, the clients share another.", "",
              "| case | kept, median | kept, slowest | bounded, MB/s | unbounded, MB/s | CPU s/GB | CPU |",
              "|---|--:|--:|--:|--:|--:|--:|"]
    for case, rounds in cases.items():
        def shown(key, form, rounds=rounds):
            return format(median(rounds, key), form) if key in rounds[0] else "–"
        lines.append(f"| {case} | {shown('kept_median', '.3f')} | {shown('kept_slowest', '.3f')} | {shown('bounded_mb_s', '.1f')} "
                     f"| {shown('free_mb_s', '.0f')} | {shown('cpu_s_per_gb', '.3f')} | {shown('cpu_percent', '.0f')} % |")
    return "\n".join([*lines, ""])


def main():
    options = arguments()
    # So that what was started ends, too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))
    folder = tempfile.mkdtemp(prefix="tuffet-rate-")
    os.makedirs(f"{folder}/www")
    chance = random.Random(1)
    for name, size in (("large", 16 * MB), ("bounded", options.rate * options.seconds)):
        with open(f"{folder}/www/{name}", "wb") as file:
            file.write(chance.randbytes(size))
    clients = options.clients
    cases = {f"{clients} unbounded": (False, True), f"{clients} bounded": (True, False), "both": (True, True)}
    try:
        rounds = [{case: run(options, folder, *which) for case, which in cases.items()} for _ in range(options.rounds)]
    finally:
        for process in RUNNING:
            if process.poll() is None:
                process.kill()
        shutil.rmtree(folder, ignore_errors=True)
    measured = {case: [each[case] for each in rounds] for case in cases}
    revision = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=HERE, text=True, stdout=subprocess.PIPE, check=False)
    optimised = "debug" not in os.path.abspath(options.tuffet).split(os.sep)
    facts = {
        "date": datetime.date.today().isoformat(), "revision": revision.stdout.strip(),
        "machine": f"{os.cpu_count()} cores, kernel {platform.release()}", "rounds": options.rounds,
        "rate": f"{options.rate / MB:g} MB/s for each of {clients} clients, {options.seconds} s",
        "build": "release" if optimised else "debug: compare rows with each other, not with other pages",
    }
    os.makedirs(options.out, exist_ok=True)
    name = os.path.join(options.out, f"{facts['date']}-rate")
    with open(f"{name}.json", "w", encoding="utf-8") as file:
        json.dump({"facts": facts, "cases": measured}, file, indent=1)
        file.write("\n")
    with open(f"{name}.md", "w", encoding="utf-8") as file:
        file.write(page(options, measured, facts))
    print(page(options, measured, facts))


if __name__ == "__main__":
    main()
