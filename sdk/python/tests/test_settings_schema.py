import json
import os
import tempfile
import unittest
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any
from unittest import mock

from tuffet import Described, parse, testing


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Rule:
    max_bytes: Annotated[int, Described("The largest file.", minimum=1, maximum=100)]
    colour: Colour | None = None


@dataclass
class Settings:
    sink: Annotated[str, Described("The sink.", format="granted-sink-name")]
    rules: list[Rule] = field(default_factory=list)
    names: dict[str, float] = field(default_factory=dict)
    colour: Colour = Colour.RED
    comment: str | None = None
    rest: Any = None


SCHEMA = {
    "type": "object",
    "additionalProperties": False,
    "required": ["sink"],
    "properties": {
        "sink": {"type": "string", "description": "The sink.", "format": "granted-sink-name"},
        "rules": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["max-bytes"],
                "properties": {
                    "max-bytes": {"type": "integer", "description": "The largest file.", "minimum": 1, "maximum": 100},
                    "colour": {"enum": ["red", "blue", None]},
                },
            },
            "default": [],
        },
        "names": {"type": "object", "additionalProperties": {"type": "number"}, "default": {}},
        "colour": {"enum": ["red", "blue"], "default": "red"},
        "comment": {"type": ["string", "null"]},
        "rest": {},
    },
}


class Tests(unittest.TestCase):
    def test_the_file_is_compared_and_written(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "settings.schema.json")
            with self.assertRaisesRegex(AssertionError, "TUFFET_BLESS=1"):
                testing.check_settings_schema(Settings, path)
            with mock.patch.dict(os.environ, {"TUFFET_BLESS": "1"}):
                testing.check_settings_schema(Settings, path)
            self.assertEqual(json.loads(path.read_text("utf-8")), SCHEMA)
            testing.check_settings_schema(Settings, path)
            path.write_text(json.dumps({**SCHEMA, "required": []}), "utf-8")
            with self.assertRaises(AssertionError):
                testing.check_settings_schema(Settings, path)

    def test_what_is_described_is_parsed_as_before(self) -> None:
        parsed = parse(Settings, {"sink": "a", "rules": [{"max-bytes": 7}]})
        self.assertEqual((parsed.sink, parsed.rules[0].max_bytes), ("a", 7))

    def test_a_type_that_no_settings_have(self) -> None:
        @dataclass
        class Wrong:
            key: bytes

        with self.assertRaisesRegex(TypeError, "bytes"):
            testing.check_settings_schema(Wrong)


if __name__ == "__main__":
    unittest.main()
