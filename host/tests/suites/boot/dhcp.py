"""DHCP for one guest: dnsmasq, without its TFTP and DNS servers."""

import subprocess

from cable import GUEST, MAC, NETWORK6, SERVER, SERVER6

# U-Boot 2023.01 takes the first byte of the card's address for all of them.
OF_U_BOOT = ":".join([MAC[:2]] * 6)


class Dhcp:
    """Gives the guest its address and the name of its first file; iPXE may get another file (`of_ipxe`)."""

    def __init__(self, file: str, of_ipxe: str | None, verbose: bool, ipv6: bool = False):
        self.command = [
            "dnsmasq", "--no-daemon", "--conf-file=/dev/null", "--port=0", "--interface=server", "--bind-interfaces",
            "--user=root", "--pid-file=", "--leasefile-ro", "--dhcp-authoritative", "--no-ping", "--log-dhcp",
            *(self.ipv6(file, of_ipxe) if ipv6 else self.ipv4(file, of_ipxe)),
        ]  # fmt: skip
        self.verbose = verbose

    @staticmethod
    def ipv4(file: str, of_ipxe: str | None) -> list:
        words = [
            f"--dhcp-range={GUEST},{GUEST},255.255.255.0,1h", f"--dhcp-host={MAC},{OF_U_BOOT},{GUEST}",
            f"--dhcp-boot={file},,{SERVER}",
        ]  # fmt: skip
        # UEFI takes a URL from a server that says, as it does itself, that this is HTTP Boot.
        words += ["--dhcp-vendorclass=set:http,HTTPClient", "--dhcp-option-force=tag:http,60,HTTPClient"]
        if of_ipxe:
            words += ["--dhcp-match=set:ipxe,175", f"--dhcp-boot=tag:ipxe,{of_ipxe},,{SERVER}"]
        return words

    @staticmethod
    def ipv6(file: str, of_ipxe: str | None) -> list:
        """The name is a URL (RFC 5970). The guest may get another address for each of its stages."""

        def url(name: str) -> str:
            return f"option6:bootfile-url,tftp://[{SERVER6}]/{name}"

        words = ["--enable-ra", f"--dhcp-range={NETWORK6}2,{NETWORK6}20,64,1h"]
        if not of_ipxe:
            return [*words, f"--dhcp-option={url(file)}"]
        return [*words, "--dhcp-userclass=set:ipxe,iPXE", f"--dhcp-option=tag:ipxe,{url(of_ipxe)}",
                f"--dhcp-option=tag:!ipxe,{url(file)}"]  # fmt: skip

    def __enter__(self) -> "Dhcp":
        output = None if self.verbose else subprocess.DEVNULL
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        return self

    def __exit__(self, *_) -> None:
        self.process.terminate()
        self.process.wait()
