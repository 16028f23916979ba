"""Two servers on one link, and an address that keepalived moves."""

from pathlib import Path

from network import Network
from parts import CLIENTS, LONG_PATIENCE, PATIENCE, Load, Result, Server, keepalived, single, until

ADDRESS = "10.9.0.10"
OWN = {"a": "10.9.0.11", "b": "10.9.0.12"}
# Each server has TID ports of its own, so that a packet to one shows whose transfer it belongs to.
PORTS = {"a": "30000-30127", "b": "31000-31127"}


class Site:
    """Clients `c` and servers `a` and `b` at a bridge."""

    def __init__(self, network: Network, binaries: Path, folder: Path):
        self.network, self.binaries, self.folder = network, binaries, folder
        lan = network["lan"]
        lan.run("ip", "link", "add", "bridge", "type", "bridge", "forward_delay", "0", "mcast_snooping", "0")
        lan.run("ip", "link", "set", "bridge", "up")
        for name, address in (("c", "10.9.0.1"), *OWN.items()):
            network.link(name, "eth0", "lan", name, (f"{address}/24", None))
            lan.run("ip", "link", "set", "dev", name, "master", "bridge")
        self.servers: dict[str, Server] = {}

    def serve(self, **keys: str) -> None:
        for name, priority in (("a", 150), ("b", 100)):
            self.servers[name] = Server(
                self.network[name], self.binaries / "tuffet", self.folder, tid_ports=PORTS[name], **keys
            )
            keepalived(self.network[name], self.folder, priority, ADDRESS)
        until("the first server has the address", lambda: self.has("a"))
        until("no other has it", lambda: not self.has("b"))

    def has(self, name: str) -> bool:
        return ADDRESS in self.network[name].run("ip", "-4", "address", "show", "dev", "eth0")

    def hand_over(self) -> None:
        """Whoever has the address passes packets for the other's transfers on to it, whose address it is as well."""
        for name, other in (("a", "b"), ("b", "a")):
            space = self.network[name]
            space.sysctl(ip_forward=1, conf__all__arp_ignore=1, conf__all__arp_announce=2)
            for scope in ("all", "eth0"):
                space.sysctl(**{f"conf__{scope}__rp_filter": 0, f"conf__{scope}__send_redirects": 0})
            space.run("ip", "address", "add", f"{ADDRESS}/32", "dev", "lo")
            space.run("ip", "route", "add", "default", "via", OWN[other], "dev", "eth0", "table", "69")
            words = ["to", ADDRESS, "ipproto", "udp", "dport", PORTS[other], "iif", "eth0"]
            space.run("ip", "rule", "add", *words, "lookup", "69", "priority", "10")
            space.run("ip", "rule", "add", "lookup", "local", "priority", "20")
            space.run("ip", "rule", "delete", "lookup", "local", "priority", "0")

    def load(self, seconds: float, patience: int = PATIENCE) -> Load:
        client = self.network["c"]
        single(client, ADDRESS, self.folder)
        load = Load(client, self.binaries / "tuffet-load", self.folder, f"{ADDRESS}:69", seconds, patience)
        until("transfers run", lambda: self.servers["a"].metric("tuffet_transfers_total") > CLIENTS)
        return load


def crash(binaries: Path, folder: Path) -> Result:
    """The first server loses its power. Transfers that ran there are lost, each once."""
    with Network("lan", "c", "a", "b") as network:
        site = Site(network, binaries, folder)
        site.serve()
        load = site.load(8)
        network["lan"].run("ip", "link", "set", "dev", "a", "down")
        until("the second server has the address", lambda: site.has("b"))
        result = load.result()
        result.expect(range(1, CLIENTS + 1))
        return result


def plain(binaries: Path, folder: Path) -> Result:
    """A planned stop, without help: the running transfers lose their server."""
    with Network("lan", "c", "a", "b") as network:
        site = Site(network, binaries, folder)
        site.serve(drain_delay="3s", drain="3s")
        load = site.load(8)
        site.servers["a"].terminate()
        until("the second server has the address", lambda: site.has("b"))
        result = load.result()
        result.expect(range(1, CLIENTS + 1))
        site.servers["a"].wait()
        return result


def planned(binaries: Path, folder: Path) -> Result:
    """A planned stop, where packets to the first server's TID ports are passed on to it: nothing is lost."""
    with Network("lan", "c", "a", "b") as network:
        site = Site(network, binaries, folder)
        site.hand_over()
        site.serve(drain_delay="3s", drain="25s")
        load = site.load(8, LONG_PATIENCE)
        site.servers["a"].terminate()
        until("the second server has the address", lambda: site.has("b"))
        result = load.result()
        result.expect(0)
        site.servers["a"].wait()
        return result
