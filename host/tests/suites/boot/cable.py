"""Server and guest on one bridge, in the network namespace of this process."""

import json
import subprocess
from pathlib import Path

SERVER = "192.0.2.1"
GUEST = "192.0.2.2"
NETWORK6 = "2001:db8::"
SERVER6 = f"{NETWORK6}1"
MAC = "02:00:5e:10:00:01"
TAP = "guest"
# A filter of tcpdump: begins of connections, and segments that are no mere ACKs.
OF_HTTP = "tcp dst port 80 and (tcp[tcpflags] & tcp-syn != 0 or ip[2:2] - ((ip[0] & 15) << 2) - ((tcp[12] & 240) >> 2) != 0)"


def run(*command: str, given: str | None = None) -> str:
    return subprocess.run(command, input=given, check=True, stdout=subprocess.PIPE, text=True).stdout


class Cable:
    """A bridge with the server's address and a tap; `loss` is the part of packets that never reach the guest.

    With `both`, as many of the guest's packets never reach the server. A capture has the heads of all packets;
    with `requests`, whole, of the packets to ports 69 and 80 alone.
    """

    server = SERVER
    guest = GUEST
    tap = TAP

    def __init__(self, loss: float, capture: Path | None = None, both: bool = False, requests: bool = False):
        self.loss, self.capture, self.tcpdump = loss, capture, None
        self.loss_of_guest, self.requests = loss if both else 0, requests

    def __enter__(self) -> "Cable":
        run("ip", "link", "set", "lo", "up")
        run("ip", "link", "add", "server", "type", "bridge", "forward_delay", "0", "mcast_snooping", "0")
        # Windows leave as one packet that is cut where it leaves: losing it would lose the whole window.
        run("ip", "link", "set", "server", "gso_max_segs", "1", "addrgenmode", "none", "up")
        run("ip", "address", "add", f"{SERVER}/24", "dev", "server")
        # Routers announce themselves from a link-local address.
        for address in (SERVER6, "fe80::1"):
            run("ip", "-6", "address", "add", f"{address}/64", "dev", "server", "nodad")
        run("ip", "tuntap", "add", TAP, "mode", "tap")
        run("ip", "link", "set", TAP, "master", "server", "addrgenmode", "none", "up")
        # Lost on the bridge, not where they leave: the server's system calls would fail there.
        run("nft", "-f", "-", given=f"""
            table bridge path {{
                counter lost {{ }}
                counter others {{ }}
                chain out {{
                    type filter hook output priority 0;
                    udp sport != {{ 53, 67, 69, 547 }} counter name others
                    meta l4proto {{ udp, tcp }} numgen random mod 10000 < {round(self.loss * 10000)} counter name lost drop
                }}
                chain in {{
                    type filter hook input priority 0;
                    meta l4proto {{ udp, tcp }} numgen random mod 10000 < {round(self.loss_of_guest * 10000)} counter name lost drop
                }}
            }}""")
        if self.capture:
            # On a busy machine: room for many packets, which have at most that length.
            chosen = ["-s", "2048", "-B", "8192", f"udp dst port 69 or ({OF_HTTP})"] if self.requests else ["-s", "60", "udp"]
            words = ["tcpdump", "-i", TAP, "-U", "--immediate-mode", "-Z", "root", "-w", str(self.capture), *chosen]
            self.tcpdump = subprocess.Popen(words, stderr=subprocess.PIPE, text=True)
            # It captures from this line on.
            while (line := self.tcpdump.stderr.readline()) and "listening on" not in line:
                pass
        return self

    def __exit__(self, *_) -> None:
        if self.tcpdump:
            self.tcpdump.terminate()
            self.tcpdump.wait()
        run("nft", "delete", "table", "bridge", "path")
        run("ip", "link", "delete", TAP)
        run("ip", "link", "delete", "server")

    def packets(self) -> int:
        """How many went to the guest so far."""
        return self._statistics()["packets"]

    def bytes(self) -> int:
        return self._statistics()["bytes"]

    def lost(self) -> int:
        return self._counter("lost")

    def from_other_ports(self) -> int:
        """How many packets went to the guest from ports that are neither TFTP's nor DHCP's or DNS's."""
        return self._counter("others")

    def _counter(self, name: str) -> int:
        listed = json.loads(run("nft", "-j", "list", "counter", "bridge", "path", name))["nftables"]
        return next(entry["counter"]["packets"] for entry in listed if "counter" in entry)

    def _statistics(self) -> dict:
        return json.loads(run("ip", "-j", "-s", "link", "show", TAP))[0]["stats64"]["tx"]
