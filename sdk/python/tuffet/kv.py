"""Keys and values that outlive the call and the process: the grant ``kv``. Times to live are in seconds. Not available
in ``configure``.

Each plugin has its own namespace. With the grant ``kv/NAME``, plugins share the namespace ``Shared("NAME")``, and where
the keys are in a bucket of NATS, the plugins of all its servers do."""

import builtins

from . import _checks
from ._host import host
from .records import Entry, Listed

__all__ = ["Entry", "Listed", "Shared", "delete", "delete_prefix", "entry", "get", "increment", "list", "set", "swap"]


class _Namespace:
    __slots__ = ("_name",)

    def __init__(self, name: str | None) -> None:
        self._name = name

    def get(self, key: str) -> bytes | None:
        """The value; ``None`` where there is none or its time is over."""
        found = self.entry(key)
        return None if found is None else found.value

    def entry(self, key: str) -> Entry | None:
        """As :meth:`get`, with the revision for :meth:`swap`."""
        return host().kv_get(self._name, key)

    def set(self, key: str, value: bytes | str, ttl: int | None = None) -> None:
        """Replaces the value. It is gone after ``ttl``; ``None`` keeps it for good."""
        _checks.bits(ttl=(ttl, 32))
        host().kv_set(self._name, key, _bytes(value), ttl)

    def swap(self, key: str, revision: int | None, value: bytes | str, ttl: int | None = None) -> int | None:
        """Replaces the value if the key still has the revision of this :meth:`entry`; with ``None``, creates the key if
        it does not exist. Answers the new revision, or ``None`` if the key has another one: read it again, and decide
        anew. After an error ``unavailable`` the value may have been replaced all the same."""
        _checks.bits(revision=(revision, 64), ttl=(ttl, 32))
        return host().kv_swap(self._name, key, revision, _bytes(value), ttl)

    def delete(self, key: str) -> None:
        """Removes the key. That it was not there is no error."""
        host().kv_delete(self._name, key)

    def increment(self, key: str, by: int = 1, ttl: int | None = None) -> int:
        """Adds to a counter, at once for all who count, and answers what it has come to. ``ttl`` holds from when
        the counter begins, so that it counts per period."""
        if not -(1 << 63) <= by < 1 << 63:
            raise ValueError(f"by {by}: a signed number of 64 bits is wanted")
        _checks.bits(ttl=(ttl, 32))
        return host().kv_increment(self._name, key, by, ttl)

    def list(self, prefix: str = "", after: str | None = None, limit: int = 1000) -> builtins.list[Listed]:
        """A page of the keys that begin with ``prefix``, with their values, in the order of the bytes of the keys: those after
        ``after``, at most ``limit``, never more than 1000, and none behind 1 MiB. An empty page is the end. Changes between two
        pages may be seen or not."""
        _checks.bits(limit=(limit, 32))
        return host().kv_list(self._name, prefix, after, limit)

    def delete_prefix(self, prefix: str) -> int:
        """Removes keys that begin with ``prefix``, at most 1000, and answers how many: call it until that is 0."""
        return host().kv_delete_prefix(self._name, prefix)


def _bytes(value: bytes | str) -> bytes:
    return value.encode() if isinstance(value, str) else bytes(value)


class Shared(_Namespace):
    """A namespace that plugins share. The quota of the plugin that writes counts all keys of the namespace."""

    __slots__ = ()

    def __init__(self, name: str) -> None:
        super().__init__(name)


_own = _Namespace(None)
get = _own.get
entry = _own.entry
set = _own.set
swap = _own.swap
delete = _own.delete
increment = _own.increment
list = _own.list
delete_prefix = _own.delete_prefix
