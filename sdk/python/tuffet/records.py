"""What calls of the server answer."""

from dataclasses import dataclass, field

from .requests import Operation, Outcome


@dataclass(frozen=True, slots=True)
class Entry:
    """A value and its revision. Each change of a key gives it a higher one."""

    value: bytes
    revision: int


@dataclass(frozen=True, slots=True)
class Listed:
    """A key with its value and revision."""

    key: str
    value: bytes
    revision: int


@dataclass(frozen=True, slots=True)
class Metadata:
    size: int
    """In bytes."""
    modified_unix_ms: int
    """Milliseconds since the beginning of 1970."""
    version: str
    """Names this content of the file: another one after each change."""


@dataclass(frozen=True, slots=True)
class PastRequest:
    """A request that has ended."""

    operation: Operation
    path: str
    """The normalised path, or its first 255 bytes."""
    outcome: Outcome | str
    ended_ms_ago: int
    """Milliseconds since it ended."""


@dataclass(frozen=True, slots=True)
class Response:
    """An answer by HTTP, whatever its status."""

    status: int
    body: bytes = b""
    headers: list[tuple[str, str]] = field(default_factory=list)
    """Names in lower case, and values."""
