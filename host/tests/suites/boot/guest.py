"""U-Boot in QEMU: its console, and the monitor that stops and continues the machine."""

import json
import re
import subprocess
import tempfile
import time
from pathlib import Path

from cable import MAC
from console import Console, connect

# Emulator, image, machine, where the file goes in its memory.
FIRMWARE = {
    "arm64": (
        "qemu-system-aarch64",
        "/usr/lib/u-boot/qemu_arm64/u-boot.bin",
        ["-machine", "virt", "-cpu", "cortex-a57", "-bios"],
        0x42000000,
    ),
    "arm": (
        "qemu-system-arm",
        "/usr/lib/u-boot/qemu_arm/u-boot.bin",
        ["-machine", "virt", "-cpu", "cortex-a15", "-bios"],
        0x42000000,
    ),
    "x86": (
        "qemu-system-i386",
        "/usr/lib/u-boot/qemu-x86/u-boot.rom",
        ["-machine", "pc", "-bios"],
        0x02000000,
    ),
}


class Guest:
    """A machine at its prompt, with its network card on the cable."""

    def __init__(self, options, cable):
        self.options, self.cable = options, cable
        self.emulator, self.image, self.machine, self.address = FIRMWARE[options.firmware]

    def __enter__(self) -> "Guest":
        self.folder = tempfile.TemporaryDirectory(prefix="tuffet-guest-")
        sockets = {name: str(Path(self.folder.name) / name) for name in ("console", "monitor")}
        self.process = subprocess.Popen(
            [
                self.emulator, *self.machine, self.image, "-accel", "tcg", "-m", "256", "-nodefaults", "-display", "none",
                "-chardev", f"socket,id=console,path={sockets['console']},server=on,wait=off", "-serial", "chardev:console",
                "-qmp", f"unix:{sockets['monitor']},server=on,wait=off",
                "-netdev", f"tap,id=cable,ifname={self.cable.tap},script=no,downscript=no",
                "-device", f"virtio-net-pci,netdev=cable,mac={MAC},romfile=",
            ],
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            self.console = Console(connect(self.process, sockets["console"]), "U-Boot", self.options.verbose)
            self.monitor = connect(self.process, sockets["monitor"]).makefile("rw")
            self._monitor("qmp_capabilities")
            self.console.until(r"stop autoboot|=> $", 60)
            self.console.type("")
            self.console.until(r"=> $", 30)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    def load(self, file: str, window: int, stops: int, pause: float) -> dict:
        """Loads the file; the machine is stopped `stops` times, at equal parts of it."""
        variables = {
            "autoload": "no", "netretry": "no", "ipaddr": self.cable.guest, "netmask": "255.255.255.0",
            "serverip": self.cable.server, "tftpblocksize": self.options.blksize, "tftpwindowsize": window,
            "tftptimeout": 1000 * self.options.timeout,
        }  # fmt: skip
        for name, value in variables.items():
            self.command(f"setenv {name} {value}", 10)
        before = self.cable.bytes()
        step = (self.options.size << 20) // (stops + 1)
        self.begin = time.monotonic()
        end, done = self.begin + self.options.patience, 0
        self.console.said = ""
        self.console.type(f"tftpboot {self.address:#x} {file}")
        while not re.search(r"\n=> $", self.console.said):
            if time.monotonic() > end:
                return {"seconds": None, "stops": done, "end": f"not after {self._how_far(before)}"}
            self.console.read(0.01 if done < stops else 0.2)
            if done < stops and self.cable.bytes() - before > step * (done + 1):
                self._monitor("stop")
                time.sleep(pause)
                self._monitor("cont")
                done += 1
        seconds = time.monotonic() - self.begin
        if "Bytes transferred" not in self.console.said:
            return {"seconds": None, "stops": done, "end": f"given up after {self._how_far(before)}"}
        return {"seconds": seconds, "stops": done, "end": f"{self._timeouts()} time-outs of the guest"}

    def checksum(self) -> int:
        """CRC-32 of what `load` loaded."""
        return self._checksum(f"{self.address:#x}")

    def loaded(self) -> int:
        """CRC-32 of what U-Boot loaded by itself."""
        return self._checksum("${loadaddr}")

    def _checksum(self, address: str) -> int:
        said = self.command(f"crc32 {address} ${{filesize}}", 60)
        return int(re.search(r"==> ([0-9a-f]{8})", said).group(1), 16)

    def _how_far(self, before: int) -> str:
        sent = (self.cable.bytes() - before) / (1 << 20)
        # A guest that hears nothing any more has all of its time-outs in a row.
        in_a_row = len(self._marks()) - len(self._marks().rstrip("T"))
        timeouts = f"{self._timeouts()} time-outs of the guest, the last {in_a_row} in a row"
        return f"{time.monotonic() - self.begin:.1f} s, {timeouts}, {sent:.1f} MiB sent"

    def _timeouts(self) -> int:
        """U-Boot gives up after ten of them in one load."""
        return self._marks().count("T")

    def _marks(self) -> str:
        """What U-Boot prints on the way: a # for each ten blocks, a T for each of its time-outs."""
        loading = self.console.said.partition("Loading:")[2].partition("Retry count")[0].partition("MiB/s")[0]
        return re.sub(r"[^#T]", "", loading)

    def _monitor(self, command: str) -> None:
        self.monitor.write(json.dumps({"execute": command}) + "\n")
        self.monitor.flush()
        while "return" not in json.loads(self.monitor.readline()):
            pass

    def command(self, line: str, patience: float) -> str:
        """Gives the prompt a line and returns what it printed until the next prompt."""
        self.console.said = ""
        self.console.type(line)
        self.console.until(r"\n=> $", patience)
        return self.console.said
