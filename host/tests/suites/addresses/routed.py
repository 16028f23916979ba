"""Two servers behind a router: anycast over ECMP, and connection tracking as kube-proxy uses it."""

from collections.abc import Callable
from pathlib import Path

from network import Network
from parts import CLIENTS, LONG_PATIENCE, PATIENCE, Load, Result, Server, bird, follow, single, until

ADDRESS = "10.99.0.69"
OWN = {"a": "10.2.1.2", "b": "10.2.2.2"}
GATEWAY = {"a": "10.2.1.1", "b": "10.2.2.1"}
NUMBER = {"a": 65001, "b": 65002}


class Site:
    """Clients `c` and servers `a` and `b` at a router `r`. All over one port, as flows have to be recognised."""

    def __init__(self, network: Network, binaries: Path, folder: Path):
        self.network, self.binaries, self.folder = network, binaries, folder
        network.link("c", "eth0", "r", "c", ("10.1.0.2/24", "10.1.0.1/24"))
        network["c"].run("ip", "route", "add", "default", "via", "10.1.0.1")
        for name, own in OWN.items():
            network.link(name, "eth0", "r", name, (f"{own}/24", f"{GATEWAY[name]}/24"))
            network[name].run("ip", "route", "add", "default", "via", GATEWAY[name])
        # The ports count, too: all clients of these tests have one address. By policy 1 they would as well, but that
        # takes the hash of the sender's socket where the sender is on this machine, and connecting it changes that.
        network["r"].sysctl(ip_forward=1, fib_multipath_hash_policy=3, fib_multipath_hash_fields=0x37)
        self.servers: dict[str, Server] = {}

    def serve(self, port: int, **keys: str) -> None:
        for name in OWN:
            self.servers[name] = Server(
                self.network[name], self.binaries / "tuffet", self.folder, port, single_port=True, **keys
            )

    def load(self, seconds: float, *busy: str, patience: int = PATIENCE) -> Load:
        """Starts the clients, and waits until these servers have work, by default both."""
        client = self.network["c"]
        single(client, ADDRESS, self.folder)
        load = Load(client, self.binaries / "tuffet-load", self.folder, f"{ADDRESS}:69", seconds, patience)
        for name in busy or self.servers:
            ended = lambda server=self.servers[name]: server.metric("tuffet_transfers_total")
            until(f"transfers end at {name}", lambda: ended() > CLIENTS / 2)
        return load


class Anycast(Site):
    """Both servers announce the address to the router by BGP."""

    def __init__(self, *where, **keys: str):
        super().__init__(*where)
        self.serve(69, **keys)
        neighbours = ""
        for name in OWN:
            space = self.network[name]
            space.run("ip", "address", "add", f"{ADDRESS}/32", "dev", "lo")
            bird(space, self.folder, f"""
                router id {OWN[name]};
                protocol static anycast {{ ipv4; route {ADDRESS}/32 blackhole; }}
                protocol bgp up {{ local {OWN[name]} as {NUMBER[name]}; neighbor {GATEWAY[name]} as 65000;
                    hold time 3; keepalive time 1; connect delay time 1; connect retry time 1;
                    ipv4 {{ import none; export all; next hop self; }}; }}
            """)
            neighbours += f"""
                protocol bgp {name} {{ local {GATEWAY[name]} as 65000; neighbor {OWN[name]} as {NUMBER[name]};
                    hold time 3; keepalive time 1; connect delay time 1; connect retry time 1; passive;
                    ipv4 {{ import all; export none; }}; }}
            """
        bird(self.network["r"], self.folder, f"""
            router id 10.1.0.1;
            protocol kernel {{ merge paths on; ipv4 {{ export all; import none; }}; }}
            {neighbours}
        """)
        until("both servers are announced", lambda: self.routes() == 2)

    def announce(self, name: str, word: str) -> None:
        self.network[name].run("birdc", "-s", f"{self.folder}/{self.network[name].name}.ctl", word, "anycast")

    def routes(self) -> int:
        return sum(self.network["r"].run("ip", "route", "show", f"{ADDRESS}/32").count(own) for own in OWN.values())


def anycast(binaries: Path, folder: Path, keys: dict, act: Callable[[Anycast], None], lost: range | int) -> Result:
    with Network("c", "r", "a", "b") as network:
        site = Anycast(network, binaries, folder, **keys)
        load = site.load(9, patience=PATIENCE if lost else LONG_PATIENCE)
        act(site)
        result = load.result()
        result.expect(lost)
        return result


def anycast_crash(binaries: Path, folder: Path) -> Result:
    """The first server loses its power; the router notices after the hold time."""

    def act(site: Anycast) -> None:
        # Without a word, and with a link that stays up.
        site.network["a"].run("nft", "-f", "-", given="""
            table inet off {
                chain in { type filter hook input priority 0; policy drop; }
                chain out { type filter hook output priority 0; policy drop; }
            }
        """)
        until("the router has one server", lambda: site.routes() == 1)

    return anycast(binaries, folder, {}, act, range(1, 2 * CLIENTS))


def anycast_first(binaries: Path, folder: Path) -> Result:
    """A planned stop that withdraws at once: the running transfers of that server are lost, nobody else waits."""

    def act(site: Anycast) -> None:
        follow(site.network["a"], folder)
        site.servers["a"].terminate()
        until("the router has one server", lambda: site.routes() == 1)
        site.servers["a"].wait()

    return anycast(binaries, folder, {"drain_delay": "2s", "drain": "3s"}, act, range(1, CLIENTS + 1))


def anycast_last(binaries: Path, folder: Path) -> Result:
    """A planned stop that withdraws when the server has ended: nothing is lost, new clients wait for the drain."""

    def act(site: Anycast) -> None:
        follow(site.network["a"], folder, "/livez")
        site.servers["a"].terminate()
        site.servers["a"].wait()
        until("the router has one server", lambda: site.routes() == 1)

    return anycast(binaries, folder, {"drain": "25s"}, act, 0)


def anycast_joins(binaries: Path, folder: Path) -> Result:
    """A second server is announced: the router moves half of the flows to it, and their transfers are lost."""
    with Network("c", "r", "a", "b") as network:
        site = Anycast(network, binaries, folder)
        site.announce("b", "disable")
        until("the router has one server", lambda: site.routes() == 1)
        load = site.load(7, "a")
        site.announce("b", "enable")
        until("the router has two servers", lambda: site.routes() == 2)
        result = load.result()
        result.expect(range(1, CLIENTS + 1))
        return result


class Translated(Site):
    """The router rewrites the address as kube-proxy does: a server at random for each new flow."""

    def __init__(self, *where, **keys: str):
        super().__init__(*where)
        self.serve(6969, **keys)
        self.network["r"].run("nft", "-f", "-", given="""
            add table ip service
            add chain ip service in { type nat hook prerouting priority dstnat; }
        """)
        self.endpoints("a", "b")

    def endpoints(self, *names: str) -> None:
        """Which servers new flows go to."""
        targets = ", ".join(f"{number} : {OWN[name]}" for number, name in enumerate(names))
        self.network["r"].run("nft", "-f", "-", given=f"""
            flush chain ip service in
            add rule ip service in ip daddr {ADDRESS} udp dport 69 dnat to numgen random mod {len(names)} map {{ {targets} }}:6969
        """)

    def forget(self, name: str) -> None:
        """Deletes the flows to a server, as kube-proxy does with those to a pod that is not serving."""
        self.network["r"].run("conntrack", "-D", "-p", "udp", "--reply-src", OWN[name], check=False)


def translated(binaries: Path, folder: Path, keys: dict, act: Callable[[Translated], None], lost: range | int) -> Result:
    with Network("c", "r", "a", "b") as network:
        site = Translated(network, binaries, folder, **keys)
        load = site.load(7, patience=PATIENCE if lost else LONG_PATIENCE)
        act(site)
        result = load.result()
        result.expect(lost)
        return result


def flows_kept(binaries: Path, folder: Path) -> Result:
    """A pod terminates and stays ready: no new flows, and its running transfers end well."""

    def act(site: Translated) -> None:
        site.servers["a"].terminate()
        site.endpoints("b")
        site.servers["a"].wait()
        # The pod is gone, and with it what kube-proxy knew of it: a client that asks from a port of before is heard.
        site.forget("a")

    return translated(binaries, folder, {"drain_delay": "1s", "drain": "25s"}, act, 0)


def flows_forgotten(binaries: Path, folder: Path) -> Result:
    """A pod terminates and is unready: kube-proxy deletes its flows, and the running transfers are lost."""

    def act(site: Translated) -> None:
        site.servers["a"].terminate()
        site.endpoints("b")
        site.forget("a")
        site.servers["a"].wait()

    keys = {"drain_delay": "1s", "drain": "3s"}
    return translated(binaries, folder, keys, act, range(1, CLIENTS + 1))


def pod_killed(binaries: Path, folder: Path) -> Result:
    """A pod is gone at once; a second later the rules follow, and its flows are deleted."""

    def act(site: Translated) -> None:
        site.network["a"].run("ip", "link", "set", "dev", "eth0", "down")
        site.network["c"].run("sleep", "1")
        site.endpoints("b")
        site.forget("a")

    return translated(binaries, folder, {}, act, range(1, CLIENTS + 1))
