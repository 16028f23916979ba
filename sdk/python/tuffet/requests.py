"""What the server tells about a request. ``sdk/wit/v0.2/policy.wit`` says what each field means."""

from dataclasses import dataclass, field
from enum import StrEnum


class Operation(StrEnum):
    READ = "read"
    WRITE = "write"


class Mode(StrEnum):
    OCTET = "octet"
    NETASCII = "netascii"


class ErrorCode(StrEnum):
    """The code of the ERROR packet that a denied client gets."""

    NOT_DEFINED = "not-defined"
    FILE_NOT_FOUND = "file-not-found"
    ACCESS_VIOLATION = "access-violation"
    DISK_FULL = "disk-full"
    FILE_EXISTS = "file-exists"
    OPTION_REFUSED = "option-refused"


class MacSource(StrEnum):
    """Where a MAC address was learnt, most trustworthy first."""

    NEIGHBOUR_TABLE = "neighbour-table"
    LEASE_FILE = "lease-file"
    REQUESTED_NAME = "requested-name"


class Outcome(StrEnum):
    """How a request ended."""

    SERVED = "served"
    STORED = "stored"
    PROBED = "probed"
    ABORTED = "aborted"
    DENIED = "denied"
    NOT_FOUND = "not-found"
    TIMED_OUT = "timed-out"
    FAILED = "failed"


@dataclass(slots=True)
class Mac:
    """A hint, not a credential: every source of it can be forged by someone on the same network."""

    address: str
    """Six lower-case hexadecimal octets with colons: ``02:00:5e:10:00:01``."""
    source: MacSource


@dataclass(slots=True)
class Client:
    address: str
    port: int
    macs: list[Mac] = field(default_factory=list)
    """Empty without the grant ``client-mac``."""
    class_: str = "unknown"
    """What kind of client this seems to be: ``ipxe``, ``u-boot``, ``curl`` and so on. A hint, no credential."""


@dataclass(slots=True)
class Request:
    id: str
    """Stable for the life of the transfer; log lines carry the same."""
    listener: str
    operation: Operation
    mode: Mode
    requested: str
    """The name as sent. For the log; never use it as a path."""
    path: str
    """The normalised path: no leading slash, no ``.`` or ``..``."""
    client: Client
    options: list[tuple[str, str]] = field(default_factory=list)
    """As the client sent them, names in lower case."""
    attributes: list[tuple[str, str]] = field(default_factory=list)
    """Further facts, by name; docs/plugins.md lists them."""

    def attribute(self, name: str) -> str | None:
        """The value of an attribute, if the request has it."""
        return next((value for key, value in self.attributes if key == name), None)

    def option(self, name: str) -> str | None:
        """The value of an option, if the client sent it."""
        return next((value for key, value in self.options if key == name), None)


@dataclass(frozen=True, slots=True)
class PastRequest:
    """A request that has ended."""

    operation: Operation
    path: str
    """The normalised path, or its first 255 bytes."""
    outcome: Outcome
    ended_ms_ago: int
    """Milliseconds since it ended."""


@dataclass(slots=True)
class Upload:
    """A complete upload: on disk, not visible yet."""

    root: str
    path: str
    bytes: int
    sha256: str

    def read(self, offset: int, length: int) -> bytes:
        """Bytes of the file; fewer where it ends. Only while ``accept_upload`` runs. Needs the grant ``upload``. A call of
        the hook may read 8 MiB in all.

        Raises :class:`~tuffet.Denied`, :class:`~tuffet.Invalid` and :class:`~tuffet.Unavailable`."""
        from ._host import host

        for name, value, bits in (("offset", offset, 64), ("length", length, 32)):
            if not 0 <= value < 1 << bits:
                raise ValueError(f"{name} {value}: a number of {bits} bits is wanted")
        return host().upload_read(offset, length)
