"""A server with files as in a network that boots, and clients of it. Standard library alone."""

import json
import os
import pathlib
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import time

FILES = {
    "pxelinux.0": 42_000, "pxelinux.cfg/default": 700, "grub/grubx64.efi": 2_400_000, "grub/grub.cfg": 1_900,
    "debian-12/vmlinuz": 8_200_000, "debian-12/initrd.img": 38_000_000, "rescue/vmlinuz": 7_600_000,
    "rescue/initrd.img": 24_000_000, "undionly.kpxe": 71_000, "ipxe.efi": 1_050_000, "phones/default.cfg": 2_300,
    "phones/001122334455.cfg": 2_600, "firmware/switch-9.3.bin": 61_000_000, "secret/keys.tar": 9_000,
}

YAML = """
listeners: [{{ address: "127.0.0.1:0", name: lan }}]
roots: [{{ name: boot, path: files }}, {{ name: backups, path: backups, writable: true }}]
control: {folder}/control
admin: {{ address: "127.0.0.1:{port}"{token} }}
policy:
  authorize: [acl]
  resolve: [mac-map]
plugins:
  acl:
    component: builtin:acl
    reuse: {{}}
    settings:
      deny:
        - names: ["secret/**"]
          message: this folder is closed
        - clients: [127.0.8.66]
          message: this device is not registered
  mac-map:
    component: builtin:mac-map
    reuse: {{}}
    grants: [client-mac]
    settings:
      root: boot
      rules:
        - match: "SEP*.cnf.xml"
          templates: ["phones/{{mac}}.cfg"]
          fallback: ["phones/default.cfg"]
"""


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return taken.getsockname()[1]


class Server:
    """A server; `port` is that of its admin listener. It can be stopped and started again."""

    def __init__(self, binary, token=None):
        self.binary = binary
        self.temporary = tempfile.TemporaryDirectory(prefix="tuffet-live-view-")
        self.folder = pathlib.Path(self.temporary.name)
        for name, size in FILES.items():
            path = self.folder / "files" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(os.urandom(1024) * (size // 1024) + bytes(size % 1024))
        (self.folder / "backups").mkdir()
        self.port = free_port()
        secret = ""
        if token:
            (self.folder / "token").write_text(token)
            secret = ", token: { file: token }"
        (self.folder / "tuffet.yaml").write_text(YAML.format(folder=self.folder, port=self.port, token=secret))
        self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/"

    def start(self):
        command = [self.binary, "serve", "--log-format", "json", "--user", str(os.getuid()), "--config",
                   str(self.folder / "tuffet.yaml")]
        # What is compiled is kept with the build, so that later runs start at once.
        kept = pathlib.Path(self.binary).resolve().parent.parent / "live-view-compiled"
        environment = {**os.environ, "CACHE_DIRECTORY": str(kept)}
        self.log = open(self.folder / "log", "w+b")
        self.process = subprocess.Popen(command, stderr=self.log, env=environment)
        end = time.monotonic() + 120
        while True:
            lines = [json.loads(line) for line in (self.folder / "log").read_bytes().splitlines() if line.endswith(b"}")]
            if any(line["message"] == "serving" for line in lines):
                break
            assert self.process.poll() is None and time.monotonic() < end, (self.folder / "log").read_text()
            time.sleep(0.05)
        address = next(line["address"] for line in lines if line["message"] == "listening")
        self.address = ("127.0.0.1", int(address.rsplit(":", 1)[1]))

    def stop(self):
        # Twice: transfers that run do not hold it up.
        for number in [signal.SIGTERM, signal.SIGTERM]:
            if self.process.poll() is None:
                self.process.send_signal(number)
                time.sleep(0.1)
        self.process.wait(60)
        self.log.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
        self.temporary.cleanup()


class Client:
    """A TFTP client at an address of its own; `pace` seconds pass before each window is acknowledged."""

    def __init__(self, server, address):
        self.server, self.address, self.stopped = server, address, threading.Event()

    def get(self, name, pace=0.0, options=(), forget=0):
        """Reads to the end, or to an ERROR, whose text it returns. Every `forget`th window is not heard."""
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.bind((self.address, 0))
            sock.settimeout(5)
            words = [name, "octet", *(str(word) for pair in options for word in pair)]
            sock.sendto(struct.pack("!H", 1) + b"".join(word.encode() + b"\0" for word in words), self.server.address)
            blksize = int(dict(options).get("blksize", 512))
            window, due, heard, windows = int(dict(options).get("windowsize", 1)), 1, 0, 0
            while not self.stopped.is_set():
                try:
                    packet, peer = sock.recvfrom(70_000)
                except (TimeoutError, ConnectionError):
                    return "silent"
                kind, block = struct.unpack("!HH", packet[:4]) if len(packet) >= 4 else (0, 0)
                if kind == 5:
                    return packet[4:-1].decode()
                if kind == 6:
                    sock.sendto(struct.pack("!HH", 4, 0), peer)
                    continue
                if kind != 3 or block != due % 65536:
                    continue
                last = len(packet) - 4 < blksize
                heard += 1
                due += 1
                if heard == window or last:
                    heard = 0
                    windows += 1
                    if forget and windows % forget == 0 and not last:
                        time.sleep(0.35)
                    elif pace:
                        time.sleep(pace)
                    sock.sendto(struct.pack("!HH", 4, block), peer)
                if last:
                    return None
            sock.sendto(struct.pack("!HH", 5, 0) + b"stopped\0", peer)
            return "stopped"

    def put(self, name, content):
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
            sock.bind((self.address, 0))
            sock.settimeout(5)
            sock.sendto(struct.pack("!H", 2) + name.encode() + b"\0octet\0", self.server.address)
            _, peer = sock.recvfrom(1000)
            for index in range(len(content) // 512 + 1):
                part = content[index * 512:(index + 1) * 512]
                sock.sendto(struct.pack("!HH", 3, (index + 1) % 65536) + part, peer)
                sock.recvfrom(1000)

    def later(self, *arguments, **more):
        thread = threading.Thread(target=self.get, args=arguments, kwargs=more, daemon=True)
        thread.start()
        return thread
