"""From the dataclass of a plugin's settings to their JSON Schema, which the component carries."""

import dataclasses
import json
import os
import types
import typing
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

from .settings import Described

TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def schema(cls: type) -> dict[str, Any]:
    """The schema of what :func:`tuffet.parse` reads into this dataclass."""
    hints = typing.get_type_hints(cls, include_extras=True)
    properties, required = {}, []
    for field in dataclasses.fields(cls):
        if not field.init:
            continue
        key = field.name.replace("_", "-")
        properties[key] = of = _of(hints[field.name])
        default = field.default if field.default_factory is dataclasses.MISSING else field.default_factory()
        if default is dataclasses.MISSING:
            required.append(key)
        elif isinstance(default, Enum):
            of["default"] = default.value
        elif default is not None and not dataclasses.is_dataclass(default):
            of["default"] = default
    return {"type": "object", "additionalProperties": False, "required": required, "properties": properties}


def check(cls: type, path: str | Path) -> None:
    """Raises an ``AssertionError`` unless the file has the schema of this dataclass; writes it with ``TUFFET_BLESS=1``."""
    wanted, path = schema(cls), Path(path)
    if os.environ.get("TUFFET_BLESS"):
        path.write_text(json.dumps(wanted, indent=2, ensure_ascii=False) + "\n", "utf-8")
    found = json.loads(path.read_text("utf-8")) if path.is_file() else None
    if found != wanted:
        raise AssertionError(f"{path} is not the schema of {cls.__name__}; run this test with TUFFET_BLESS=1 to write it")


def _of(hint: Any) -> dict[str, Any]:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        described = [each for each in hint.__metadata__ if isinstance(each, Described)]
        return {**_of(arguments[0]), **{key: value for each in described for key, value in each.keywords()}}
    if hint is Any:
        return {}
    if dataclasses.is_dataclass(hint):
        return schema(typing.cast(type, hint))
    if origin in (typing.Union, types.UnionType):
        (inner,) = (argument for argument in arguments if argument is not type(None))
        of = _of(inner)
        if "enum" in of:
            of["enum"] = [*of["enum"], None]
        elif "type" in of:
            of["type"] = [of["type"], "null"]
        return of
    if origin is list:
        return {"type": "array", "items": _of(arguments[0])}
    if origin is dict:
        return {"type": "object", "additionalProperties": _of(arguments[1])}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"enum": [member.value for member in hint]}
    if hint in TYPES:
        return {"type": TYPES[hint]}
    raise TypeError(f"a setting of the type {hint} has no schema; tuffet.parse says which types there are")
