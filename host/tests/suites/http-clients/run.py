#!/usr/bin/env python3
"""curl, wget and aria2 against the server: ranges, resumption, conditions, uploads, HTTP/1.0, and HTTPS with an authority.

    host/tests/suites/http-clients/run.py BINARY [PYTHON]

Bytes and exit codes of the clients count, and how much of each file left the server by its log. A client that is not
installed is skipped, and reported. With a PYTHON that has REDbot, that judges answers.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from skipping import skip  # noqa: E402

SIZE = 8 << 20
HALF = SIZE // 2
KEY = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90"]


class Server:
    """The server with a file, a listener of HTTP and one of HTTPS; `finished` has its log lines of requests at the end."""

    def __init__(self, binary: str, folder: Path):
        self.binary, self.folder, self.root = binary, folder, folder / "root"
        self.root.mkdir()
        self.content = os.urandom(SIZE)
        certificates(folder)
        tls = "tls: { certificate: cert.pem, key: key.pem, client-ca: ca.pem }"
        (folder / "tuffet.yaml").write_text(
            'listeners: [{ address: "127.0.0.1:0" }]\n'
            "roots: [{ name: files, path: root, writable: true }]\n"
            "control: control\nstate: state\npolicy: { compiled: none }\n"
            f'http: {{ listeners: [{{ name: plain, address: "127.0.0.1:0" }}, {{ name: tls, address: "127.0.0.1:0", {tls} }}] }}\n'
        )

    def __enter__(self) -> "Server":
        # The folder belongs to its user.
        as_root = ["--user", "root"] if os.geteuid() == 0 else []
        command = [self.binary, "serve", "--config", "tuffet.yaml", "--log-format", "json", *as_root]
        self.process = subprocess.Popen(command, cwd=self.folder, stderr=subprocess.PIPE, text=True)
        self.urls, said = {}, []
        for line in self.process.stderr:
            said.append(line)
            entry = json.loads(line) if line.startswith("{") else {}
            if "url" in entry:
                self.urls[entry["listener"]] = entry["url"]
            if entry.get("message") == "serving":
                return self
        raise RuntimeError(f"the server does not start: {''.join(said)}")

    def __exit__(self, *_) -> None:
        self.process.terminate()
        entries = (json.loads(line) for line in self.process.stderr if line.startswith("{"))
        self.finished = [entry for entry in entries if entry.get("protocol") == "http"]
        self.process.wait()


class Client:
    """One program, in a folder of its own; all names that it requests begin with its own."""

    def __init__(self, name: str, server: Server):
        self.name, self.server, self.folder = name, server, server.folder / name
        self.folder.mkdir()
        self.source = server.root / f"{name}-image"
        self.source.write_bytes(server.content)
        self.image, self.secret = (f"{server.urls[listener]}/{name}-image" for listener in ("plain", "tls"))
        self.missing = f"{server.urls['plain']}/{name}-none"

    def run(self, *words: str, expect: int = 0, given: bytes | None = None) -> str:
        command = [self.name, *words]
        ended = subprocess.run(command, cwd=self.folder, input=given, capture_output=True, timeout=60)
        said = (ended.stdout + ended.stderr).decode(errors="replace")
        assert ended.returncode == expect, f"{' '.join(command)}: {ended.returncode}, not {expect}: {said}"
        return said

    def half(self, name: str) -> None:
        (self.folder / name).write_bytes(self.server.content[:HALF])

    def got(self, name: str, begin: int = 0, end: int = SIZE) -> None:
        assert (self.folder / name).read_bytes() == self.server.content[begin:end], f"{self.name}: {name} has other bytes"
        (self.folder / name).unlink()

    def target(self, name: str) -> str:
        return f"{self.server.urls['plain']}/{self.name}-{name}"

    def stored(self, name: str) -> None:
        assert (self.server.root / f"{self.name}-{name}").read_bytes() == self.server.content, f"{self.name}: {name} was stored with other bytes"


def certificates(folder: Path) -> None:
    """An authority, a certificate for the server by it, and one for a client by it and by another authority."""

    def openssl(*words: str) -> None:
        subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

    for name in ("ca", "other-ca"):
        openssl("req", "-x509", *KEY, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.pem")
    for name, authority in (("", "ca"), ("client-", "ca"), ("stranger-", "other-ca")):
        openssl(
            "req", "-x509", *KEY, "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
            "-addext", "basicConstraints=critical,CA:FALSE", "-CA", f"{authority}.pem", "-CAkey", f"{authority}.key",
            "-keyout", f"{name}key.pem", "-out", f"{name}cert.pem",
        )  # fmt: skip


def of_curl(curl: Client) -> list:
    image, missing, content = curl.image, curl.missing, str(curl.source)
    curl.run("-sfo", "whole", image)
    curl.got("whole")
    curl.run("-sf", "--http1.0", "-o", "old", image)
    curl.got("old")
    curl.run("-sf", "-r", "1000-1999", "-o", "part", image)
    curl.got("part", 1000, 2000)
    curl.run("-sf", "-r", "-500", "-o", "last", image)
    curl.got("last", SIZE - 500)
    # Several ranges get the whole.
    curl.run("-sf", "-r", "0-0,5-9", "-o", "several", image)
    curl.got("several")
    curl.half("rest")
    curl.run("-sf", "-C", "-", "-o", "rest", image)
    curl.got("rest")
    head = curl.run("-sfI", image).lower()
    for line in (f"content-length: {SIZE}\r\n", "accept-ranges: bytes\r\n", "content-type: application/octet-stream\r\n"):
        assert line in head, f"{line!r} is missing: {head}"
    # A file that has not changed.
    curl.run("-sf", "--etag-save", "tag", "-o", "whole", image)
    answered = curl.run("-sf", "--etag-compare", "tag", "-o", "same", "-w", "%{http_code}", image)
    assert answered == "304", answered
    assert curl.run("-sf", "-z", "whole", "-o", "same", "-w", "%{http_code}", image) == "304"
    # Two requests, one connection; an answer without the file does not end it.
    connects = curl.run("-s", "-o", "1", "-o", "2", "-o", "3", "-w", "%{num_connects} ", image, missing, image)
    assert connects == "1 0 0 ", connects
    curl.run("-sf", missing, expect=22)
    # Uploads: of a length, with `Expect: 100-continue`; in chunks; to a name that is taken.
    answered = curl.run("-sfT", content, "-H", "Expect: 100-continue", "-w", "%{http_code}", curl.target("upload"))
    assert answered == "201", answered
    curl.stored("upload")
    curl.run("-sfT", "-", curl.target("chunks"), given=curl.server.content)
    curl.stored("chunks")
    assert curl.run("-sT", content, "-o", "why", "-w", "%{http_code}", curl.target("chunks")) == "409"
    # HTTPS: with the authority, with TLS 1.2, without the authority, with certificates of clients.
    secret, trusted = curl.secret, ("--cacert", "../ca.pem")
    for words in ([], ["--tls-max", "1.2"], ["--cert", "../client-cert.pem", "--key", "../client-key.pem"]):
        curl.run("-sfo", "whole", *trusted, *words, secret)
        curl.got("whole")
    curl.run("-sfo", "whole", secret, expect=60)
    stranger = ["--cert", "../stranger-cert.pem", "--key", "../stranger-key.pem"]
    curl.run("-sfo", "whole", *trusted, "--tls-max", "1.2", *stranger, secret, expect=35)
    whole = ["served whole"]
    return [
        *whole * 2, "served 1000", "served 500", *whole, f"served {HALF}", "probed 0", *whole, "probed 0", "probed 0",
        *whole, "not-found 0", *whole, "not-found 0", *["stored whole"] * 2, "denied 0", *whole * 3,
    ]  # fmt: skip


def of_wget(wget: Client) -> list:
    image = wget.image
    wget.run("-q", "-O", "whole", image)
    wget.got("whole")
    wget.half("wget-image")
    wget.run("-qc", image)
    # Nothing is left to load, and nothing has changed.
    wget.run("-qc", image)
    wget.run("-qN", image)
    wget.got("wget-image")
    wget.run("-q", "--spider", image)
    wget.run("-q", wget.missing, expect=8)
    wget.run("-q", "--method=PUT", f"--body-file={wget.source}", "-O", "answer", wget.target("upload"))
    wget.stored("upload")
    wget.run("-q", "--ca-certificate=../ca.pem", "-O", "whole", wget.secret)
    wget.got("whole")
    wget.run("-q", "-O", "whole", wget.secret, expect=5)
    return ["served whole", f"served {HALF}", "probed 0", "probed 0", "probed 0", "not-found 0", "stored whole", "served whole"]


def of_aria2c(aria2c: Client) -> None:
    """Which parts it takes by which connection depends on their speeds."""
    quiet = ("-q", "--no-conf", "--file-allocation=none")
    aria2c.run(*quiet, "-x4", "-s4", "-k1M", "-o", "whole", aria2c.image)
    aria2c.got("whole")
    aria2c.half("rest")
    aria2c.run(*quiet, "-c", "-o", "rest", aria2c.image)
    aria2c.got("rest")
    aria2c.run(*quiet, "-x4", "-s4", "-k1M", "--ca-certificate=../ca.pem", "-o", "whole", aria2c.secret)
    aria2c.got("whole")
    aria2c.run(*quiet, "-o", "none", aria2c.missing, expect=3)
    return None


def judged(python: str, server: Server) -> None:
    """REDbot finds nothing wrong with a large file, an empty one, types that firmware needs, and a refusal."""
    hour_ago = time.time() - 3600
    contents = {"image": server.content, "boot.efi": server.content, "menu.ipxe": b"#!ipxe\n" * 1000, "empty": b""}
    for name, content in contents.items():
        file = server.root / f"redbot-{name}"
        file.write_bytes(content)
        # Of a file that has just changed, the time names no version.
        os.utime(file, (hour_ago, hour_ago))
    supported = {f"good: {header} conditional requests are supported." for header in ("If-None-Match", "If-Modified-Since")}
    whole = supported | {"good: A ranged request returned the correct partial content."}
    refused = {"good: The Content-Length header is correct."}
    expected = {"image": whole, "boot.efi": whole, "menu.ipxe": whole, "empty": supported, "none": refused}
    for name, notes in expected.items():
        command = [python, str(Path(__file__).with_name("judge.py")), f"{server.urls['plain']}/redbot-{name}"]
        said = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout
        wrong = [line for line in said.splitlines() if line.startswith(("bad:", "warning:"))]
        assert not wrong, f"REDbot about {name}: {wrong}"
        assert notes <= set(said.splitlines()), f"REDbot about {name}: {notes} are missing: {said}"


CLIENTS = {"curl": of_curl, "wget": of_wget, "aria2c": of_aria2c}


def end_of(entry: dict) -> str:
    moved = entry["bytes"]
    return f"{entry['outcome']} {'whole' if moved == SIZE else moved}"


def main() -> int:
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="tuffet-http-clients-")))
        if not shutil.which("openssl"):
            skip("clients by HTTP: openssl is not installed")
            return 0
        expected = {}
        with Server(str(Path(sys.argv[1]).resolve()), folder) as server:
            for name, steps in CLIENTS.items():
                if not shutil.which(name):
                    skip(f"clients by HTTP: {name} is not installed")
                    continue
                version = subprocess.run([name, "--version"], capture_output=True, text=True).stdout.splitlines()[0]
                expected[name] = steps(Client(name, server))
                print(f"good: {version}", flush=True)
            if len(sys.argv) > 2 and Path(sys.argv[2]).exists():
                judged(sys.argv[2], server)
                print("good: REDbot", flush=True)
        for name, ends in expected.items():
            logged = [entry for entry in server.finished if entry["path"].startswith(name)]
            seen = Counter(end_of(entry) for entry in logged)
            if ends is not None:
                assert seen == Counter(ends), f"{name}: the log has {seen}, not {Counter(ends)}"
                continue
            # Two loads in parts, and one that is resumed.
            parts = [entry for entry in logged if 0 < entry["bytes"] < SIZE]
            assert len(parts) >= 5 and seen[f"served {HALF}"], f"{name}: the log has {seen}"
    return 0


if __name__ == "__main__":
    sys.exit(main())
