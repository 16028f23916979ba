"""Lines for the server's log. The server adds the plugin's name and the request; it takes 32 lines a call,
of 1024 bytes each. Fields are given by name: ``log.info("counted", count=3)``."""

from typing import Any

from ._host import host


def trace(message: str, **fields: Any) -> None:
    _log("trace", message, fields)


def debug(message: str, **fields: Any) -> None:
    _log("debug", message, fields)


def info(message: str, **fields: Any) -> None:
    _log("info", message, fields)


def warn(message: str, **fields: Any) -> None:
    _log("warn", message, fields)


def error(message: str, **fields: Any) -> None:
    _log("error", message, fields)


def _log(level: str, message: str, fields: dict[str, Any]) -> None:
    host().log(level, message, [(name, str(value)) for name, value in fields.items()])
