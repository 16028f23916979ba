"""Calls of the server, by the generated imports. Of those, only the ones are there that the plugin's manifest asks
for."""

from typing import Any, NoReturn
from urllib.parse import SplitResult

from componentize_py_types import Err
from wit_world.imports import log as wit_log

from .. import errors
from ..response import Response

_LEVELS = {member.name.lower(): member for member in wit_log.Level}


def _absent(grant: str) -> Any:
    class Absent:
        def __getattr__(self, _: str) -> NoReturn:
            raise RuntimeError(
                f'the plugin did not ask for the grant {grant}: add {grant} = "REASON" to [tool.tuffet.grants] of its '
                f"pyproject.toml and build it again"
            )

    return Absent()


try:
    from wit_world.imports import kv as wit_kv
except ImportError:
    wit_kv = _absent("kv")
try:
    from wit_world.imports import files as wit_files
except ImportError:
    wit_files = _absent("files")
try:
    from wit_world.imports import sinks as wit_sinks
except ImportError:
    wit_sinks = _absent("sinks")
try:
    from . import http as wit_http
except ImportError:
    wit_http = _absent("http")


def _raised(error: Err[Any]) -> errors.HostError:
    """The exception of this package for an error of the interface, by the name of its case."""
    case = error.value
    kind = getattr(errors, type(case).__name__.removeprefix("Error_"))
    if kind is errors.Quota:
        return kind("the plugin has as many keys or bytes as it may have")
    if kind is errors.Full:
        return kind("the queue of the sink is full")
    return kind(case.value)


class _Host:
    def log(self, level: str, message: str, fields: list[tuple[str, str]]) -> None:
        wit_log.log(_LEVELS[level], message, fields)

    def kv_get(self, key: str) -> bytes | None:
        return _called(wit_kv.get, key)

    def kv_set(self, key: str, value: bytes, ttl: int | None) -> None:
        _called(wit_kv.set, key, value, ttl)

    def kv_delete(self, key: str) -> None:
        _called(wit_kv.delete, key)

    def kv_increment(self, key: str, by: int, ttl: int | None) -> int:
        return _called(wit_kv.increment, key, by, ttl)

    def stat(self, root: str, path: str) -> tuple[int, int] | None:
        found = _called(wit_files.stat, root, path)
        return None if found is None else (found.bytes, found.modified_unix_ms)

    def read(self, root: str, path: str, limit: int) -> bytes | None:
        return _called(wit_files.read, root, path, limit)

    def emit(self, sink: str, payload: str) -> None:
        _called(wit_sinks.emit, sink, payload)

    def http(
        self, method: str, url: str, parts: SplitResult, headers: list[tuple[str, str]], body: bytes, limit: int
    ) -> Response:
        return wit_http.send(method, url, parts, headers, body, limit)


def _called(function: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Err as error:
        raise _raised(error) from None


HOST = _Host()
