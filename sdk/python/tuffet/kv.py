"""Keys and values that outlive the call and the process. The grant ``kv``. Times to live are in seconds.

Raises :class:`~tuffet.Denied`, :class:`~tuffet.Quota`, :class:`~tuffet.Invalid` and
:class:`~tuffet.Unavailable`."""

from ._host import host


def get(key: str) -> bytes | None:
    """The value; ``None`` where there is none or its time is over."""
    return host().kv_get(key)


def set(key: str, value: bytes | str, ttl: int | None = None) -> None:
    """Replaces the value. It is gone after ``ttl``; ``None`` keeps it for good."""
    host().kv_set(key, value.encode() if isinstance(value, str) else bytes(value), _ttl(ttl))


def delete(key: str) -> None:
    """Removes the key. That it was not there is no error."""
    host().kv_delete(key)


def increment(key: str, by: int = 1, ttl: int | None = None) -> int:
    """Adds to a counter, at once for all who count, and answers what it has come to. ``ttl`` holds from when
    the counter begins, so that it counts per period."""
    if not -(1 << 63) <= by < 1 << 63:
        raise ValueError(f"by {by}: a signed number of 64 bits is wanted")
    return host().kv_increment(key, by, _ttl(ttl))


def _ttl(ttl: int | None) -> int | None:
    if ttl is not None and not 0 <= ttl < 1 << 32:
        raise ValueError(f"ttl {ttl}: seconds, a number of 32 bits, are wanted")
    return ttl
