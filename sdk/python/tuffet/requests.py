"""What the server gives a hook. ``sdk/wit/policy.wit`` says what each field means."""

from dataclasses import dataclass, field
from enum import StrEnum

from . import _checks


class Operation(StrEnum):
    READ = "read"
    WRITE = "write"


class Mode(StrEnum):
    OCTET = "octet"
    NETASCII = "netascii"


class MacSource(StrEnum):
    """Where a MAC address was learnt: the known sources."""

    NEIGHBOUR_TABLE = "neighbour-table"
    LEASE_FILE = "lease-file"
    REQUESTED_NAME = "requested-name"


class Outcome(StrEnum):
    """How a request ended: the known outcomes."""

    SERVED = "served"
    STORED = "stored"
    PROBED = "probed"
    ABORTED = "aborted"
    DENIED = "denied"
    NOT_FOUND = "not-found"
    TIMED_OUT = "timed-out"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Target:
    """A path in a root, by the root's name in the configuration."""

    root: str
    path: str


@dataclass(slots=True)
class Mac:
    """A hint, not a credential: every source of it can be forged by someone on the same network."""

    address: str
    """Six lower-case hexadecimal octets with colons: ``02:00:5e:10:00:01``."""
    source: MacSource | str


@dataclass(slots=True)
class MacAddresses:
    network: list[Mac] = field(default_factory=list)
    """What the network says, most trustworthy source first. Use these to decide who may do something."""
    claimed: list[Mac] = field(default_factory=list)
    """What the client says, in the name that it asked for. Use these to choose among files that it may have anyway."""


@dataclass(slots=True)
class Lease:
    """The lease of the client's address, as a DHCP server's file has it. What names a machine is there with the grant
    ``client-mac`` alone."""

    mac: str | None = None
    client_id: str | None = None
    """Hexadecimal octets with colons."""
    uuid: str | None = None
    hostname: str | None = None
    vendor_class: str | None = None
    architecture: int | None = None
    """DHCP option 93 (RFC 4578)."""
    expires: int | None = None
    """In seconds since the beginning of 1970; ``None`` for a lease that does not end."""
    age: int = 0
    """Seconds since the file was read, or last seen unchanged."""


@dataclass(slots=True)
class Arrival:
    """Where a request arrived. Each field needs the fact of its name in the manifest."""

    address: str | None = None
    """The address that it was sent to; for a broadcast, that of the interface."""
    interface_name: str | None = None
    vlan: int | None = None


@dataclass(slots=True)
class Client:
    address: str
    port: int
    macs: MacAddresses | None = None
    """``None`` without the grant ``client-mac``."""
    lease: Lease | None = None
    """``None`` without a lease, or without the fact ``lease`` in the manifest."""
    class_: str = "unknown"
    """What kind of client this seems to be: ``ipxe``, ``u-boot``, ``curl`` and so on. A hint, no credential."""

    def network_macs(self) -> list[Mac]:
        """The MAC addresses that the network says this client has, most trustworthy source first. Raises
        ``RuntimeError`` without the grant ``client-mac``, so that a forgotten grant fails the call."""
        return self._known_macs().network

    def has_mac(self, mac: str) -> bool:
        """Whether the network says that this client has a MAC address, given in upper or lower case, with ``:``, ``-``,
        ``.`` or no separators. Raises as :meth:`network_macs`."""
        return _digits(mac) in (_digits(its.address) for its in self.network_macs())

    def claimed_macs(self) -> list[Mac]:
        """The MAC addresses that the client claims, by the name that it asked for. Raises as :meth:`network_macs`."""
        return self._known_macs().claimed

    def any_macs(self) -> list[Mac]:
        """All MAC addresses, those that the network knows first, and none without the grant ``client-mac``: for records,
        never to decide who may do something."""
        return [*self.macs.network, *self.macs.claimed] if self.macs else []

    def _known_macs(self) -> MacAddresses:
        if self.macs is None:
            raise RuntimeError(
                "the manifest does not ask for the grant client-mac, or the configuration does not give it"
            )
        return self.macs


def _digits(mac: str) -> str:
    return mac.lower().translate(_SEPARATORS)


_SEPARATORS = str.maketrans("", "", ":-.")


@dataclass(frozen=True, slots=True)
class Label:
    """A short text that a plugin has attached to a request."""

    plugin: str
    """The name of the plugin in the configuration."""
    text: str


@dataclass(slots=True)
class Request:
    id: str
    """Unique among the requests of one process of the server; log lines carry the same."""
    listener: str
    operation: Operation
    mode: Mode
    requested: str
    """The name as sent. For the log; never use it as a path."""
    path: str
    """The normalised path: no leading slash, no ``.`` or ``..``."""
    client: Client
    arrival: Arrival | None = None
    """``None`` without the facts ``local-address``, ``interface`` and ``vlan`` in the manifest."""
    options: list[tuple[str, str]] = field(default_factory=list)
    """As the client sent them, names in lower case."""
    unix_ms: int = 0
    """When it arrived, in milliseconds since 1970; needs no grant. A rehearsal may have another time."""
    labels: list[Label] = field(default_factory=list)
    """What plugins that were called before have attached, in the order of the calls; of each plugin the last."""
    attributes: list[tuple[str, str]] = field(default_factory=list)
    """Further facts, by name. ``raw-name``: the bytes of the requested name in hexadecimal digits, if they are not UTF-8.
    ``unsafe-name``: why the server refuses the name unless ``resolve`` names a file for it. ``case``: ``insensitive`` where
    every spelling of ``path`` finds the file, also one that is new; compare names regardless of case then. Later servers
    add more."""

    def label_of(self, plugin: str) -> str | None:
        """The label of a plugin that was called before."""
        return next((label.text for label in self.labels if label.plugin == plugin), None)

    def option(self, name: str) -> str | None:
        """The value of an option, if the client sent it."""
        return next((value for key, value in self.options if key == name), None)

    def attribute(self, name: str) -> str | None:
        """The value of an attribute, if the request has it."""
        return next((value for key, value in self.attributes if key == name), None)


@dataclass(slots=True)
class Upload:
    """A complete upload: on disk, not visible yet."""

    root: str
    path: str
    size: int
    """In bytes."""
    sha256: str
    attributes: list[tuple[str, str]] = field(default_factory=list)

    def read(self, offset: int, length: int) -> bytes:
        """Bytes of the file; fewer where it ends. Only while ``accept_upload`` runs. Needs the grant ``upload``. A call
        of the hook may read 8 MiB in all."""
        from ._host import host

        _checks.bits(offset=(offset, 64), length=(length, 32))
        return host().upload_read(offset, length)
