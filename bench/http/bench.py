#!/usr/bin/env python3
"""Measures HTTP and HTTPS beside nginx and Caddy: what each makes of a second of the processor, and its memory.

Each server has one core, and wrk loads it from another, in turns: every round has each case with one server after the
other. In each run curl fetches the file once more, and its bytes are compared. Writes JSON and a page to the folder OUT.

    bench.py --tuffet PROGRAM [--caddy PROGRAM] --out FOLDER [--case WORDS] [--server NAME] [--smoke]
"""

import argparse
import hashlib
import json
import os
import pwd
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import harness

HERE = os.path.dirname(os.path.abspath(__file__))
KIB, MIB = 1 << 10, 1 << 20
SERVER, CLIENT = 0, 1
# One suite for all: left to themselves, some choose keys of 128 bits and some of 256.
SUITE = "TLS_AES_256_GCM_SHA384"


class Case(NamedTuple):
    name: str
    file: str
    connections: int
    tls: bool = False
    # A connection for each request.
    close: bool = False
    # A line in a file for each request.
    log: bool = False


SMALL, LARGE = ("2KiB", 2 * KIB), ("10MiB", 10 * MIB)
CASES = (
    Case("2 KiB, connections kept", "2KiB", 64),
    Case("2 KiB, connections kept, logged", "2KiB", 64, log=True),
    Case("2 KiB, a connection each", "2KiB", 64, close=True),
    Case("2 KiB, a connection each, logged", "2KiB", 64, close=True, log=True),
    Case("10 MiB", "10MiB", 8),
    Case("HTTPS, 2 KiB, connections kept", "2KiB", 64, tls=True),
    Case("HTTPS, 10 MiB", "10MiB", 8, tls=True),
)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tuffet", required=True)
    parser.add_argument("--caddy", help="without it, Caddy is left out")
    parser.add_argument("--out", required=True)
    parser.add_argument("--files", default="/var/tmp", help="a folder on a disk; the files that were read are in its page cache")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5, help="the length of each run")
    parser.add_argument("--case", action="append", default=[], help="only cases whose names contain all of these")
    parser.add_argument("--server", action="append", choices=SERVERS, help="only this one; may be repeated")
    parser.add_argument("--smoke", action="store_true", help="all of it in small: shows that it runs")
    found = parser.parse_args()
    if found.smoke:
        found.rounds, found.seconds = 1, 1
    found.cases = [case for case in CASES if all(words in case.name for words in found.case)]
    if not found.cases:
        parser.error(f"no case has all of these words: {', '.join(found.case)}; there are: {'; '.join(case.name for case in CASES)}")
    found.servers = [name for name in found.server or SERVERS if name != "caddy" or found.caddy]
    return found


# --- The servers, with the configuration of a user.


def tuffet(options, folder, ports, log):
    with open(f"{folder}/tuffet.yaml", "w", encoding="utf-8") as file:
        file.write(
            f"listeners: [{{ address: '127.0.0.1:{harness.free_port()}' }}]\n"
            f"roots: [{{ name: files, path: {folder}/www }}]\nstate: {folder}/state\ncontrol: {folder}/control\n"
            f"log: {{ level: {'info' if log else 'warn'}, to: {{ file: {folder}/log/tuffet }} }}\n"
            "http:\n"
            # All clients of wrk have one address.
            "  connections-per-client: 1024\n  listeners:\n"
            f"  - {{ address: '127.0.0.1:{ports[0]}' }}\n"
            f"  - {{ address: '127.0.0.1:{ports[1]}', tls: {{ certificate: {folder}/cert.pem, key: {folder}/key.pem }} }}\n"
        )
    return [options.tuffet, "serve", "--user", str(os.getuid()), "--config", f"{folder}/tuffet.yaml"]


def nginx(_options, folder, ports, log):
    temporary = "".join(f"{kind}_temp_path {folder}/tmp; " for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    with open(f"{folder}/nginx.conf", "w", encoding="utf-8") as file:
        file.write(
            f"daemon off; user {pwd.getpwuid(os.getuid()).pw_name}; worker_processes 1; pid {folder}/nginx.pid;\n"
            f"error_log {folder}/log/errors;\nevents {{ worker_connections 1024; }}\n"
            f"http {{ sendfile on; tcp_nopush on; {temporary}\n"
            f"access_log {f'{folder}/log/nginx' if log else 'off'};\n"
            f"server {{ listen 127.0.0.1:{ports[0]}; listen 127.0.0.1:{ports[1]} ssl; root {folder}/www;\n"
            f"  ssl_protocols TLSv1.2 TLSv1.3; ssl_certificate {folder}/cert.pem; ssl_certificate_key {folder}/key.pem; }} }}\n"
        )
    return [program("nginx"), "-p", folder, "-e", f"{folder}/log/errors", "-c", f"{folder}/nginx.conf"]


def caddy(options, folder, ports, log):
    with open(f"{folder}/Caddyfile", "w", encoding="utf-8") as file:
        line = f"  log {{\n    output file {folder}/log/caddy\n  }}\n" if log else ""
        site = f"{{\n  bind 127.0.0.1\n{line}  root * {folder}/www\n  file_server\n"
        file.write(
            # Its own log has a line for each request that breaks off.
            "{\n  admin off\n  auto_https off\n  storage file_system " + folder + "/caddy\n  log {\n    output discard\n  }\n}\n"
            f"http://127.0.0.1:{ports[0]} {site}}}\n"
            f"https://127.0.0.1:{ports[1]} {site}  tls {folder}/cert.pem {folder}/key.pem\n}}\n"
        )
    return [options.caddy, "run", "--adapter", "caddyfile", "--config", f"{folder}/Caddyfile"]


SERVERS = {"tuffet": tuffet, "nginx": nginx, "caddy": caddy}


def program(name):
    found = shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")
    return found or sys.exit(f"{name} is not installed")


def versions(options):
    """Of the programs that take part, as they name themselves."""
    commands = {"tuffet": [options.tuffet, "--version"], "nginx": [program("nginx"), "-v"],
                "caddy": [options.caddy, "version"], "wrk": [program("wrk"), "-v"]}
    lines = {}
    for name in [*options.servers, "wrk"]:
        command = commands[name]
        ended = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        lines[name] = next(word.strip("v[]") for word in ended.stdout.replace("/", " ").split() if word.strip("v[")[:1].isdigit())
    return lines


class Server:
    """A running server, with all of its processes."""

    def __init__(self, options, name, folder, log):
        self.ports, self.name = (free_port(), free_port()), name
        command = SERVERS[name](options, folder, self.ports, log)
        environment = {**os.environ, "HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_DATA_HOME": folder}
        with open(f"{folder}/log/{name}-stderr", "w", encoding="utf-8") as errors:
            self.process = harness.start(harness.on_core(SERVER) + command, env=environment, stdout=errors, stderr=errors)
        for _ in range(1200):
            if all(connects(port) for port in self.ports):
                return
            if self.process.poll() is not None:
                break
            time.sleep(0.05)
        with open(f"{folder}/log/{name}-stderr", encoding="utf-8") as errors:
            sys.exit(f"{name} does not start: {errors.read()}")

    def pids(self):
        found = [self.process.pid]
        for pid in found:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children", encoding="utf-8") as file:
                    found += map(int, file.read().split())
        return found

    def cpu_seconds(self):
        """Of all processes, and of those that have ended."""
        ticks = 0
        for pid in self.pids():
            with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                ticks += sum(map(int, file.read().rsplit(")", 1)[1].split()[11:15]))
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory(self):
        """Resident bytes; what processes share counts once."""
        total = 0
        for pid in self.pids():
            with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
                total += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        return total * KIB

    def stop(self):
        self.process.terminate()
        self.process.wait()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def connects(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


# --- The clients.


def url_of(server, case):
    return f"{'https' if case.tls else 'http'}://127.0.0.1:{server.ports[case.tls]}/{case.file}"


def compare(server, case, folder):
    """Fetches the file by curl; ends the benchmark if it is another one."""
    command = ["curl", "-sSf", "--cacert", f"{folder}/cert.pem", url_of(server, case)]
    fetched = subprocess.run(harness.on_core(CLIENT) + command, stdout=subprocess.PIPE, check=True).stdout
    with open(f"{folder}/www/{case.file}", "rb") as file:
        expected = file.read()
    if hashlib.sha256(fetched).digest() != hashlib.sha256(expected).digest():
        sys.exit(f"{server.name} answers {url_of(server, case)} with other bytes")


def wrk(server, case, folder, seconds):
    """Starts the load. Its report is JSON."""
    command = [program("wrk"), "-t", "1", "-c", str(case.connections), "-d", f"{seconds}s", "--timeout", "10s"]
    command += ["-s", f"{HERE}/report.lua"] + (["-H", "Connection: close"] if case.close else [])
    environment = {**os.environ, "OPENSSL_CONF": f"{folder}/openssl.cnf"}
    return harness.start(harness.on_core(CLIENT) + command + [url_of(server, case)], env=environment,
                         stdout=harness.PIPE, text=True)


def run(options, case, name, folder):
    """One server with one case: starts it, loads it, and ends it."""
    shutil.rmtree(f"{folder}/log", ignore_errors=True)
    os.makedirs(f"{folder}/log")
    server = Server(options, name, folder, case.log)
    compare(server, case, folder)
    before, busy = server.cpu_seconds(), core_seconds()
    load = wrk(server, case, folder, options.seconds)
    time.sleep(options.seconds / 2)
    memory = server.memory()
    text, _ = load.communicate()
    cpu, busy = server.cpu_seconds() - before, core_seconds() - busy
    report = json.loads(text.splitlines()[-1])
    size = os.path.getsize(f"{folder}/www/{case.file}")
    if load.returncode or any(report["errors"].values()) or report["bytes"] < report["requests"] * size:
        sys.exit(f"{name} did not answer all requests of `{case.name}`: {text}")
    compare(server, case, folder)
    server.stop()
    if case.log:
        with open(f"{folder}/log/{name}", "rb") as file:
            lines = sum(1 for _ in file)
        if lines < report["requests"]:
            sys.exit(f"{name} logged {lines} of {report['requests']} requests")
    return {
        "requests_per_cpu_s": report["requests"] / cpu, "mb_per_cpu_s": report["bytes"] / 1e6 / cpu,
        "requests_per_s": report["requests"] / report["seconds"], "mb_per_s": report["bytes"] / 1e6 / report["seconds"],
        "memory_mb": memory / 1e6, "busy_percent": 100 * cpu / report["seconds"],
        "core_percent": 100 * busy / report["seconds"],
    }


def core_seconds():
    """How long the server's core has worked, for processes and interrupts."""
    with open("/proc/stat", encoding="utf-8") as file:
        ticks = next(line for line in file if line.startswith(f"cpu{SERVER} ")).split()
    return sum(int(ticks[field]) for field in (1, 2, 3, 6, 7)) / os.sysconf("SC_CLK_TCK")


# --- The page.


def page(options, cases, facts):
    lines = harness.heading("HTTP beside nginx and Caddy", facts)
    lines += ["Medians of the rounds. Each server has one core, its clients another. *For each CPU second*: of the server's",
              "processes, user and system. *× nginx* compares that: requests of 2 KiB, bytes of 10 MiB; the range is that of the",
              "rounds. *Logged*: each request has a line in a file. Memory is that in the middle of a run.", "",
              "| case | server | requests for each CPU second | MB for each CPU second | × nginx | requests/s | MB/s | CPU | memory, MB |",
              "|---|---|--:|--:|--:|--:|--:|--:|--:|"]
    for case in options.cases:
        rounds, key = cases[case.name], "mb_per_cpu_s" if case.file == LARGE[0] else "requests_per_cpu_s"
        for name in options.servers:
            def value(key, form=",.0f", its=rounds[name]):
                return format(harness.median(its, key), form)
            ratio = "–"
            if "nginx" in options.servers:
                ratios = sorted(its[key] / other[key] for its, other in zip(rounds[name], rounds["nginx"]))
                ratio = f"{ratios[len(ratios) // 2]:.2f}"
                if name != "nginx":
                    ratio += f" ({ratios[0]:.2f} to {ratios[-1]:.2f})"
            lines.append(f"| {case.name} | {name} | {value('requests_per_cpu_s')} | {value('mb_per_cpu_s')} | {ratio} "
                         f"| {value('requests_per_s')} | {value('mb_per_s')} | {value('busy_percent')} % | {value('memory_mb')} |")
    return "\n".join([*lines, ""])


def prepare(folder):
    """Files, a certificate, and the suite of the clients."""
    os.makedirs(f"{folder}/www")
    chance = random.Random(1)
    for name, size in (SMALL, LARGE):
        with open(f"{folder}/www/{name}", "wb") as file:
            file.write(chance.randbytes(size))
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90",
                    "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-addext", "basicConstraints=critical,CA:FALSE", "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"],
                   check=True, stderr=subprocess.DEVNULL)
    with open(f"{folder}/openssl.cnf", "w", encoding="utf-8") as file:
        file.write(f"openssl_conf = all\n[all]\nssl_conf = ssl\n[ssl]\nsystem_default = suite\n[suite]\nCiphersuites = {SUITE}\n")


def main():
    options = arguments()
    harness.ends_with_children()
    folder = tempfile.mkdtemp(prefix="tuffet-http-", dir=options.files)
    measured = {case.name: {name: [] for name in options.servers} for case in options.cases}
    try:
        prepare(folder)
        for number in range(options.rounds):
            for case in options.cases:
                print(f"round {number + 1} of {options.rounds}: {case.name}", file=sys.stderr)
                for name in options.servers:
                    measured[case.name][name].append(run(options, case, name, folder))
    finally:
        harness.end_all()
        shutil.rmtree(folder, ignore_errors=True)
    facts = harness.facts_of(options.tuffet, options.rounds)
    facts["programs"] = ", ".join(f"{name} {version}" for name, version in versions(options).items())
    system = subprocess.run(["findmnt", "-n", "-o", "FSTYPE", "-T", options.files], text=True, stdout=subprocess.PIPE, check=False)
    facts["files"] = f"in the page cache of {system.stdout.strip()}"
    facts["load"] = f"{options.seconds} s by wrk: 64 connections for files of 2 KiB, 8 for those of 10 MiB"
    facts["HTTPS"] = f"TLS 1.3, {SUITE}, a certificate with ECDSA and P-256"
    harness.publish(options.out, "http", facts, measured, page(options, measured, facts))


if __name__ == "__main__":
    main()
