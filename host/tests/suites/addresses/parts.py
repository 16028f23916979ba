"""The servers, their clients, and the daemons that move addresses."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from network import Space

SIZE = 400_000
CLIENTS = 200
# How many seconds a client waits for the next block before it gives up: a short time, so that the tests of faults are
# short, and longer than `drain` where nothing may be lost, as boot ROMs wait longer.
PATIENCE = 4
LONG_PATIENCE = 40


class Failure(Exception):
    pass


def until(what: str, holds: Callable[[], bool], seconds: float = 30) -> float:
    """Waits until it holds; returns how long that took."""
    begin = time.monotonic()
    while not holds():
        if time.monotonic() - begin > seconds:
            raise Failure(f"after {seconds} s still not: {what}")
        time.sleep(0.02)
    return time.monotonic() - begin


class Server:
    """Tuffet in a namespace, with the admin listener at 127.0.0.1:6980 of it."""

    def __init__(self, space: Space, binary: Path, folder: Path, port: int = 69, **keys: str):
        self.space = space
        listener = {"address": f"0.0.0.0:{port}"}
        for key in ("single-port", "tid-ports"):
            if value := keys.pop(key.replace("-", "_"), None):
                listener[key] = value
        configuration = {
            "listeners": [listener],
            "roots": [{"name": "boot", "path": str(folder / "files")}],
            "admin": {},
            "control": "none",
            "state": str(folder / f"{space.name}.state"),
            "workers": 1,
            "limits": {"per-client": {"transfers": 1000}},
            **{key.replace("_", "-"): value for key, value in keys.items()},
        }
        path = folder / f"{space.name}.yaml"
        path.write_text(json.dumps(configuration))
        self.log = folder / f"{space.name}.log"
        with self.log.open("w") as log:
            self.process = space.start(
                str(binary), "serve", "--config", str(path), "--user", str(os.getuid()), "--log", "warn",
                stderr=log,
            )  # fmt: skip
        until(f"{space.name} serves: {self.log.read_text()}", lambda: self.status("/readyz") == 200)

    def ask(self, path: str, *more: str) -> str:
        url = f"http://127.0.0.1:6980{path}"
        return self.space.run("curl", "--silent", "--noproxy", "*", "--max-time", "5", *more, url, check=False)

    def status(self, path: str) -> int:
        return int(self.ask(path, "--output", "/dev/null", "--write-out", "%{http_code}") or 0)

    def metric(self, name: str) -> int:
        lines = [line for line in self.ask("/metrics").splitlines() if line.startswith(name)]
        return sum(int(float(line.split()[-1])) for line in lines)

    def active(self) -> int:
        return self.metric("tuffet_transfers_active")

    def terminate(self) -> None:
        self.process.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def wait(self, seconds: float = 60) -> None:
        code = self.process.wait(seconds)
        if code:
            raise Failure(f"{self.space.name}: exit code {code}\n{self.log.read_text()}")


class Load:
    """Clients that read one file after the other for some seconds."""

    def __init__(self, space: Space, binary: Path, folder: Path, address: str, seconds: float, patience: int):
        self.process = space.start(
            str(binary), "--server", address, "--file", "file", "--expect", str(folder / "files"), "--json",
            "--concurrency", str(CLIENTS), "--duration", f"{seconds}s", "--client-timeout", "500ms",
            "--timeout", f"{patience}s", stdout=subprocess.PIPE, text=True,
        )  # fmt: skip

    def result(self) -> "Result":
        out, _ = self.process.communicate(timeout=120)
        return Result(json.loads(out))


class Result:
    """What the clients saw."""

    def __init__(self, figures: dict):
        self.completed = figures["completed"]
        self.lost = figures["failed"] + figures["timed_out"]
        self.wrong = figures["wrong_bytes"]
        self.repeats = figures["client_timeouts"]
        self.slowest = figures["completion_ms"]["max"] / 1000
        self.errors = figures["errors"]

    def expect(self, lost: range | int) -> None:
        """As many transfers may have been lost, and nothing else."""
        allowed = lost if isinstance(lost, range) else range(lost, lost + 1)
        if self.lost not in allowed or self.wrong or not self.completed:
            raise Failure(f"{self.lost} transfers lost ({allowed} allowed), {self.wrong} wrong, "
                          f"{self.completed} completed, errors {self.errors}")  # fmt: skip


def single(space: Space, address: str, folder: Path) -> None:
    """curl and atftp get the file as well."""
    content = (folder / "files/file").read_bytes()
    copy = folder / "copy"
    for words in (
        ["curl", "--silent", "--max-time", "20", "--output", str(copy), f"tftp://{address}/file"],
        ["atftp", "--option", "blksize 1428", "--get", "--remote-file", "file", "--local-file", str(copy), address],
    ):
        copy.unlink(missing_ok=True)
        space.run(*words)
        if copy.read_bytes() != content:
            raise Failure(f"{words[0]} got something else")


# Exit status 0 if the server wants clients.
READY = "curl --silent --noproxy '*' --fail --output /dev/null --max-time 1 http://127.0.0.1:6980/readyz"


def keepalived(space: Space, folder: Path, priority: int, address: str) -> None:
    check = folder / "ready.sh"
    check.write_text(f"#!/bin/sh\nexec {READY}\n")
    check.chmod(0o755)
    path = folder / f"{space.name}.keepalived"
    path.write_text(f"""
        global_defs {{ vrrp_version 3
            script_user root
            vrrp_garp_master_refresh 1 }}
        vrrp_script ready {{ script "{check}"
            interval 1
            timeout 2
            fall 1
            rise 1 }}
        vrrp_instance tftp {{ state BACKUP
            interface eth0
            virtual_router_id 69
            priority {priority}
            advert_int 0.2
            virtual_ipaddress {{ {address}/32 dev eth0 }}
            track_script {{ ready }} }}
    """)
    pids = [f"--{word}={folder}/{space.name}.{word}" for word in ("pid", "vrrp_pid", "checkers_pid")]
    with (folder / f"{space.name}.keepalived.log").open("w") as log:
        space.start("keepalived", "--dont-fork", "--log-console", "--vrrp", f"--use-file={path}", *pids, stdout=log, stderr=log)


def bird(space: Space, folder: Path, configuration: str) -> None:
    path = folder / f"{space.name}.bird"
    path.write_text("log stderr all;\nprotocol device { scan time 1; }\n" + configuration)
    with (folder / f"{space.name}.bird.log").open("w") as log:
        space.start("bird", "-f", "-c", str(path), "-s", str(folder / f"{space.name}.ctl"), stderr=log)


def follow(space: Space, folder: Path, path: str = "/readyz") -> None:
    """Announces the address while the server wants clients: what an operator's script does."""
    birdc = f"birdc -s {folder}/{space.name}.ctl"
    ready = READY.replace("/readyz", path)
    loop = f"""
        was=
        while sleep 0.2; do
            if {ready}; then now=enable; else now=disable; fi
            [ "$now" = "$was" ] || {birdc} "$now" anycast >/dev/null && was=$now
        done
    """
    space.start("sh", "-c", loop)
