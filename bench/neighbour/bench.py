#!/usr/bin/env python3
"""Measures busy polling where a server does not have a core for itself: beside a process that computes, and with half a CPU.

Each load runs against a server that polls for the next datagram (the default) and one that does not: with the core for
itself, beside a process that computes on the same core, and in a control group with half of a core's time (as root,
where control groups can be made). Writes JSON and a page to the folder OUT.

    bench.py --tuffet PROGRAM --load PROGRAM --out FOLDER [--smoke]
"""

import argparse
import contextlib
import os
import random
import shutil
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness

POLLS = {"polls": "50us", "sleeps": "0s"}
LOADS = {
    "lockstep, 8 at once": ("--file", "large", "--blksize", "1400", "--concurrency", "8"),
    "windows of 16, 8 at once": ("--file", "large", "--blksize", "1400", "--windowsize", "16", "--concurrency", "8"),
    "1,000 requests a second, 2 KiB": ("--file", "small", "--rate", "1000"),
}
# Counts what it gets done, and says it when it is told to end.
COMPUTES = """
import signal, sys
done = 0
def end(*_):
    print(done, flush=True)
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
print("ready", flush=True)
while True:
    for _ in range(1000):
        pass
    done += 1
"""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tuffet", required=True)
    parser.add_argument("--load", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--seconds", type=int, default=5, help="how long each load runs")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--smoke", action="store_true", help="all of it in small: shows that it runs")
    found = parser.parse_args()
    if found.smoke:
        found.seconds, found.rounds = 1, 1
    return found


class HalfCpu:
    """A control group that gets half of a core's time, in version 1 or 2 of the kernel's interface."""

    def __init__(self):
        unified = "/sys/fs/cgroup/cgroup.controllers"
        self.group = f"/sys/fs/cgroup{'' if os.path.exists(unified) else '/cpu'}/tuffet-half-{os.getpid()}"
        limits = {"cpu.max": "50000 100000"} if os.path.exists(unified) else {
            "cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "50000",
        }
        try:
            os.mkdir(self.group)
            for name, value in limits.items():
                self.write(name, value)
            self.why_not = None
        except OSError as error:
            self.why_not = str(error)
            self.remove()

    def write(self, name, value):
        with open(os.path.join(self.group, name), "w", encoding="utf-8") as file:
            file.write(value)

    def take(self, process):
        self.write("cgroup.procs", str(process.pid))

    def remove(self):
        with contextlib.suppress(OSError):
            os.rmdir(self.group)


def serve(options, folder, poll):
    port = harness.free_port()
    path = os.path.join(folder, "tuffet.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(
            f"listeners: [{{ address: '127.0.0.1:{port}' }}]\nbusy-poll: {poll}\nworkers: 1\n"
            f"state: {folder}/state\ncontrol: {folder}/control\n"
            f"roots: [{{ name: files, path: {folder}/www }}]\n"
            "limits: { transfers: 20000, per-client: { transfers: 20000 } }\n"
        )
    command = [options.tuffet, "serve", "--user", str(os.getuid()), "--config", path, "--log", "error"]
    server = harness.start(harness.on_core(0) + command)
    while not harness.answers(port, server):
        time.sleep(0.05)
    return port, server


def compute():
    process = harness.start(
        harness.on_core(0) + [sys.executable, "-c", COMPUTES], stdout=harness.PIPE, text=True
    )
    process.stdout.readline()
    return process


def computed(process, seconds):
    process.terminate()
    return int(process.communicate()[0]) / seconds


def run(options, folder, poll, load, beside, group):
    port, server = serve(options, folder, POLLS[poll])
    if group:
        group.take(server)
    neighbour = compute() if beside else None
    before, began = harness.cpu_seconds(server), time.monotonic()
    command = harness.on_core(1) + [options.load, "--server", f"127.0.0.1:{port}", "--json", "--expect", f"{folder}/www"]
    command += ["--timeout", "60s", "--duration", f"{options.seconds}s", *LOADS[load]]
    report = harness.report_of(harness.start(command, stdout=harness.PIPE, text=True))
    seconds, cpu = time.monotonic() - began, harness.cpu_seconds(server) - before
    row = {
        "mb_s": report["throughput_mb_s"],
        "answer_p50_ms": report["answer_ms"]["p50"],
        "completion_p99_ms": report["completion_ms"]["p99"],
        "retransmissions": report["retransmissions"],
        "cpu_percent": 100 * cpu / seconds,
    }
    if neighbour:
        row["neighbour"] = computed(neighbour, seconds)
    server.terminate()
    server.wait()
    return row


def alone(options):
    process = compute()
    time.sleep(options.seconds)
    return computed(process, options.seconds)


def page(cases, baseline, facts, why_not):
    lines = harness.heading("Busy polling beside other work", facts)
    lines += ["Medians of the rounds. The server has one worker; its clients have the other core. *Neighbour* is what the",
              "computing process got done, as a part of what it does alone. A server that answers 1,000 requests a second",
              "needs a small part of a core; one that moves blocks without end takes its fair half.", "",
              "| load | place | server | MB/s | first answer, median | whole file, p99 | CPU | neighbour |",
              "|---|---|---|--:|--:|--:|--:|--:|"]
    for (load, place, poll), rounds in cases.items():
        row = {key: harness.median(rounds, key) for key in rounds[0]}
        left = f"{100 * row['neighbour'] / baseline:.0f} %" if "neighbour" in row else "–"
        lines.append(f"| {load} | {place} | {poll} | {row['mb_s']:.1f} | {row['answer_p50_ms']:.2f} ms "
                     f"| {row['completion_p99_ms']:.1f} ms | {row['cpu_percent']:.0f} % | {left} |")
    if why_not:
        lines += ["", f"Not measured: half a CPU ({why_not})."]
    return "\n".join([*lines, ""])


def main():
    options = arguments()
    harness.ends_with_children()
    folder = tempfile.mkdtemp(prefix="tuffet-neighbour-")
    os.makedirs(f"{folder}/www")
    chance = random.Random(1)
    for name, size in (("large", 1 << 20), ("small", 2048)):
        with open(f"{folder}/www/{name}", "wb") as file:
            file.write(chance.randbytes(size))
    half = HalfCpu()
    places = {"the core for itself": (False, None), "beside a computing process": (True, None)}
    if not half.why_not:
        places["half a CPU"] = (False, half)
    cases, baselines = {}, []
    try:
        for _ in range(options.rounds):
            baselines.append({"done": alone(options)})
            for load in LOADS:
                for place, (beside, group) in places.items():
                    for poll in POLLS:
                        row = run(options, folder, poll, load, beside, group)
                        cases.setdefault((load, place, poll), []).append(row)
    finally:
        harness.end_all()
        half.remove()
        shutil.rmtree(folder, ignore_errors=True)
    facts = harness.facts_of(options.tuffet, options.rounds)
    named = {" / ".join(case): rounds for case, rounds in cases.items()}
    shown = page(cases, harness.median(baselines, "done"), facts, half.why_not)
    harness.publish(options.out, "neighbour", facts, {"alone": baselines, **named}, shown)


if __name__ == "__main__":
    main()
