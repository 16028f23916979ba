"""Which firmware a case runs: Debian's packages with their versions."""

import subprocess
from pathlib import Path
from urllib.parse import unquote

import pc

# What packages.sh unpacks, by the begin of its paths.
UNPACKED = {
    "usr/lib/ipxe/": "ipxe",
    "usr/lib/PXELINUX/": "pxelinux",
    "usr/lib/grub/i386-pc": "grub-pc-bin",
    "usr/lib/grub/x86_64-efi/": "grub-efi-amd64-bin",
    "usr/lib/grub/x86_64-efi-signed/": "grub-efi-amd64-signed",
    "usr/lib/shim/": "shim-signed",
}


def of(chain, packages: Path) -> str:
    """`NAME VERSION`, of the firmware and of what it loads."""
    if chain.machine is None:
        return installed("u-boot-qemu")
    first = installed("ipxe-qemu") if chain.machine in (pc.bios, pc.bios_e1000) else unpacked("ovmf", packages)
    paths = [*chain.files.values(), *chain.needs]
    names = [name for begin, name in UNPACKED.items() if any(path.startswith(begin) for path in paths)]
    return ", ".join([first, *(unpacked(name, packages) for name in names)])


def unpacked(name: str, packages: Path) -> str:
    """Of the last one that was unpacked."""
    listed = packages / "versions.txt"
    words = [line.split("_") for line in listed.read_text().splitlines()] if listed.exists() else []
    found = [version for package, version, *_ in words if package == name]
    return f"{name} {unquote(found[-1]) if found else 'of unknown version'}"


def installed(name: str) -> str:
    command = ["dpkg-query", "--show", "--showformat=${Version}", name]
    try:
        version = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        version = "of unknown version"
    return f"{name} {version}"
