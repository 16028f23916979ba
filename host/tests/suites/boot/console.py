"""The sockets of a machine in QEMU: its serial console, and the way to connect to it and to the monitor."""

import re
import socket
import subprocess
import time


def connect(process: subprocess.Popen, path: str) -> socket.socket:
    """Connects to a socket that this QEMU opens while it starts."""
    end = time.monotonic() + 30
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(path)
            return connection
        except OSError:
            connection.close()
            if process.poll() is not None or time.monotonic() > end:
                raise
            time.sleep(0.02)


class Console:
    """What a machine prints, without carriage returns and the sequences that place the cursor."""

    def __init__(self, connection: socket.socket, name: str, verbose: bool):
        self.connection, self.name, self.verbose, self.said = connection, name, verbose, ""

    def type(self, line: str) -> None:
        self.connection.sendall(line.encode() + b"\n")

    def until(self, pattern: str, patience: float) -> None:
        """Reads until `said` has the pattern."""
        end = time.monotonic() + patience
        while not re.search(pattern, self.said):
            if time.monotonic() > end:
                raise TimeoutError(f"{self.name} did not come to {pattern!r}: {self.said[-500:]!r}")
            self.read(0.2)

    def read(self, patience: float) -> None:
        self.connection.settimeout(patience)
        try:
            said = self.connection.recv(65536).decode(errors="replace")
        except TimeoutError:
            return
        if not said:
            raise ConnectionError("QEMU has ended")
        if self.verbose:
            print(said, end="", flush=True)
        self.said += re.sub(r"\x1b\[[0-9;?=]*[a-zA-Z]", "", said.replace("\r", ""))
