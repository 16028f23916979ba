"""The boot chains of `make test SUITE=boot`: who boots, from which files, and what each stage asks of the server."""

import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pc
from cable import SERVER

HTTP = f"http://{SERVER}"
HTTP_TOO = f'http: {{ listeners: [{{ name: lan-http, address: "{SERVER}:80" }}] }}'
KERNEL = "console=ttyS0 earlyprintk=ttyS0 panic=-1"
IPXE = f"#!ipxe\nkernel vmlinuz {KERNEL}\ninitrd initrd.img\nboot\n"
GRUB = f"linux /vmlinuz {KERNEL}\ninitrd /initrd.img\nboot\n"
PXELINUX = f"DEFAULT linux\nLABEL linux\n  KERNEL vmlinuz\n  INITRD initrd.img\n  APPEND {KERNEL}\n"

# Maps of in.tftpd in the manner of two provisioning systems. Ironic's goes without --secure: names are absolute.
IRONIC = r"""
r ^([^/]) {root}/\1
r ^({root}/)(/)* {root}/\2
"""
FOREMAN = r"""
rg \\ /
ri ^/+
r ^(grub2?)/(grub2?)/ \1/
r ^grub/ grub2/
"""

# The kernel's first line proves that it arrived as it is: it is compressed, and with Secure Boot its signature counts.
STARTED = r"Linux version [0-9]"


@dataclass
class Chain:
    """`files` maps names below the root to files below the folder of packages, `texts` to their contents.

    With `flags` of in.tftpd and its `map`, the server's configuration is what `tuffet import` makes of them; `config` is added
    to one with a listener and a root. `{root}` stands for the folder. With `ipv6`, there is no IPv4. Without a machine, it is
    U-Boot, for which run.py makes the files.
    """

    machine: object
    boots: str
    files: dict = field(default_factory=dict)
    texts: dict = field(default_factory=dict)
    of_ipxe: str | None = None
    says: tuple = (STARTED,)
    flags: str = ""
    map: str = ""
    config: str = ""
    ipv6: bool = False
    # Without TFTP.
    by_http: bool = False
    # Makes further files below the root, of what it needs from the packages.
    makes: object = None
    needs: tuple = ()

    def lacks(self, packages: Path) -> str | None:
        """The first file that is not there."""
        if self.machine is None:
            return None
        paths = [packages / name for name in [*self.files.values(), *self.needs, "boot/vmlinuz"]]
        return next((str(path) for path in paths if not path.exists()), None)

    def lay_out(self, packages: Path, root: Path) -> None:
        if self.machine is None:
            return
        for name, source in {**self.files, "vmlinuz": "boot/vmlinuz"}.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(packages / source, root / name)
        for name, text in self.texts.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        (root / "initrd.img").write_bytes(archive())
        if self.makes:
            self.makes(packages, root)


def archive() -> bytes:
    """A cpio archive of one file, large enough for some windows."""

    def entry(name: str, mode: int, content: bytes) -> bytes:
        fields = [1, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + b"".join(b"%08X" % number for number in fields) + name.encode() + b"\0"
        return head + bytes(-len(head) % 4) + content + bytes(-len(content) % 4)

    return entry("blob", 0o100644, os.urandom(1 << 20)) + entry("TRAILER!!!", 0, b"")


def grub_of_http(packages: Path, root: Path) -> None:
    """GRUB's image with a prefix for HTTP."""
    modules = ["efinet", "http", "normal", "configfile", "linux", "echo", "test"]
    subprocess.run(
        [packages / "usr/bin/grub-mkimage", "-O", "x86_64-efi", "-d", packages / "usr/lib/grub/x86_64-efi",
         "-p", f"(http,{SERVER})/grub", "-o", root / "grub.efi", *modules],
        env=of_packages(packages), check=True, capture_output=True,
    )  # fmt: skip


def of_packages(packages: Path) -> dict:
    return {**os.environ, "LD_LIBRARY_PATH": str(packages / "usr/lib/x86_64-linux-gnu")}


def network_directory(packages: Path, root: Path) -> None:
    """What Debian's administrators run for GRUB on machines with a BIOS; its libraries come from the packages, too."""
    subprocess.run(
        [packages / "usr/bin/grub-mknetdir", f"--net-directory={root}", "--subdir=boot/grub",
         "-d", packages / "usr/lib/grub/i386-pc"],
        env=of_packages(packages), check=True, capture_output=True,
    )  # fmt: skip


OF_PXELINUX = {
    "pxelinux.0": "usr/lib/PXELINUX/pxelinux.0",
    "ldlinux.c32": "usr/lib/syslinux/modules/bios/ldlinux.c32",
}
OF_GRUB_ON_BIOS = ("usr/bin/grub-mknetdir", "usr/lib/grub/i386-pc", "usr/lib/x86_64-linux-gnu/libefivar.so.1")

CHAINS = {
    "ipxe": Chain(pc.bios, "menu.ipxe", texts={"menu.ipxe": IPXE}),
    "e1000": Chain(pc.bios_e1000, "menu.ipxe", texts={"menu.ipxe": IPXE}),
    "pxelinux": Chain(pc.bios, "pxelinux.0", OF_PXELINUX, {"pxelinux.cfg/default": PXELINUX}),
    "ironic": Chain(
        pc.bios,
        "{root}/pxelinux.0",
        OF_PXELINUX,
        {"pxelinux.cfg/default": PXELINUX},
        flags="-v -v -v -v -v --user root --blocksize 1400 --map-file {map} {root}",
        map=IRONIC,
    ),
    "foreman": Chain(
        pc.uefi,
        "/grub2/grubnetx64.efi",
        {"grub2/grubnetx64.efi": "usr/lib/grub/x86_64-efi/monolithic/grubnetx64.efi"},
        {"grub2/grub.cfg": GRUB},
        flags="-v -s --user root -m {map} {root}",
        map=FOREMAN,
    ),
    "uefi": Chain(
        pc.uefi,
        "snponly.efi",
        files={"snponly.efi": "usr/lib/ipxe/snponly.efi"},
        texts={"menu.ipxe": IPXE},
        of_ipxe="menu.ipxe",
    ),
    "grub": Chain(
        pc.uefi,
        "grubnetx64.efi",
        files={"grubnetx64.efi": "usr/lib/grub/x86_64-efi/monolithic/grubnetx64.efi"},
        texts={"grub/grub.cfg": GRUB},
    ),
    "grub-bios": Chain(
        pc.bios,
        "boot/grub/i386-pc/core.0",
        texts={"boot/grub/grub.cfg": GRUB},
        makes=network_directory,
        needs=OF_GRUB_ON_BIOS,
    ),
    # The server's address is that of the answer by DHCP.
    "grub-bios-http": Chain(
        pc.bios,
        "boot/grub/i386-pc/core.0",
        texts={"boot/grub/grub.cfg": "insmod http\n" + GRUB.replace(" /", " (http)/")},
        makes=network_directory,
        needs=OF_GRUB_ON_BIOS,
        config=HTTP_TOO,
    ),
    "uefi-ipv6": Chain(
        pc.uefi_ipv6,
        "snponly.efi",
        files={"snponly.efi": "usr/lib/ipxe/snponly.efi"},
        texts={"menu.ipxe": IPXE},
        of_ipxe="menu.ipxe",
        ipv6=True,
    ),
    "secure": Chain(
        pc.secure_uefi,
        "shimx64.efi",
        files={
            "shimx64.efi": "usr/lib/shim/shimx64.efi.signed",
            "grubx64.efi": "usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed",
        },
        texts={"grub/grub.cfg": GRUB},
        says=(STARTED, r"Secure boot enabled"),
    ),
    # shim forgets the folder that it came from.
    "folder": Chain(
        pc.secure_uefi,
        "efi/shimx64.efi",
        files={
            "efi/shimx64.efi": "usr/lib/shim/shimx64.efi.signed",
            "efi/grubx64.efi": "usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed",
        },
        texts={"grub/grub.cfg": GRUB},
        says=(STARTED, r"Secure boot enabled"),
        config="netboot: { preset: true }",
    ),
    "http-ipxe": Chain(pc.bios, f"{HTTP}/menu.ipxe", texts={"menu.ipxe": IPXE}, config=HTTP_TOO, by_http=True),
    "http-uefi": Chain(
        pc.uefi_http,
        f"{HTTP}/snponly.efi",
        files={"snponly.efi": "usr/lib/ipxe/snponly.efi"},
        texts={"menu.ipxe": IPXE},
        of_ipxe=f"{HTTP}/menu.ipxe",
        config=HTTP_TOO,
        by_http=True,
    ),
    # Debian's own image for the network has no module for HTTP.
    "http-grub": Chain(
        pc.uefi_http,
        f"{HTTP}/grub.efi",
        texts={"grub/grub.cfg": GRUB},
        makes=grub_of_http,
        needs=("usr/bin/grub-mkimage", "usr/lib/grub/x86_64-efi/http.mod"),
        config=HTTP_TOO,
        by_http=True,
    ),
    # shim has a client of its own. The signed GRUB is that image, so this ends at its prompt.
    "http-secure": Chain(
        pc.secure_uefi_http,
        f"{HTTP}/efi/shimx64.efi",
        files={
            "efi/shimx64.efi": "usr/lib/shim/shimx64.efi.signed",
            "efi/grubx64.efi": "usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed",
        },
        says=(r"GNU GRUB  version",),
        config=HTTP_TOO,
        by_http=True,
    ),
    # U-Boot, which takes its file by itself.
    "u-boot": Chain(None, "image.bin"),
    "http-u-boot": Chain(None, "image.bin", config=HTTP_TOO, by_http=True),
}
