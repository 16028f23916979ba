"""Outputs that the configuration names (``sinks``) and the server delivers: ``sinks/NAME`` grants one. Not available in
``configure``. If a sink is slow or broken, the error is ``full``: try again in a later call, or count what is lost."""

import json
from typing import Any

from ._host import host


def emit(sink: str, value: Any) -> None:
    """Queues a value as one line of JSON, at most 32 KiB. That it was queued does not mean that it arrived."""
    emit_line(sink, json.dumps(value, ensure_ascii=False, separators=(",", ":")))


def emit_line(sink: str, payload: str) -> None:
    """The same with JSON that is written already."""
    host().emit(sink, payload)
