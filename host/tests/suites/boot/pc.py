"""A PC in QEMU that boots from the network: with SeaBIOS and an iPXE ROM, or with UEFI."""

import shutil
import subprocess
import tempfile
from pathlib import Path

from cable import MAC
from console import Console, connect

EMULATOR = "qemu-system-x86_64"


def bios(*_: Path) -> list:
    """SeaBIOS prints on the serial console; the card has the iPXE ROM that QEMU gives it (Debian's ipxe-qemu).

    Only in that ROM QEMU writes the identity of the card, without which SeaBIOS does not start it.
    """
    return ["-machine", "pc,graphics=off", *card()]


def bios_e1000(*_: Path) -> list:
    """The same with another card, whose ROM has a driver of iPXE of its own."""
    return ["-machine", "pc,graphics=off", *card(model="e1000")]


def uefi(packages: Path, folder: Path) -> list:
    """OVMF with its own drivers and its own TFTP client."""
    return ["-machine", "q35", *flash(packages, folder, "OVMF_CODE_4M.fd", "OVMF_VARS_4M.fd"), *card(",romfile=")]


def uefi_http(packages: Path, folder: Path) -> list:
    """OVMF that boots by HTTP: without PXE, which it would try first."""
    return [*uefi(packages, folder), *without_pxe()]


def uefi_ipv6(packages: Path, folder: Path) -> list:
    """OVMF that asks for addresses of IPv6 alone."""
    family = [option for number, answer in ((4, "no"), (6, "yes"))
              for option in ("-fw_cfg", f"name=opt/org.tianocore/IPv{number}PXESupport,string={answer}")]  # fmt: skip
    return [*uefi(packages, folder), *family]


def secure_uefi(packages: Path, folder: Path) -> list:
    """The same with Secure Boot and Microsoft's keys; the variables can be changed in System Management Mode alone."""
    return [
        "-machine", "q35,smm=on", "-global", "driver=cfi.pflash01,property=secure,value=on",
        "-global", "ICH9-LPC.disable_s3=1", *flash(packages, folder, "OVMF_CODE_4M.secboot.fd", "OVMF_VARS_4M.ms.fd"),
        *card(",romfile="),
    ]  # fmt: skip


def secure_uefi_http(packages: Path, folder: Path) -> list:
    return [*secure_uefi(packages, folder), *without_pxe()]


def without_pxe() -> list:
    return [option for number in (4, 6) for option in ("-fw_cfg", f"name=opt/org.tianocore/IPv{number}PXESupport,string=no")]


def flash(packages: Path, folder: Path, code: str, variables: str) -> list:
    of_guest = folder / "variables.fd"
    shutil.copyfile(packages / "usr/share/OVMF" / variables, of_guest)
    return [
        "-drive", f"if=pflash,format=raw,unit=0,readonly=on,file={packages / 'usr/share/OVMF' / code}",
        "-drive", f"if=pflash,format=raw,unit=1,file={of_guest}",
    ]  # fmt: skip


def card(rom: str = "", model: str = "virtio-net-pci") -> list:
    return ["-device", f"{model},netdev=cable,mac={MAC},bootindex=1{rom}"]


class Pc:
    """A machine from power-on; `console` is its serial console."""

    def __init__(self, kind, packages: Path, cable, name: str, verbose: bool):
        self.kind, self.packages, self.cable, self.name, self.verbose = kind, packages, cable, name, verbose

    def __enter__(self) -> "Pc":
        self.folder = tempfile.TemporaryDirectory(prefix="tuffet-guest-")
        folder = Path(self.folder.name)
        self.process = subprocess.Popen(
            [
                EMULATOR, *self.kind(self.packages, folder), "-accel", "tcg", "-cpu", "max", "-m", "512", "-nodefaults",
                "-display", "none", "-no-reboot", "-device", "virtio-rng-pci",
                "-chardev", f"socket,id=console,path={folder}/console,server=on,wait=on", "-serial", "chardev:console",
                "-netdev", f"tap,id=cable,ifname={self.cable.tap},script=no,downscript=no",
            ],
            stdin=subprocess.DEVNULL,
            # It says there that it waits.
            stderr=None if self.verbose else subprocess.DEVNULL,
        )  # fmt: skip
        try:
            # QEMU waits for this connection, so nothing of the console is missing.
            self.console = Console(connect(self.process, f"{folder}/console"), self.name, self.verbose)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait()
        self.folder.cleanup()
