"""Calls of the server, by the generated imports. Of those, only the ones are there that the plugin's manifest asks
for."""

import importlib
from typing import Any, Callable

from componentize_py_types import Err
from wit_world.imports import log as wit_log

from .._host import Pairs
from ..errors import HostError, known
from ..records import Entry, Listed, Metadata, PastRequest
from ..requests import Outcome
from . import convert

_LEVELS = {member.name.lower(): member for member in wit_log.Level}


def _calls(grant: str, module: str, name: str, read: Callable[[Any], Any] | None = None) -> Any:
    """A method that calls an imported function, and reads what it answers."""
    try:
        function = getattr(importlib.import_module(module), name)
    except ImportError:
        function = None

    def method(_: object, *arguments: Any) -> Any:
        if function is None:
            raise RuntimeError(
                f'the manifest does not ask for the grant {grant}: add {grant} = "REASON" to [tool.tuffet.grants] of '
                f"pyproject.toml and build again"
            )
        try:
            answer = function(*arguments)
        except Err as error:
            raise HostError(error.value.code, error.value.message) from None
        return read(answer) if read else answer

    return method


def _record(cls: Any) -> Callable[[Any], Any]:
    return lambda given: given and cls(**vars(given))


def _past(given: Any) -> list[PastRequest]:
    return [
        PastRequest(convert.OPERATIONS[past.operation], past.path, known(Outcome, past.outcome), past.ended_ms_ago)
        for past in given
    ]


class _Host:
    kv_get = _calls("kv", "wit_world.imports.kv", "get", _record(Entry))
    kv_set = _calls("kv", "wit_world.imports.kv", "set")
    kv_delete = _calls("kv", "wit_world.imports.kv", "delete")
    kv_increment = _calls("kv", "wit_world.imports.kv", "increment")
    kv_swap = _calls("kv", "wit_world.imports.kv", "swap")
    kv_list = _calls("kv", "wit_world.imports.kv", "list", lambda given: [Listed(its.key, its.entry.value, its.entry.revision) for its in given])
    kv_delete_prefix = _calls("kv", "wit_world.imports.kv", "delete_prefix")
    stat = _calls("files", "wit_world.imports.files", "stat", _record(Metadata))
    read = _calls("files", "wit_world.imports.files", "read")
    read_at = _calls("files", "wit_world.imports.files", "read_at")
    upload_read = _calls("upload", "wit_world.imports.upload_content", "read")
    emit = _calls("sinks", "wit_world.imports.sinks", "emit")
    metrics_add = _calls("metrics", "wit_world.imports.metrics", "add")
    metrics_set = _calls("metrics", "wit_world.imports.metrics", "set")
    history = _calls("client-history", "wit_world.imports.history", "recent", _past)
    http = _calls("http", "tuffet.wasm.http", "send")

    def log(self, level: str, message: str, fields: Pairs) -> None:
        wit_log.log(_LEVELS[level], message, fields)


HOST = _Host()
