"""Who answers a plugin's calls: the server, or in native tests the stand-in of ``tuffet.testing``."""

import sys
from typing import Protocol
from urllib.parse import SplitResult

from .response import Response

Labels = list[tuple[str, str]]


class Host(Protocol):
    def log(self, level: str, message: str, fields: list[tuple[str, str]]) -> None: ...

    # `namespace` is None for the plugin's own keys.

    def kv_get(self, namespace: str | None, key: str) -> tuple[bytes, int] | None: ...

    def kv_set(self, namespace: str | None, key: str, value: bytes, ttl: int | None) -> None: ...

    def kv_delete(self, namespace: str | None, key: str) -> None: ...

    def kv_increment(self, namespace: str | None, key: str, by: int, ttl: int | None) -> int: ...

    def kv_swap(
        self, namespace: str | None, key: str, revision: int | None, value: bytes, ttl: int | None
    ) -> int | None: ...

    def kv_list(self, namespace: str | None, prefix: str, after: str | None, limit: int) -> list[str]: ...

    def stat(self, root: str, path: str) -> tuple[int, int] | None: ...

    def read(self, root: str, path: str, limit: int) -> bytes | None: ...

    def upload_read(self, offset: int, length: int) -> bytes: ...

    def emit(self, sink: str, payload: str) -> None: ...

    def metrics_add(self, name: str, labels: Labels, by: int) -> None: ...

    def metrics_set(self, name: str, labels: Labels, value: float) -> None: ...

    def history(self) -> list[tuple[str, str, str, int]]: ...

    def http(
        self, method: str, url: str, parts: SplitResult, headers: list[tuple[str, str]], body: bytes, limit: int
    ) -> Response: ...


if sys.platform == "wasi":
    from .wasm import host as _answering
else:
    from . import testing as _answering


def host() -> Host:
    return _answering.HOST
