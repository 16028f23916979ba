"""What the benchmarks in Python share: processes that end with them, CPU time, medians, and the files of a result."""

import datetime
import json
import os
import platform
import shutil
import signal
import socket
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
PIPE = subprocess.PIPE
# What must not outlive the program.
RUNNING = []


def ends_with_children():
    """Lets SIGTERM pass through `finally`, which calls `end_all`."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("terminated"))


def end_all():
    for process in RUNNING:
        if process.poll() is None:
            process.kill()


def start(command, **more):
    process = subprocess.Popen(command, **more)
    RUNNING.append(process)
    return process


def free_port():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def answers(port, process, name="the server"):
    """An ERROR for a file that nobody has shows that the server is there."""
    if process.poll() is not None:
        sys.exit(f"{name} ended with {process.returncode}")
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.settimeout(0.2)
        probe.sendto(b"\0\1nobody-has-this\0octet\0", ("127.0.0.1", port))
        try:
            return probe.recv(600)[:2] == b"\0\5"
        except OSError:
            return False


def on_core(core):
    """The prefix of a command that keeps it on one core, where there are two."""
    return ["taskset", "-c", str(core)] if os.cpu_count() > 1 and shutil.which("taskset") else []


def cpu_seconds(process):
    """CPU time of a process so far."""
    with open(f"/proc/{process.pid}/stat", encoding="utf-8") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def report_of(load):
    """The JSON of tuffet-load; ends the benchmark if a transfer was not sound."""
    text, _ = load.communicate()
    report = json.loads(text)
    if report["failed"] or report["wrong_bytes"]:
        sys.exit(f"not all transfers are sound: {json.dumps(report, indent=1)}")
    return report


def median(rounds, key):
    values = sorted(entry[key] for entry in rounds)
    return values[len(values) // 2]


def facts_of(program, rounds):
    revision = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=HERE, text=True, stdout=subprocess.PIPE, check=False
    )
    optimised = "debug" not in os.path.abspath(program).split(os.sep)
    return {
        "date": datetime.date.today().isoformat(),
        "revision": revision.stdout.strip(),
        "machine": f"{os.cpu_count()} cores, kernel {platform.release()}",
        "rounds": rounds,
        "build": "release" if optimised else "debug: compare rows with each other, not with other pages",
    }


def heading(title, facts):
    """The first lines of a page."""
    lines = [f"# {title}, {facts['date']}", "", "| | |", "|---|---|"]
    return lines + [f"| {key} | {value} |" for key, value in facts.items() if key != "date"] + [""]


def publish(out, name, facts, cases, page, plot=None):
    """Writes DATE-NAME.json, DATE-NAME.md and, if there is a plot, DATE-NAME.svg, and prints the page."""
    os.makedirs(out, exist_ok=True)
    base = os.path.join(out, f"{facts['date']}-{name}")
    with open(f"{base}.json", "w", encoding="utf-8") as file:
        json.dump({"facts": facts, "cases": cases}, file, indent=1)
        file.write("\n")
    with open(f"{base}.md", "w", encoding="utf-8") as file:
        file.write(page)
    if plot:
        with open(f"{base}.svg", "w", encoding="utf-8") as file:
            file.write(plot)
    print(page)
