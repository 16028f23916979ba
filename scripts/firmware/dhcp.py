"""DHCP for one guest: dnsmasq, without its TFTP and DNS servers."""

import subprocess

from firmware.cable import GUEST, MAC, SERVER

# U-Boot 2023.01 takes the first byte of the card's address for all of them.
OF_U_BOOT = ":".join([MAC[:2]] * 6)


class Dhcp:
    """Gives the guest its address and the name of its first file; iPXE may get another file (`of_ipxe`)."""

    def __init__(self, file: str, of_ipxe: str | None, verbose: bool):
        self.command = [
            "dnsmasq", "--no-daemon", "--conf-file=/dev/null", "--port=0", "--interface=server", "--bind-interfaces",
            "--user=root", "--pid-file=", "--leasefile-ro", "--dhcp-authoritative", "--no-ping", "--log-dhcp",
            f"--dhcp-range={GUEST},{GUEST},255.255.255.0,1h", f"--dhcp-host={MAC},{OF_U_BOOT},{GUEST}",
            f"--dhcp-boot={file},,{SERVER}",
        ]  # fmt: skip
        if of_ipxe:
            self.command += ["--dhcp-match=set:ipxe,175", f"--dhcp-boot=tag:ipxe,{of_ipxe},,{SERVER}"]
        self.verbose = verbose

    def __enter__(self) -> "Dhcp":
        output = None if self.verbose else subprocess.DEVNULL
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        return self

    def __exit__(self, *_) -> None:
        self.process.terminate()
        self.process.wait()
