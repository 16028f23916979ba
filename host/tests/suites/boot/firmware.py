#!/usr/bin/env python3
"""U-Boot in QEMU loads a large file, and what does not go well on real machines happens to it on the way.

    host/tests/suites/boot/firmware.py BINARY [--server NAME]... [--window N]... [--case NAME]...

Each row of the table is a guest of its own: its driver does not recover from everything. The cases:

    clean   nothing happens
    stops   the guest stands still for 0.3 s, several times (QEMU is stopped and continued): U-Boot's virtio
            driver has 32 receive buffers and never asks for more once all of them have been filled
    loss    one packet in a hundred is lost on its way to the guest
    both    both

Ends with status 1 where Tuffet left a load unfinished. Needs root for a network namespace of its own, and
Debian's qemu-system-arm (or -x86), u-boot-qemu, iproute2 and nftables; says what it skips.
"""

import argparse
import os
import shutil
import sys
import tempfile
import zlib
from pathlib import Path

from cable import Cable
from guest import FIRMWARE, Guest
from servers import SERVERS, Tuffet

CASES = {"clean": (0, 0.0), "stops": (5, 0.0), "loss": (0, 0.01), "both": (5, 0.01)}
STANDS_STILL = 0.3
FILE = "image.bin"
INSIDE = "TUFFET_FIRMWARE_NAMESPACE"


def skip(why: str) -> None:
    print(f"skipped: firmware in QEMU: {why}")
    sys.exit(0)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path, help="the server that is tested")
    parser.add_argument("--server", action="append", choices=SERVERS, help="tuffet unless given; may be repeated")
    parser.add_argument("--path", action="append", type=Path, default=[], help="a folder with programs of other servers")
    parser.add_argument("--window", action="append", type=int, help="1, 8 and 16 unless given; may be repeated")
    parser.add_argument("--case", action="append", choices=CASES, help="clean, stops and loss unless given")
    parser.add_argument("--firmware", choices=FIRMWARE, default="arm64")
    parser.add_argument("--blksize", type=int, default=1468)
    parser.add_argument("--timeout", type=int, default=2, help="seconds, the option that the guest sends")
    parser.add_argument("--size", type=int, default=40, help="MiB that are loaded")
    parser.add_argument("--floor", help="transfer.retransmit.floor of Tuffet, such as 1s")
    parser.add_argument("--repeat", type=int, default=1, help="how often each row is measured")
    parser.add_argument("--patience", type=float, default=90, help="seconds that a load may take")
    parser.add_argument("--capture", type=Path, help="a folder for the heads of all packets, a file for each row; needs tcpdump")
    parser.add_argument("--verbose", action="store_true", help="show the consoles and the logs")
    return parser.parse_args()


def may_run(options: argparse.Namespace) -> None:
    """Ends the process where the machine lacks something."""
    if os.geteuid() != 0:
        skip("needs root, for a network namespace and a tap")
    emulator, image = FIRMWARE[options.firmware][:2]
    for program in (emulator, "ip", "nft", "unshare", *(["tcpdump"] if options.capture else [])):
        if not shutil.which(program):
            skip(f"{program} is not installed")
    for file in (image, "/dev/net/tun"):
        if not Path(file).exists():
            skip(f"there is no {file}")


def load(options, server_class, folder: Path, checksum: int, window: int, case: str) -> dict:
    """One row."""
    stops, loss = CASES[case]
    capture = None
    if options.capture:
        options.capture.mkdir(parents=True, exist_ok=True)
        rows = len(list(options.capture.iterdir()))
        capture = options.capture / f"{rows + 1:03}-{server_class.__name__.lower()}-{window}-{case}.pcap"
    with Cable(loss, capture) as cable, server_class(options, cable.server, folder) as server, Guest(options, cable) as guest:
        sent = cable.packets()
        result = guest.load(FILE, window, stops, STANDS_STILL)
        if result["seconds"] is not None and guest.checksum() != checksum:
            result["end"], result["seconds"] = "other bytes than the file's", None
        result["packets"] = cable.packets() - sent
        result["lost"] = cable.lost()
        server.check()
    return result


def took(result: dict) -> str:
    return "never" if result["seconds"] is None else f"{result['seconds']:.2f} s"


def table(rows: list, blocks: int) -> None:
    print(f"\n{'server':<22}{'window':>6}  {'case':<6}{'took':>8}{'stops':>6}{'lost':>6}{'too many':>10}  end")
    for server, window, case, result in rows:
        # What went to the guest beside one OACK and each block once; ARP is among it.
        surplus = result["packets"] + result["lost"] - blocks - 1
        print(
            f"{server:<22}{window:>6}  {case:<6}{took(result):>8}{result['stops']:>6}{result['lost']:>6}"
            f"{surplus if result['seconds'] is not None else '':>10}  {result['end']}"
        )


def main() -> int:
    options = arguments()
    may_run(options)
    if INSIDE not in os.environ:
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--net", sys.executable, *sys.argv])
    options.path = [path.resolve() for path in options.path]
    # Firmware and servers get what they need by name, others' programs from where they were unpacked.
    os.environ["PATH"] = ":".join([*map(str, options.path), os.environ["PATH"], "/usr/sbin"])
    rows = []
    with tempfile.TemporaryDirectory(prefix="tuffet-firmware-") as temporary:
        folder = Path(temporary)
        folder.chmod(0o755)
        content = os.urandom(options.size << 20)
        (folder / FILE).write_bytes(content)
        for name in options.server or ["tuffet"]:
            server_class = SERVERS[name]
            if not shutil.which(server_class.program(options)):
                print(f"skipped: {name} is not installed")
                continue
            label = f"{name}, floor {options.floor}" if server_class is Tuffet and options.floor else name
            for case in options.case or ["clean", "stops", "loss"]:
                for window in options.window or [1, 8, 16]:
                    for _ in range(options.repeat):
                        result = load(options, server_class, folder, zlib.crc32(content), window, case)
                        print(f"{label}, window {window}, {case}: {took(result)}, {result['end']}", flush=True)
                        rows.append((label, window, case, result))
    table(rows, (options.size << 20) // options.blksize + 1)
    unfinished = [row for row in rows if row[0].startswith("tuffet") and row[3]["seconds"] is None]
    return 1 if unfinished else 0


if __name__ == "__main__":
    sys.exit(main())
