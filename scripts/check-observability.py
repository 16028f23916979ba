#!/usr/bin/env python3
"""Runs examples/observability by its plain commands, as they stand, and looks at what comes out.

    scripts/check-observability.py TUFFET [COLLECTOR]

Needs Debian's package prometheus; says what it skips.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent.parent
EXAMPLE = HERE / "examples" / "observability"
PROMETHEUS = "127.0.0.1:9090"
METRICS = "http://127.0.0.1:6980/metrics"
PATIENCE = 90


def skip(why: str) -> None:
    print(f"skipped: examples/observability: {why}")
    sys.exit(0)


def fetch(url: str) -> str:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(url, timeout=10) as answer:
            return answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.read().decode()


def until(what: str, is_so):
    """What `is_so` answers, as soon as that is something."""
    end = time.monotonic() + PATIENCE
    while True:
        try:
            if found := is_so():
                return found
        except (OSError, ValueError):
            pass
        if time.monotonic() > end:
            sys.exit(f"examples/observability: it never came about that {what}")
        time.sleep(0.2)


def query(expression: str) -> dict:
    return json.loads(fetch(f"http://{PROMETHEUS}/api/v1/query?" + urllib.parse.urlencode({"query": expression})))


def expressions(within) -> list[str]:
    if isinstance(within, dict):
        own = [within["expr"]] if "expr" in within else []
        return own + [found for value in within.values() for found in expressions(value)]
    return [found for value in within for found in expressions(value)] if isinstance(within, list) else []


def check_dashboard() -> int:
    """Each expression is one that Prometheus understands, about metrics that there are."""
    dashboard = json.loads((EXAMPLE / "grafana" / "tuffet.json").read_text())
    # Metrics of sinks and of failures appear when there are any; the documentation has all.
    known = set(re.findall(r"tuffet_\w+", (HERE / "docs" / "metrics.md").read_text()))
    found = expressions(dashboard)
    for expression in found:
        answer = query(expression.replace("$__rate_interval", "1m"))
        if answer["status"] != "success":
            sys.exit(f"grafana/tuffet.json: {expression}: {answer.get('error')}")
        names = {re.sub(r"_bucket$", "", name) for name in re.findall(r"tuffet_\w+", expression)}
        if names - known:
            sys.exit(f"grafana/tuffet.json: {expression}: there is no {', '.join(sorted(names - known))}")
    return len(found)


def check_compose() -> None:
    if shutil.which("docker") and subprocess.run(["docker", "compose", "version"], capture_output=True).returncode == 0:
        subprocess.run(["docker", "compose", "config", "--quiet"], cwd=EXAMPLE, check=True)
        return
    try:
        import yaml
    except ImportError:
        print("skipped: compose.yaml: neither `docker compose` nor PyYAML is installed")
        return
    for service in yaml.safe_load((EXAMPLE / "compose.yaml").read_text())["services"].values():
        for volume in service["volumes"]:
            if not (EXAMPLE / volume.split(":")[0]).exists():
                sys.exit(f"compose.yaml: there is no {volume}")


def main() -> None:
    tuffet, collector = ([Path(given).resolve() for given in sys.argv[1:]] + [None])[:2]
    if not (shutil.which("prometheus") and shutil.which("promtool")):
        skip("Debian's package prometheus is not installed")
    for kind, port in [("udp", 6969), ("tcp", 6980), ("tcp", 4317), ("tcp", 4318), ("tcp", 9090)]:
        with socket.socket(type=socket.SOCK_DGRAM if kind == "udp" else socket.SOCK_STREAM) as taken:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, kind == "tcp")
            try:
                taken.bind(("127.0.0.1", port))
            except OSError:
                skip(f"port {port} is in use")
    subprocess.run(["promtool", "check", "config", "prometheus.yml"], cwd=EXAMPLE, check=True, capture_output=True)
    check_compose()
    running = []
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "collector"

        def start(command: list, log: Path, **more) -> None:
            with log.open("wb") as out:
                running.append(subprocess.Popen(command, stdout=out, stderr=out, **more))

        try:
            config = "examples/observability/tuffet.yaml"
            start([tuffet, "serve", "--user", str(os.getuid()), "--config", config], Path(folder) / "tuffet", cwd=HERE)
            if collector:
                start([collector, "--config", "collector.yaml"], said, cwd=EXAMPLE)
            flags = ["--web.listen-address", PROMETHEUS, "--storage.tsdb.path", f"{folder}/data"]
            start(["prometheus", "--config.file", "prometheus.yml", *flags], Path(folder) / "prometheus", cwd=EXAMPLE)
            until("the server serves", lambda: fetch(METRICS))
            if collector:
                until("the collector is ready", lambda: b"Everything is ready" in said.read_bytes())
            ask = [tuffet, "get", "-q", "-o", "-"]
            done = subprocess.run([*ask, "tftp://127.0.0.1:6969/hello.txt"], capture_output=True, check=True)
            if done.stdout != (EXAMPLE / "files" / "hello.txt").read_bytes():
                sys.exit(f"hello.txt came as {done.stdout!r}")
            subprocess.run([*ask, "tftp://127.0.0.1:6969/secret/x"], capture_output=True)
            subprocess.run(["promtool", "check", "metrics"], input=fetch(METRICS).encode(), check=True)
            until("Prometheus asks the server", lambda: query('up{job="tuffet"} == 1')["data"]["result"])
            served = 'tuffet_transfers_total{operation="read",outcome="served"} == 1'
            until("Prometheus has its metrics", lambda: query(served)["data"]["result"])
            count = check_dashboard()
            if collector:
                for due in ["Name           : tftp.read", "error.type: Str(denied)", "Body: Str(transfer)"]:
                    until(f"the collector prints `{due}`", lambda due=due: due in said.read_text())
            print(f"examples/observability: good ({count} expressions of the dashboard)")
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.wait()


main()
