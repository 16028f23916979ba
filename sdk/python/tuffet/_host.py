"""Who answers a plugin's calls: the server, or in native tests the stand-in of ``tuffet.testing``. Each method is a
function of ``sdk/wit/policy.wit``."""

import sys
from typing import Protocol
from urllib.parse import SplitResult

from .records import Entry, Listed, Metadata, PastRequest, Response

Pairs = list[tuple[str, str]]


class Host(Protocol):
    def log(self, level: str, message: str, fields: Pairs) -> None: ...

    # The namespace is None for the plugin's own keys.

    def kv_get(self, namespace: str | None, key: str) -> Entry | None: ...

    def kv_set(self, namespace: str | None, key: str, value: bytes, ttl: int | None) -> None: ...

    def kv_delete(self, namespace: str | None, key: str) -> None: ...

    def kv_increment(self, namespace: str | None, key: str, by: int, ttl: int | None) -> int: ...

    def kv_swap(
        self, namespace: str | None, key: str, revision: int | None, value: bytes, ttl: int | None
    ) -> int | None: ...

    def kv_list(self, namespace: str | None, prefix: str, after: str | None, limit: int) -> list[Listed]: ...

    def kv_delete_prefix(self, namespace: str | None, prefix: str) -> int: ...

    def stat(self, root: str, path: str) -> Metadata | None: ...

    def read(self, root: str, path: str, limit: int) -> bytes | None: ...

    def read_at(self, root: str, path: str, version: str, offset: int, length: int) -> bytes: ...

    def upload_read(self, offset: int, length: int) -> bytes: ...

    def emit(self, sink: str, payload: str) -> None: ...

    def metrics_add(self, name: str, by: int, labels: Pairs) -> None: ...

    def metrics_set(self, name: str, value: float, labels: Pairs) -> None: ...

    def history(self) -> list[PastRequest]: ...

    def http(self, method: str, url: str, parts: SplitResult, headers: Pairs, body: bytes, limit: int) -> Response:
        """May answer one byte more than the limit."""


if sys.platform == "wasi":
    from .wasm import host as _answering
else:
    from . import testing as _answering


def host() -> Host:
    return _answering.HOST
