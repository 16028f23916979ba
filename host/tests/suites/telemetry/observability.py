#!/usr/bin/env python3
"""Runs examples/observability by its plain commands, as they stand, and looks at what comes out.

    host/tests/suites/telemetry/observability.py TUFFET [COLLECTOR]

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

HERE = Path(__file__).resolve().parents[4]
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


def check_names(file: str, expression: str) -> None:
    """An expression is about metrics that there are. Some appear only when there is a sink or a failure; the
    documentation has all."""
    name = r"\b(?:tuffet|process)_\w+"
    known = set(re.findall(name, (HERE / "docs" / "metrics.md").read_text()))
    unknown = {re.sub(r"_bucket$", "", found) for found in re.findall(name, expression)} - known
    if unknown:
        sys.exit(f"{file}: {expression}: there is no {', '.join(sorted(unknown))}")


def dashboard() -> list[str]:
    found = expressions(json.loads((EXAMPLE / "grafana" / "tuffet.json").read_text()))
    for expression in found:
        check_names("grafana/tuffet.json", expression)
    return found


def check_dashboard() -> int:
    """Each expression is one that Prometheus understands."""
    found = dashboard()
    for expression in found:
        answer = query(expression.replace("$__rate_interval", "1m").replace("$instance", ".*"))
        if answer["status"] != "success":
            sys.exit(f"grafana/tuffet.json: {expression}: {answer.get('error')}")
    return len(found)


def check_alerts() -> int:
    """Each alert is valid, fires in its test, is about metrics that there are, and has a section in the documentation."""
    for arguments in (["check", "rules", "alerts.yml"], ["test", "rules", "alerts_test.yml"]):
        done = subprocess.run(["promtool", *arguments], cwd=EXAMPLE, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"promtool {' '.join(arguments)}:\n{done.stdout}{done.stderr}")
    rules = (EXAMPLE / "alerts.yml").read_text()
    for expression in re.findall(r"expr: (.+(?:\n {10,}.+)*)", rules):
        check_names("alerts.yml", expression)
    alerts = re.findall(r"- alert: (\w+)", rules)
    tests = (EXAMPLE / "alerts_test.yml").read_text()
    headings = re.findall(r"^### (\w+)$", (HERE / "docs" / "alerts.md").read_text(), re.MULTILINE)
    if sorted(headings) != sorted(alerts):
        sys.exit(f"docs/alerts.md and alerts.yml differ: {set(headings) ^ set(alerts)}")
    for alert in alerts:
        if f"runbook: docs/alerts.md#{alert.lower()}\n" not in rules:
            sys.exit(f"alerts.yml: {alert} names no section of docs/alerts.md")
        if not re.search(rf"alertname: {alert}\n\s+exp_alerts:\n", tests):
            sys.exit(f"alerts_test.yml: {alert} never fires")
    return len(alerts)


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
    dashboard()
    alerts = check_alerts()
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
            until("Prometheus has evaluated the alerts", lambda: json.loads(fetch(f"http://{PROMETHEUS}/api/v1/rules"))["data"]["groups"])
            print(f"examples/observability: good ({count} expressions of the dashboard, {alerts} alerts)")
        finally:
            for process in running:
                process.terminate()
            for process in running:
                process.wait()


main()
