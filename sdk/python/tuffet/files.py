"""Files in the roots that are granted, one by one: ``files/ROOT``. A call may read 64 MiB in all.

Raises :class:`~tuffet.Denied`, :class:`~tuffet.TooLarge`, :class:`~tuffet.Invalid` and
:class:`~tuffet.Unavailable`."""

from dataclasses import dataclass

from ._host import host


@dataclass(frozen=True, slots=True)
class Metadata:
    bytes: int
    modified_unix_ms: int
    """Milliseconds since the beginning of 1970."""


def stat(root: str, path: str) -> Metadata | None:
    """Size and time of change; ``None`` where there is no such file."""
    found = host().stat(root, path)
    return None if found is None else Metadata(*found)


def read(root: str, path: str, limit: int = 1 << 20) -> bytes | None:
    """The whole file, if it has at most ``limit`` bytes; ``None`` where there is no such file."""
    if not 0 <= limit < 1 << 64:
        raise ValueError(f"limit {limit}: a number of 64 bits is wanted")
    return host().read(root, path, limit)


def read_text(root: str, path: str, limit: int = 1 << 20) -> str | None:
    """The same as text in UTF-8, with or without a byte order mark; other bytes are replaced."""
    data = read(root, path, limit)
    return None if data is None else data.decode("utf-8", "replace").removeprefix("\ufeff")
