"""The servers that firmware can load from, each in the foreground on port 69 of the bridge."""

import socket
import subprocess
import time
from pathlib import Path


class Server:
    """Serves `folder` at `address` as long as it is entered."""

    def __init__(self, options, address: str, folder: Path):
        self.options, self.address, self.folder = options, address, folder

    @staticmethod
    def program(options) -> str:
        raise NotImplementedError

    def command(self) -> list:
        raise NotImplementedError

    def __enter__(self) -> "Server":
        output = self.output()
        self.process = subprocess.Popen(self.command(), stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        try:
            self._serves()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.process.terminate()
        self.process.wait()

    def output(self):
        """Where it prints: a file, or what `subprocess` takes for one."""
        return None if self.options.verbose else subprocess.DEVNULL

    def check(self) -> None:
        """It must still be there after the load."""
        if self.process.poll() is not None:
            raise RuntimeError(f"{self.command()[0]} ended with {self.process.returncode}")

    def _serves(self) -> None:
        """Waits until it answers: an ERROR for a file that does not exist will do."""
        end = time.monotonic() + 30
        with socket.socket(socket.AF_INET6 if ":" in self.address else socket.AF_INET, socket.SOCK_DGRAM) as asks:
            asks.settimeout(0.2)
            while time.monotonic() < end:
                self.check()
                asks.sendto(b"\0\1none\0octet\0", (self.address, 69))
                try:
                    asks.recv(1024)
                    return
                except OSError:
                    time.sleep(0.02)
        raise TimeoutError(f"{self.command()[0]} does not serve")


class Tuffet(Server):
    @staticmethod
    def program(options) -> str:
        return str(options.binary)

    def command(self) -> list:
        command = [self.program(self.options), "serve", "--listen", f"[{self.address}]:69" if ":" in self.address else f"{self.address}:69", "--user", "root"]
        if self.options.floor is None:
            return [*command, "--root", str(self.folder)]
        # `initial` may not lie below `floor`.
        config = self.folder / "tuffet.yaml"
        floor = self.options.floor
        config.write_text(
            f"roots: [{{ name: boot, path: {self.folder} }}]\n"
            f"transfer: {{ retransmit: {{ floor: {floor}, initial: {floor} }} }}\n"
        )
        return [*command, "--config", str(config)]


class LoggedTuffet(Tuffet):
    """Writes its log, a JSON object for each line, to a file that is complete at the end."""

    def __init__(self, options, address: str, folder: Path, log: Path, config: Path | None, single_port: bool):
        super().__init__(options, address, folder)
        self.log, self.config, self.single_port = log, config, single_port

    def command(self) -> list:
        words = ["--log-format", "json", *(["--single-port"] if self.single_port else [])]
        if self.config is None:
            return [*super().command(), *words]
        return [self.program(self.options), "serve", "--config", str(self.config), *words]

    def output(self):
        return self.log.open("wb")


class Atftpd(Server):
    @staticmethod
    def program(options) -> str:
        return "atftpd"

    def command(self) -> list:
        name = self.program(self.options)
        log = ["--verbose=7", "--logfile", "-"] if self.options.verbose else ["--verbose=0", "--logfile", "/dev/null"]
        return [name, "--daemon", "--no-fork", *log, "--bind-address", self.address, "--user", "root", "--group", "root",
                str(self.folder)]  # fmt: skip


class Dnsmasq(Server):
    @staticmethod
    def program(options) -> str:
        return "dnsmasq"

    def command(self) -> list:
        return [self.program(self.options), "--no-daemon", "--port=0", "--enable-tftp", f"--tftp-root={self.folder}",
                f"--listen-address={self.address}", "--bind-interfaces", "--pid-file=", "--user=root", "--conf-file=/dev/null"]  # fmt: skip


SERVERS = {"tuffet": Tuffet, "atftpd": Atftpd, "dnsmasq": Dnsmasq}
