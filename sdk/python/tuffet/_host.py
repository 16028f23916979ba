"""Who answers a plugin's calls: the server, or in native tests the stand-in of ``tuffet.testing``."""

import sys
from typing import Protocol
from urllib.parse import SplitResult

from .response import Response


class Host(Protocol):
    def log(self, level: str, message: str, fields: list[tuple[str, str]]) -> None: ...

    def kv_get(self, key: str) -> bytes | None: ...

    def kv_set(self, key: str, value: bytes, ttl: int | None) -> None: ...

    def kv_delete(self, key: str) -> None: ...

    def kv_increment(self, key: str, by: int, ttl: int | None) -> int: ...

    def stat(self, root: str, path: str) -> tuple[int, int] | None: ...

    def read(self, root: str, path: str, limit: int) -> bytes | None: ...

    def emit(self, sink: str, payload: str) -> None: ...

    def http(
        self, method: str, url: str, parts: SplitResult, headers: list[tuple[str, str]], body: bytes, limit: int
    ) -> Response: ...


if sys.platform == "wasi":
    from .wasm import host as _answering
else:
    from . import testing as _answering


def host() -> Host:
    return _answering.HOST
