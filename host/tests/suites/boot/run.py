#!/usr/bin/env python3
"""Real boot firmware in QEMU boots from the server, each stage with a client of its own: by TFTP, or by HTTP.

    host/tests/suites/boot/run.py BINARY PACKAGES [--case NAME]... [--loss PERCENT]... [--tid-ports|--single-port]
        [--record]

PACKAGES is what packages.sh unpacked. Each case ends when Linux starts on the guest's serial console (or U-Boot has the
bytes of the file, or GRUB is at its prompt); then the requests that were on the wire and the server's log must be those
of expected.py, which are the same whether transfers have ports of their own or not. Without options, each case by TFTP
runs four times: with a TID port for each transfer and in single-port mode, each on a good path and where one packet in a
hundred is lost, each way. Cases by HTTP, whose names begin with `http-`, run once on each path.

Needs root for a network namespace of its own, and Debian's qemu-system-x86, qemu-system-arm, u-boot-qemu,
dnsmasq-base, iproute2, nftables and tcpdump; says what it skips.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from pathlib import Path

import pc, requests, versions
from cable import SERVER6, Cable
from chains import CHAINS
from dhcp import Dhcp
from expected import EXPECTED
from guest import FIRMWARE, Guest
from servers import LoggedTuffet

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from skipping import skip  # noqa: E402

INSIDE = "TUFFET_BOOT_NAMESPACE"


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=Path, help="the server that is tested")
    parser.add_argument("packages", type=Path, help="the folder of packages.sh")
    parser.add_argument("--case", action="append", choices=CHAINS, help="all unless given; may be repeated")
    parser.add_argument("--loss", action="append", type=float, help="per cent, 0 and 1 unless given; may be repeated")
    ports = parser.add_mutually_exclusive_group()
    ports.add_argument("--tid-ports", action="store_true", help="only with a port for each transfer")
    ports.add_argument("--single-port", action="store_true", help="only in single-port mode")
    parser.add_argument("--patience", type=float, default=600, help="seconds that a boot may take")
    parser.add_argument("--record", action="store_true", help="print the requests and accept any")
    parser.add_argument("--verbose", action="store_true", help="show the consoles and dnsmasq's log")
    options = parser.parse_args()
    # What the guests of `test-firmware` know by options.
    options.firmware, options.floor = "arm64", None
    return options


def lacks(options, case: str) -> str | None:
    """What the machine lacks for this case."""
    chain = CHAINS[case]
    is_u_boot = chain.machine is None
    emulator, image = FIRMWARE["arm64"][:2] if is_u_boot else (pc.EMULATOR, "/usr/share/seabios/bios-256k.bin")
    for program in (emulator, "dnsmasq", "tcpdump", "ip"):
        if not shutil.which(program):
            return f"{program} is not installed"
    missing = next((file for file in (image, "/dev/net/tun") if not Path(file).exists()), None)
    missing = missing or chain.lacks(options.packages)
    if missing is None and is_u_boot and chain.by_http and b"wget" not in Path(image).read_bytes():
        missing = f"command wget in {versions.of(chain, options.packages)}"
    return f"there is no {missing}" if missing else None


def forbids() -> str | None:
    """What this machine does not let its root do: some containers have no namespaces, some kernels no such table."""
    for program in ("unshare", "nft"):
        if not shutil.which(program):
            return f"{program} is not installed"
    for command, why in (
        (["true"], "no network namespace can be made"),
        (["nft", "add table bridge path; add chain bridge path in { type filter hook input priority 0; }"],
         "the kernel has no nftables for bridges"),
    ):
        if subprocess.run(["unshare", "--net", *command], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            return why
    return None


def configuration(options, chain, folder: Path, root: Path, address: str) -> Path | None:
    """The configuration file of the chain, if it has one: its own, or what `tuffet import` makes of in.tftpd's flags."""
    config = folder / "tuffet.yaml"
    if chain.config:
        config.write_text(
            f'listeners: [{{ address: "{address}:69" }}]\nroots: [{{ name: boot, path: "{root}" }}]\n'
            f"privileges: {{ user: root }}\ncontrol: none\n{chain.config}\n"
        )
        return config
    if chain.flags:
        table = folder / "map"
        table.write_text(chain.map.replace("{root}", str(root)))
        flags = ["--listen", "--address", f"{address}:69", *chain.flags.format(map=table, root=root).split()]
        command = [options.binary, "import", "tftpd-hpa", "--output", config, "--", *flags]
        subprocess.run(command, check=True, capture_output=True)
        return config
    return None


def boot_pc(options, case: str, cable: Cable, root: Path, said: list) -> None:
    """Adds what the console printed to `said`."""
    chain = CHAINS[case]
    with (
        Dhcp(chain.boots.format(root=root), chain.of_ipxe, options.verbose, chain.ipv6),
        pc.Pc(chain.machine, options.packages, cable, case, options.verbose) as guest,
    ):
        try:
            for line in chain.says:
                guest.console.until(line, options.patience)
        finally:
            said.append(guest.console.said)


def boot_u_boot(options, case: str, cable: Cable, root: Path, _: list) -> None:
    """What its distro boot does, step by step: a file by DHCP, then the configuration in PXELINUX's manner."""
    chain, content = CHAINS[case], os.urandom(4 << 20)
    (root / chain.boots).write_bytes(content)
    (root / "pxelinux.cfg").mkdir()
    (root / "pxelinux.cfg/default").write_text("DEFAULT none\n")
    with Dhcp(chain.boots, None, options.verbose), Guest(options, cable) as guest:
        guest.command("setenv bootfile; setenv netretry yes", 10)
        guest.command(f"setenv autoload {'no' if chain.by_http else 'yes'}; dhcp", options.patience)
        if chain.by_http:
            guest.command(f"wget ${{loadaddr}} {cable.server}:/{chain.boots}", options.patience)
        if guest.loaded() != zlib.crc32(content):
            raise ValueError(f"U-Boot loaded other bytes: {guest.console.said!r}")
        if chain.by_http:
            return
        said = guest.command("pxe get", options.patience)
        if "Config file" not in said:
            raise ValueError(f"U-Boot found no configuration: {said!r}")


def boot(options, case: str, loss: float, single_port: bool) -> bool:
    """One row: whether the guest booted, by the requests that were expected."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="tuffet-boot-") as temporary:
        folder = Path(temporary)
        folder.chmod(0o755)
        root, log, capture = folder / "root", folder / "log", folder / "requests.pcap"
        root.mkdir()
        chain = CHAINS[case]
        chain.lay_out(options.packages, root)
        wrong, said = [], []
        with Cable(loss / 100, capture, both=True, requests=True) as cable:
            try:
                address = SERVER6 if chain.ipv6 else cable.server
                config = configuration(options, chain, folder, root, address)
                with LoggedTuffet(options, address, root, log, config, single_port) as server:
                    (boot_pc if chain.machine else boot_u_boot)(options, case, cable, root, said)
                    server.check()
            except (TimeoutError, ConnectionError, RuntimeError, ValueError, subprocess.CalledProcessError) as error:
                wrong.append(str(error))
            lost, others = cable.lost(), cable.from_other_ports()
        if (others > 0) == (single_port or chain.by_http):
            wrong.append(f"{others} packets came from other ports than 69")
        seen = requests.of(log, capture, root)
        if not options.record:
            wrong += requests.differences(EXPECTED[case], seen, loss > 0)
    took = f"{time.monotonic() - begin:.1f} s, {len(seen)} requests, {lost} packets lost"
    firmware = versions.of(chain, options.packages)
    print(f"{row(case, loss, single_port)}: {'FAILED' if wrong else 'good'} after {took}; {firmware}", flush=True)
    for line in wrong:
        print(f"    {line}")
    if options.record or wrong:
        print("\n".join(f"    {line}" for line in requests.summary(seen)), flush=True)
    if wrong and said:
        print(f"    the console ended with {said[-1][-1000:]!r}", flush=True)
    return not wrong


def row(case: str, loss: float, single_port: bool) -> str:
    return f"{case}{', single port' if single_port else ''}, {loss:g} % loss"


def main() -> int:
    options = arguments()
    os.environ["PATH"] += ":/usr/sbin"
    if os.geteuid() != 0:
        skip("boot firmware in QEMU: needs root, for a network namespace and a tap")
        return 0
    if INSIDE not in os.environ:
        if why := forbids():
            skip(f"boot firmware in QEMU: {why}")
            return 0
        os.environ[INSIDE] = "1"
        os.execvp("unshare", ["unshare", "--net", sys.executable, *sys.argv])
    failed = []
    for case in options.case or CHAINS:
        missing = lacks(options, case)
        if missing:
            skip(f"boot firmware in QEMU: {case}: {missing}")
            continue
        modes = [mode for mode, other in ((False, options.single_port), (True, options.tid_ports)) if not other]
        # It has no TID ports.
        modes = [False] if CHAINS[case].by_http else modes
        rows = [(case, loss, single_port) for single_port in modes for loss in options.loss or [0, 1]]
        failed += [row(*one) for one in rows if not boot(options, *one)]
    if failed:
        print(f"failed: {'; '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
