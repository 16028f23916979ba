"""From the settings of a plugin to a dataclass of its own, with problems that point at the spot."""

import dataclasses
import difflib
import types
import typing
from enum import Enum
from typing import Any, TypeVar

from .problems import Problems, step

T = TypeVar("T")


@dataclasses.dataclass(frozen=True)
class Described:
    """What the schema of a setting says besides its type: ``Annotated[str, Described("The sink.", format="granted-sink-name")]``.

    Formats name a part of the configuration: ``listener-name``, ``root-name``, ``granted-root-name`` and
    ``granted-sink-name``. The server checks bounds, before it asks the plugin."""

    description: str = ""
    format: str | None = None
    minimum: float | None = None
    maximum: float | None = None

    def keywords(self) -> list[tuple[str, Any]]:
        """The keywords of JSON Schema."""
        return [(key, value) for key, value in dataclasses.asdict(self).items() if value not in (None, "")]


NAMES = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def parse(cls: type[T], settings: dict[str, Any]) -> T:
    """Reads a dataclass: keys are the names of its fields with ``-`` for ``_``, a field with a default may be
    left out, a key that there is no field for is a problem. Fields are texts, numbers, booleans, enums with
    texts as values, ``list[…]``, ``dict[str, …]``, ``… | None``, other dataclasses, or ``Any``.

    Raises :class:`Problems` with all that is wrong."""
    problems = Problems()
    value: T = _dataclass(cls, settings, "", problems)
    problems.check()
    return value


def _dataclass(cls: Any, value: Any, pointer: str, problems: Problems) -> Any:
    if not isinstance(value, dict):
        return problems.add(pointer, f"{_shown(value)} is no map")
    hints = typing.get_type_hints(cls)
    fields = {field.name.replace("_", "-"): field for field in dataclasses.fields(cls) if field.init}
    given = {}
    for key, item in value.items():
        if key in fields:
            name = fields[key].name
            given[name] = _value(hints[name], item, step(pointer, key), problems)
            continue
        close = difflib.get_close_matches(key, fields, 1)
        known = f"did you mean `{close[0]}`?" if close else f"known here: {', '.join(fields)}"
        problems.add(step(pointer, key), f"unknown key `{key}`; {known}")
    for key, field in fields.items():
        has_default = (field.default, field.default_factory) != (dataclasses.MISSING, dataclasses.MISSING)
        if field.name not in given and not has_default:
            problems.add(pointer, f"the key `{key}` is missing")
    return cls(**given) if not problems.problems else None


def _value(hint: Any, value: Any, pointer: str, problems: Problems) -> Any:
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if hint is Any:
        return value
    if dataclasses.is_dataclass(hint):
        return _dataclass(hint, value, pointer, problems)
    if origin in (typing.Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        (inner,) = (argument for argument in arguments if argument is not type(None))
        return _value(inner, value, pointer, problems)
    if origin is list:
        if not isinstance(value, list):
            return problems.add(pointer, f"{_shown(value)} is no list")
        return [_value(arguments[0], item, step(pointer, at), problems) for at, item in enumerate(value)]
    if origin is dict:
        if not isinstance(value, dict):
            return problems.add(pointer, f"{_shown(value)} is no map")
        return {key: _value(arguments[1], item, step(pointer, key), problems) for key, item in value.items()}
    if isinstance(hint, type) and issubclass(hint, Enum):
        try:
            return hint(value)
        except ValueError:
            known = ", ".join(str(member.value) for member in hint)
            return problems.add(pointer, f"{_shown(value)} is none of {known}")
    if hint is float and type(value) is int:
        return float(value)
    # `bool` is an `int` in Python; in a configuration it is a mistake.
    if hint in NAMES and type(value) is hint:
        return value
    return problems.add(pointer, f"{_shown(value)} is not {NAMES.get(hint, hint)}")


def _shown(value: Any) -> str:
    words = {True: "true", False: "false", None: "nothing"}
    return words[value] if value is None or isinstance(value, bool) else repr(value)
