"""Files in the roots that are granted, one by one: ``files/ROOT``. A call of a hook may read 64 MiB in all."""

from . import _checks
from ._host import host
from .records import Metadata

__all__ = ["Metadata", "read", "read_at", "read_text", "stat"]


def stat(root: str, path: str) -> Metadata | None:
    """Size, time of change and version; ``None`` where there is no such file."""
    return host().stat(root, path)


def read(root: str, path: str, limit: int = 1 << 20) -> bytes | None:
    """The whole file, if it has at most ``limit`` bytes; ``None`` where there is no such file."""
    _checks.bits(limit=(limit, 64))
    return host().read(root, path, limit)


def read_text(root: str, path: str, limit: int = 1 << 20) -> str | None:
    """The same as text in UTF-8, with or without a byte order mark; other bytes are replaced."""
    data = read(root, path, limit)
    return None if data is None else data.decode("utf-8", "replace").removeprefix("\ufeff")


def read_at(root: str, path: str, version: str, offset: int, length: int) -> bytes:
    """Bytes of the version of a file that :func:`stat` gave; fewer than ``length`` where it ends. If the file has
    another version, or is gone, the error is ``changed``."""
    _checks.bits(offset=(offset, 64), length=(length, 32))
    return host().read_at(root, path, version, offset, length)
