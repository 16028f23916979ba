"""The requests of each boot chain, with the class that the server guesses, the end and what was negotiated.

Recorded from Debian 12: OVMF 2022.11, iPXE 1.0.0+git-20190125, PXELINUX 6.04, GRUB 2.06, shim 16.1, U-Boot 2023.01.
"""

import re
from dataclasses import replace

from firmware.requests import Request


def served(path: str, options: str, character: str, granted: str) -> Request:
    return Request(path, options, "served", character, granted)


def missing(path: str, options: str, character: str) -> Request:
    return Request(path, options, "not-found", character, "")


def by_uefi(path: str) -> list:
    """The size first, then the file."""
    options = "tsize=0 blksize=1468 windowsize=4"
    return [
        Request(path, options, "probed", "uefi", "blksize=1468 windowsize=4 tsize"),
        served(path, "blksize=1468 windowsize=4", "uefi", "blksize=1468 windowsize=4"),
    ]


def by_ipxe(path: str) -> Request:
    return served(path, "blksize=1432 tsize=0", "ipxe", "blksize=1432 windowsize=1 tsize")


def by_pxelinux(path: str) -> Request:
    return served(path, "tsize=0 blksize=1408", "pxelinux", "blksize=1408 windowsize=1 tsize")


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
    "pxelinux": PXELINUX,
    # PXELINUX asks for everything in the folder of its own name; --blocksize bounds what is negotiated.
    "ironic": [replace(request, path=f"{{root}}/{request.path}", granted=re.sub(r"blksize=\d+", "blksize=1400", request.granted))
               for request in PXELINUX],
    "uefi": [*by_uefi("snponly.efi"), *(by_ipxe(path) for path in ["menu.ipxe", *KERNEL])],
    "grub": [*by_uefi("grubnetx64.efi"), *LISTS, *BY_GRUB],
    "foreman": [*by_uefi("/grub2/grubnetx64.efi"), *LISTS, *BY_GRUB],
    "secure": [*by_uefi("shimx64.efi"), *BY_SHIM, *LISTS, *BY_GRUB],
    # The server finds grubx64.efi in the folder of shim, and has an empty answer for each list. GRUB closes such a
    # file before or after its only block.
    "folder": [
        *by_uefi("efi/shimx64.efi"),
        *BY_SHIM,
        *(replace(request, outcome="served or probed", granted="blksize=1024 windowsize=1") for request in LISTS),
        *BY_GRUB,
    ],
    "u-boot": [
        *(served(path, OF_U_BOOT, "u-boot", "blksize=1468 windowsize=1 timeout=5")
          for path in ("image.bin", "pxelinux.cfg/default")),
        *configurations("01-02-02-02-02-02-02", OF_U_BOOT, "u-boot"),
        missing("pxelinux.cfg/default-arm", OF_U_BOOT, "u-boot"),
    ],
}  # fmt: skip
