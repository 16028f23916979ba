"""The requests of each boot chain, with the class that the server guesses, the end and what was negotiated.

Recorded from Debian 12: OVMF 2022.11, iPXE 1.0.0+git-20190125, PXELINUX 6.04, GRUB 2.06, shim 16.1, U-Boot 2023.01.
"""

import re
from dataclasses import replace

from requests import Request


def served(path: str, options: str, character: str, granted: str) -> Request:
    return Request(path, options, "served", character, granted)


def missing(path: str, options: str, character: str) -> Request:
    return Request(path, options, "not-found", character, "")


def by_uefi(path: str, blksize: int = 1468) -> list:
    """The size first, then the file."""
    options = f"blksize={blksize} windowsize=4"
    return [
        Request(path, f"tsize=0 {options}", "probed", "uefi", f"{options} tsize"),
        served(path, options, "uefi", options),
    ]


def by_ipxe(path: str) -> Request:
    return served(path, "blksize=1432 tsize=0", "ipxe", "blksize=1432 windowsize=1 tsize")


def by_pxelinux(path: str) -> Request:
    return served(path, "tsize=0 blksize=1408", "pxelinux", "blksize=1408 windowsize=1 tsize")


def by_http(path: str, character: str, options: str = "GET HTTP/1.1") -> Request:
    return Request(path, options, "served", character, "whole")


def missing_by_http(path: str, character: str) -> Request:
    return missing(path, "GET HTTP/1.1", character)


def by_uefi_http(path: str) -> list:
    """The size first, then the file."""
    return [Request(path, "HEAD HTTP/1.1", "probed", "uefi", "nothing"), by_http(path, "uefi")]


def by_ipxe_http(path: str) -> Request:
    return by_http(path, "ipxe", "GET HTTP/1.1 connection=keep-alive")


def by_grub(path: str) -> Request:
    return served(path, "blksize=1024 tsize=0", "grub", "blksize=1024 windowsize=1 tsize")


def configurations(of_card: str, options: str, character: str) -> list:
    """PXELINUX's search from the most special name to the most general; U-Boot does the same."""
    address = "C0000202"
    names = [of_card, *(address[:length] for length in range(8, 0, -1))]
    return [missing(f"pxelinux.cfg/{name}", options, character) for name in names]


LISTS = [
    missing(f"/grub/x86_64-efi/{name}.lst", "blksize=1024 tsize=0", "grub")
    for name in ("command", "fs", "crypto", "terminal")
]
KERNEL = ["vmlinuz", "initrd.img"]

# GRUB on a BIOS: what `normal` needs, each list, a configuration for the machine, and what the commands of the
# configuration need.
BIOS_DIRECTORY = "/boot/grub/i386-pc"
ON_BIOS = [
    by_ipxe("boot/grub/i386-pc/core.0"),
    *(by_grub(f"{BIOS_DIRECTORY}/{name}.mod") for name in (
        "normal", "extcmd", "verifiers", "crypto", "gettext", "terminal", "gzio", "gcry_crc",
        "linux", "relocator", "mmap", "video", "vbe", "video_fb",
    )),
    *(by_grub(f"{BIOS_DIRECTORY}/{name}.lst") for name in ("command", "fs", "crypto", "terminal")),
    *(missing(f"/boot/grub/grub.cfg-{name}", "blksize=1024 tsize=0", "grub")
      for name in ("01-02-00-5e-10-00-01", *("C0000202"[:length] for length in (8, 7, 6, 5, 4, 3, 2, 1)))),
    by_grub("/boot/grub/grub.cfg"),
]  # fmt: skip
OF_SHIM = "blksize=512 windowsize=4"
OF_U_BOOT = "timeout=5 blksize=1468"

BY_SHIM = [
    *(missing(f"{name}.efi", OF_SHIM, "shim") for name in ("revocations_sku", "revocations_sbat", "shim_certificate_0")),
    served("grubx64.efi", OF_SHIM, "shim", "blksize=512 windowsize=4"),
]
BY_GRUB = [by_grub(f"/{path}") for path in ["grub/grub.cfg", *KERNEL]]
PXELINUX = [
    by_ipxe("pxelinux.0"),
    *(by_pxelinux(path) for path in ["ldlinux.c32", "pxelinux.cfg/default", *KERNEL]),
    *configurations("01-02-00-5e-10-00-01", "tsize=0 blksize=1408", "pxelinux"),
]

EXPECTED = {
    "ipxe": [by_ipxe(path) for path in ["menu.ipxe", *KERNEL]],
    # The driver of the ROM changes nothing.
    "e1000": [by_ipxe(path) for path in ["menu.ipxe", *KERNEL]],
    "pxelinux": PXELINUX,
    # PXELINUX asks for everything in the folder of its own name; --blocksize bounds what is negotiated.
    "ironic": [replace(request, path=f"{{root}}/{request.path}", granted=re.sub(r"blksize=\d+", "blksize=1400", request.granted))
               for request in PXELINUX],
    "uefi": [*by_uefi("snponly.efi"), *(by_ipxe(path) for path in ["menu.ipxe", *KERNEL])],
    # Blocks that fit into the least MTU of IPv6, with room for what extends its header.
    "uefi-ipv6": [*by_uefi("snponly.efi", 1228), *(by_ipxe(path) for path in ["menu.ipxe", *KERNEL])],
    "grub": [*by_uefi("grubnetx64.efi"), *LISTS, *BY_GRUB],
    # Its configuration is imported from one of tftpd-hpa 5.2, which has no windows.
    "foreman": [
        *(replace(request, granted=request.granted.replace("windowsize=4", "windowsize=1"))
          for request in by_uefi("/grub2/grubnetx64.efi")),
        *LISTS,
        *BY_GRUB,
    ],
    "grub-bios": [*ON_BIOS, *(by_grub(f"/{path}") for path in KERNEL)],
    "grub-bios-http": [
        *ON_BIOS, by_grub(f"{BIOS_DIRECTORY}/http.mod"), *(by_http(f"/{path}", "grub") for path in KERNEL),
    ],
    "secure": [*by_uefi("shimx64.efi"), *BY_SHIM, *LISTS, *BY_GRUB],
    # The server finds grubx64.efi in the folder of shim, and has an empty answer for each list. GRUB closes such a
    # file before or after its only block.
    "folder": [
        *by_uefi("efi/shimx64.efi"),
        *BY_SHIM,
        *(replace(request, outcome="served or probed", granted="blksize=1024 windowsize=1 tsize") for request in LISTS),
        *BY_GRUB,
    ],
    "u-boot": [
        *(served(path, OF_U_BOOT, "u-boot", "blksize=1468 windowsize=1 timeout=5")
          for path in ("image.bin", "pxelinux.cfg/default")),
        *configurations("01-02-02-02-02-02-02", OF_U_BOOT, "u-boot"),
        missing("pxelinux.cfg/default-arm", OF_U_BOOT, "u-boot"),
    ],
    "http-ipxe": [by_ipxe_http(f"/{path}") for path in ["menu.ipxe", *KERNEL]],
    "http-uefi": [*by_uefi_http("/snponly.efi"), *(by_ipxe_http(f"/{path}") for path in ["menu.ipxe", *KERNEL])],
    "http-grub": [
        *by_uefi_http("/grub.efi"),
        *(missing_by_http(f"/grub/x86_64-efi/{name}.lst", "grub") for name in ("command", "fs", "crypto", "terminal")),
        *(by_http(f"/{path}", "grub") for path in ["grub/grub.cfg", *KERNEL]),
    ],
    "http-secure": [
        *by_uefi_http("/efi/shimx64.efi"),
        *(missing_by_http(f"/efi/{name}.efi", "uefi") for name in ("revocations_sku", "revocations_sbat", "shim_certificate_0")),
        by_http("/efi//grubx64.efi", "uefi"),
    ],
    "http-u-boot": [by_http("/image.bin", "unknown", "GET HTTP/1.0")],
}  # fmt: skip
