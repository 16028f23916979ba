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
    from wit_world.imports import shared_kv as wit_shared_kv
except ImportError:
    wit_shared_kv = _absent("kv")
try:
    from wit_world.imports import files as wit_files
except ImportError:
    wit_files = _absent("files")
try:
    from wit_world.imports import sinks as wit_sinks
except ImportError:
    wit_sinks = _absent("sinks")
try:
    from wit_world.imports import metrics as wit_metrics
except ImportError:
    wit_metrics = _absent("metrics")
try:
    from wit_world.imports import upload_content as wit_upload_content
except ImportError:
    wit_upload_content = _absent("upload")
try:
    from wit_world.imports import history as wit_history
    from . import convert
except ImportError:
    wit_history = _absent("client-history")
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
        return kind("the queue of the sink is full, or the plugin has as many series as it may have")
    return kind(case.value)


class _Host:
    def log(self, level: str, message: str, fields: list[tuple[str, str]]) -> None:
        wit_log.log(_LEVELS[level], message, fields)

    def kv_get(self, namespace: str | None, key: str) -> tuple[bytes, int] | None:
        if namespace is None:
            found = _called(wit_kv.get_entry, key)
        else:
            found = _called(wit_shared_kv.get, namespace, key)
        return None if found is None else (found.value, found.revision)

    def kv_set(self, namespace: str | None, key: str, value: bytes, ttl: int | None) -> None:
        _kv("set", namespace, key, value, ttl)

    def kv_delete(self, namespace: str | None, key: str) -> None:
        _kv("delete", namespace, key)

    def kv_increment(self, namespace: str | None, key: str, by: int, ttl: int | None) -> int:
        return _kv("increment", namespace, key, by, ttl)

    def kv_swap(
        self, namespace: str | None, key: str, revision: int | None, value: bytes, ttl: int | None
    ) -> int | None:
        return _kv("swap", namespace, key, revision, value, ttl)

    def kv_list(self, namespace: str | None, prefix: str, after: str | None, limit: int) -> list[str]:
        return _kv("list", namespace, prefix, after, limit)

    def stat(self, root: str, path: str) -> tuple[int, int] | None:
        found = _called(wit_files.stat, root, path)
        return None if found is None else (found.bytes, found.modified_unix_ms)

    def read(self, root: str, path: str, limit: int) -> bytes | None:
        return _called(wit_files.read, root, path, limit)

    def upload_read(self, offset: int, length: int) -> bytes:
        return _called(wit_upload_content.read, offset, length)

    def metrics_add(self, name: str, labels: list[tuple[str, str]], by: int) -> None:
        _called(wit_metrics.add, name, labels, by)

    def metrics_set(self, name: str, labels: list[tuple[str, str]], value: float) -> None:
        _called(wit_metrics.set, name, labels, value)

    def history(self) -> list[tuple[str, str, str, int]]:
        return [
            (convert.OPERATIONS[past.operation], past.path, convert.OUTCOMES[past.outcome], past.ended_ms_ago)
            for past in _called(wit_history.recent)
        ]

    def emit(self, sink: str, payload: str) -> None:
        _called(wit_sinks.emit, sink, payload)

    def http(
        self, method: str, url: str, parts: SplitResult, headers: list[tuple[str, str]], body: bytes, limit: int
    ) -> Response:
        return wit_http.send(method, url, parts, headers, body, limit)


def _kv(name: str, namespace: str | None, *arguments: Any) -> Any:
    """A call of `kv`, or the one of the same name for a shared namespace."""
    if namespace is None:
        return _called(getattr(wit_kv, name), *arguments)
    return _called(getattr(wit_shared_kv, name), namespace, *arguments)


def _called(function: Any, *arguments: Any) -> Any:
    try:
        return function(*arguments)
    except Err as error:
        raise _raised(error) from None


HOST = _Host()
