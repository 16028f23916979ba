"""What the server tells about a request. ``sdk/wit/policy.wit`` says what each field means."""

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
    """Facts that later servers add."""

    def option(self, name: str) -> str | None:
        """The value of an option, if the client sent it."""
        return next((value for key, value in self.options if key == name), None)


@dataclass(slots=True)
class Upload:
    """A complete upload: on disk, not visible yet."""

    root: str
    path: str
    bytes: int
    sha256: str
