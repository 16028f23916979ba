#!/usr/bin/env python3
"""Measures a cold cache before a web server: one large file that many clients want at once, and many small files.

Starts nginx as the origin, Tuffet with a root on it and a cache, and Tuffet with the same files in a folder; loads
them with tuffet-load. Beside them it measures what people run today: a proxy on fbtftp, without and with a caching
nginx behind it. These send one block at a time, so Tuffet gets the same load once more. The origin's log says how many
requests it got. Writes JSON and a page to the folder OUT. Each load has a time limit, so that all of it ends within 20
minutes; a peer that does not make it within its limit is shown with what it made.

    bench.py --tuffet PROGRAM --load PROGRAM --out FOLDER [--python PYTHON_WITH_FBTFTP] [--smoke]
"""

import argparse
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness
import plot

HERE = os.path.dirname(os.path.abspath(__file__))
MIB = 1 << 20
# What must not outlive this program.
RUNNING = []
# Seconds: for one load, and for everything. How long the clients of a peer begin transfers, and wait for a block.
LIMIT, ALL = 200, 19 * 60
BEGIN, SILENCE = "120s", "60s"
STARTED = time.monotonic()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tuffet", required=True)
    parser.add_argument("--load", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--python", help="a Python with fbtftp, for the peer; without it the peer is left out")
    parser.add_argument("--clients", type=int, default=1000)
    parser.add_argument("--size", type=int, default=64, help="MiB of the large file")
    parser.add_argument("--small", type=int, default=10000, help="small files, and transfers of them")
    parser.add_argument("--peer-size", type=int, default=4,
                        help="MiB of the large file beside fbtftp, which sends block by block: 64 takes two hours")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--smoke", action="store_true", help="all of it in small: shows that it runs")
    found = parser.parse_args()
    if found.smoke:
        found.clients, found.size, found.small, found.peer_size, found.rounds = 50, 4, 200, 1, 1
    return found


def free_port(kind):
    with socket.socket(socket.AF_INET, kind) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Origin:
    """nginx, and the requests that it got; at another port with a cache before it."""

    def __init__(self, folder):
        self.port, self.log = free_port(socket.SOCK_STREAM), os.path.join(folder, "access")
        self.cached = free_port(socket.SOCK_STREAM)
        configuration = os.path.join(folder, "nginx.conf")
        temporary = "".join(f"{kind}_temp_path {folder}/tmp; " for kind in ("proxy", "fastcgi", "uwsgi", "scgi"))
        with open(configuration, "w", encoding="utf-8") as file:
            file.write(
                f"daemon off; master_process off; pid {folder}/pid; error_log {folder}/errors;\n"
                "events { worker_connections 4096; }\n"
                f"http {{ log_format short '$request_method $status'; access_log {self.log} short; sendfile on;\n"
                f"client_body_temp_path {folder}/tmp; {temporary}\n"
                f"proxy_cache_path {folder}/nginx-cache keys_zone=files:16m;\n"
                f"server {{ listen 127.0.0.1:{self.port}; root {folder}/www; }}\n"
                f"server {{ listen 127.0.0.1:{self.cached}; access_log off; location / {{\n"
                f"  proxy_pass http://127.0.0.1:{self.port}; proxy_cache files; proxy_cache_valid 200 1h;\n"
                "  proxy_cache_lock on; proxy_cache_lock_timeout 120s; proxy_cache_lock_age 120s; } } }\n"
            )
        nginx = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        if not nginx:
            sys.exit("nginx is not installed: apt-get install nginx-light")
        self.process = subprocess.Popen([nginx, "-p", folder, "-c", configuration], stderr=subprocess.DEVNULL)
        wait_for(lambda: connects(self.port), "nginx")

    def requests(self):
        """Those since the last call."""
        with open(self.log, "r+", encoding="utf-8") as file:
            lines = file.readlines()
            file.truncate(0)
        return len(lines)


def connects(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(ready, what):
    for _ in range(600):
        if ready():
            return
        time.sleep(0.05)
    sys.exit(f"{what} does not start")


def serve(options, folder, name, root):
    port = free_port(socket.SOCK_DGRAM)
    path = os.path.join(folder, f"{name}.yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(
            f"listeners: [{{ address: '127.0.0.1:{port}' }}]\nstate: {folder}/{name}-state\n"
            f"control: {folder}/{name}-control\nroots: [{{ name: files, {root} }}]\n"
            "limits: { transfers: 20000, per-client: { transfers: 20000 } }\n"
        )
    command = [options.tuffet, "serve", "--user", str(os.getuid()), "--config", path, "--log", "error"]
    process = subprocess.Popen(command)
    RUNNING.append(process)
    wait_for(lambda: harness.answers(port, process, name), name)
    return process, port


def load(options, folder, port, files, count, at_once, *more, peer=False):
    """What the clients saw. Of a peer also without all of its transfers: the page shows how many were sound."""
    command = [options.load, "--server", f"127.0.0.1:{port}", "--json", "--expect", f"{folder}/www"]
    command += ["--transfers", str(count), "--concurrency", str(at_once), "--timeout", SILENCE, *more]
    command += ["--duration", BEGIN] if peer else []
    for name in files:
        command += ["--file", name]
    limit = max(1, min(LIMIT, STARTED + ALL - time.monotonic()))
    try:
        ended = subprocess.run(command, stdout=subprocess.PIPE, check=False, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        if not peer:
            sys.exit(f"{count} transfers did not end within {limit:.0f} s")
        return {"seconds": limit, "throughput_mb_s": 0, "first_block_ms": {"p50": None},
                "completion_ms": {"max": None}, "completed": 0, "transfers": count}
    report = json.loads(ended.stdout)
    if report["completed"] != count and not peer:
        sys.exit(f"not all transfers are sound: {json.dumps(report, indent=1)}")
    # A load that was out of time began only some.
    report["transfers"] = count
    return report


def stop(process):
    process.terminate()
    process.wait(timeout=60)


def median(values):
    values = sorted(values)
    return values[len(values) // 2]


class Cases:
    """What was measured: rounds by case and server."""

    def __init__(self, origin):
        self.origin, self.rounds = origin, {}

    def note(self, case, server, report):
        ended = {"seconds": report["seconds"], "mb_s": report["throughput_mb_s"],
                 "first_ms": report["first_block_ms"]["p50"], "last_ms": report["completion_ms"]["max"],
                 "completed": report["completed"], "transfers": report["transfers"],
                 "requests": self.origin.requests()}
        self.rounds.setdefault((case, server), []).append(ended)


WINDOW = ("--blksize", "1428", "--windowsize", "64", "--gro")
BLOCKS = ("--blksize", "1428", "--client-timeout", "5s")


def measure(options, folder, origin):
    small = [f"small/{number:05}" for number in range(options.small)]
    cases = Cases(origin)
    large = f"{options.clients} × {options.size} MiB, one file"
    little = f"{options.small} transfers of {options.small} × 2 KiB"
    for number in range(options.rounds):
        process, port, cache = cached(options, folder, origin, f"cold-{number}")
        origin.requests()
        for state in ("cold", "warm"):
            report = load(options, folder, port, ["large"], options.clients, options.clients, *WINDOW)
            cases.note(large, f"cache, {state}", report)
        for state in ("cold", "warm"):
            report = load(options, folder, port, small, options.small, 100, "--blksize", "1428")
            cases.note(little, f"cache, {state}", report)
        stop(process)
        shutil.rmtree(cache)
        process, port = serve(options, folder, f"local-{number}", f"path: {folder}/www")
        load(options, folder, port, ["large"], 2, 2, *WINDOW)
        cases.note(large, "folder", load(options, folder, port, ["large"], options.clients, options.clients, *WINDOW))
        cases.note(little, "folder", load(options, folder, port, small, options.small, 100, "--blksize", "1428"))
        stop(process)
    if options.python:
        try:
            beside_peers(options, folder, origin, cases, little, small)
        except (SystemExit, OSError) as error:
            # What was measured before stays.
            print(f"the peer is left out: {error}", file=sys.stderr)
    return cases.rounds


def cached(options, folder, origin, name):
    """Tuffet with an empty cache before the origin."""
    cache = f"{folder}/cache-{name}"
    root = f"url: 'http://127.0.0.1:{origin.port}/', cache: {{ path: {cache}, bytes: 4GiB, revalidate: 1h }}"
    process, port = serve(options, folder, name, root)
    return process, port, cache


def beside_peers(options, folder, origin, cases, little, small):
    """All of them with clients that take one block at a time."""
    medium = f"{options.clients} × {options.peer_size} MiB, one file, one block at a time"

    def both(name, port, little, states, peer=True):
        for state in states:
            report = load(options, folder, port, ["medium"], options.clients, options.clients, *BLOCKS, peer=peer)
            cases.note(medium, name + state, report)
        for state in states if little else ():
            report = load(options, folder, port, small, options.small, 100, *BLOCKS, peer=peer)
            cases.note(little, name + state, report)

    process, port, _ = cached(options, folder, origin, "blocks")
    origin.requests()
    # The small files are one block each: they were measured before.
    both("cache, ", port, None, ("cold", "warm"), peer=False)
    stop(process)
    # The plain proxy keeps nothing: it has no warm state.
    for name, upstream, states in (("fbtftp", origin.port, ("",)), ("fbtftp, caching nginx, ", origin.cached, ("cold", "warm"))):
        port = free_port(socket.SOCK_DGRAM)
        peer = subprocess.Popen(
            [options.python, f"{HERE}/proxy.py", str(port), f"http://127.0.0.1:{upstream}"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        RUNNING.append(peer)
        wait_for(lambda port=port, peer=peer: harness.answers(port, peer, "fbtftp"), "fbtftp")
        origin.requests()
        both(name, port, little, states)
        # It starts a process for each transfer, and handles no signal itself.
        os.killpg(peer.pid, signal.SIGKILL)
        peer.wait()


def page(options, cases, facts):
    lines = [f"# A cold cache before a web server, {facts['date']}", "", "| | |", "|---|---|"]
    lines += [f"| {key} | {value} |" for key, value in facts.items() if key != "date"]
    lines += ["", f"![Seconds until the last client has its file]({facts['date']}-origin.svg)"]
    lines += ["", "Medians of the rounds. *Last* is the time from the first request to the end of the last client; the",
              "folder and the warm cache are served from memory. *Requests* are those that the origin got.", "",
              "| case | server | last, s | MB/s | first block, median, ms | completed | requests |",
              "|---|---|--:|--:|--:|--:|--:|"]
    for (case, server), rounds in sorted(cases.items()):
        of = lambda key: median([entry[key] for entry in rounds])  # noqa: E731
        lines.append(f"| {case} | {server} | {of('seconds'):.2f} | {of('mb_s'):.0f} | {of('first_ms') or 0:.1f} "
                     f"| {of('completed')} of {of('transfers')} | {of('requests')} |")
    lines += ["", "Small files are drawn at random, so that some are requested twice and others never: the cold cache",
              "asks once for each that is requested."]
    plain = [rounds for (case, server), rounds in cases.items() if server == "fbtftp" and "one file" in case]
    if plain and (rate := median([entry["mb_s"] for entry in plain[0]])) > 0:
        minutes = options.clients * options.size * MIB / (rate * 1e6) / 60
        lines += ["", "fbtftp negotiates no windows, starts a process for each transfer, and asks the web server for each.",
                  f"At this rate, its clients would have the file of {options.size} MiB after {minutes:.0f} minutes. All clients ask",
                  "again after 5 s."]
    return "\n".join([*lines, ""])


def main():
    options = arguments()
    harness.ends_with_children()
    folder = tempfile.mkdtemp(prefix="tuffet-origin-")
    os.makedirs(f"{folder}/www/small")
    chance = random.Random(1)
    for name, size in (("large", options.size), ("medium", options.peer_size)):
        with open(f"{folder}/www/{name}", "wb") as file:
            for _ in range(size):
                file.write(chance.randbytes(MIB))
    for number in range(options.small):
        with open(f"{folder}/www/small/{number:05}", "wb") as file:
            file.write(chance.randbytes(2048))
    origin = Origin(folder)
    try:
        cases = measure(options, folder, origin)
    finally:
        stop(origin.process)
        for process in RUNNING:
            if process.poll() is None:
                # fbtftp has a session of its own, with a process for each transfer.
                (os.killpg if os.getsid(process.pid) == process.pid else os.kill)(process.pid, signal.SIGKILL)
        shutil.rmtree(folder, ignore_errors=True)
    facts = harness.facts_of(options.tuffet, options.rounds)
    kept = [{"case": case, "server": server, "rounds": rounds} for (case, server), rounds in sorted(cases.items())]
    harness.publish(options.out, "origin", facts, kept, page(options, cases, facts), plot.of_origin(kept))
    wrong = [entry for (case, server), rounds in cases.items() for entry in rounds
             if "one file" in case and server.startswith("cache") and entry["requests"] != (server == "cache, cold")]
    if wrong:
        sys.exit(f"the origin got another number of requests than one: {wrong}")


if __name__ == "__main__":
    main()
