"""Outputs that the configuration names (``sinks``) and the server delivers: ``sinks/NAME`` grants one.

Raises :class:`~tuffet.Denied`, :class:`~tuffet.Full` and :class:`~tuffet.Invalid`."""

import json
from typing import Any

from ._host import host


def emit(sink: str, value: Any) -> None:
    """Queues a value as one line of JSON, at most 32 KiB. That it was queued does not mean that it arrived."""
    emit_line(sink, json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def emit_line(sink: str, payload: str) -> None:
    """The same with JSON that is written already."""
    host().emit(sink, payload)
