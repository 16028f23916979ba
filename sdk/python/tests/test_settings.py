import unittest
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from tuffet import Problems, parse


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Rule:
    max_bytes: int
    colour: Colour = Colour.RED


@dataclass
class Settings:
    root: str
    rules: list[Rule] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    ratio: float = 1.0
    strict: bool = False
    comment: str | None = None
    rest: Any = None


class Tests(unittest.TestCase):
    def problems(self, settings: Any) -> list[tuple[str, str]]:
        with self.assertRaises(Problems) as raised:
            parse(Settings, settings)
        return [(problem.pointer, problem.message) for problem in raised.exception.problems]

    def test_good_settings(self) -> None:
        given = {
            "root": "boot",
            "rules": [{"max-bytes": 7, "colour": "blue"}],
            "names": {"a": 1},
            "ratio": 2,
            "strict": True,
            "comment": None,
            "rest": [{}],
        }
        parsed = parse(Settings, given)
        self.assertEqual(parsed.rules, [Rule(7, Colour.BLUE)])
        self.assertEqual((parsed.names, parsed.ratio, parsed.strict), ({"a": 1}, 2.0, True))
        self.assertEqual((parsed.comment, parsed.rest), (None, [{}]))
        self.assertEqual(parse(Settings, {"root": "x"}), Settings("x"))

    def test_all_that_is_wrong_is_pointed_at(self) -> None:
        found = self.problems(
            {
                "rules": [{"max-bytes": True}, {"max-byte": 7}, 5, {"max-bytes": 1, "colour": "green"}],
                "names": {"a/b~c": "x"},
                "ratio": "much",
                "comment": 7,
            }
        )
        self.assertEqual(
            found,
            [
                ("/rules/0/max-bytes", "true is not a whole number"),
                ("/rules/1/max-byte", "unknown key `max-byte`; did you mean `max-bytes`?"),
                ("/rules/1", "the key `max-bytes` is missing"),
                ("/rules/2", "5 is no map"),
                ("/rules/3/colour", "'green' is none of red, blue"),
                ("/names/a~1b~0c", "'x' is not a whole number"),
                ("/ratio", "'much' is not a number"),
                ("/comment", "7 is not a text"),
                ("", "the key `root` is missing"),
            ],
        )

    def test_lists_and_maps_are_told_apart(self) -> None:
        self.assertEqual(self.problems([]), [("", "[] is no map")])
        found = self.problems({"root": None, "rules": {}, "names": [], "other": 1})
        self.assertEqual(
            found,
            [
                ("/root", "nothing is not a text"),
                ("/rules", "{} is no list"),
                ("/names", "[] is no map"),
                ("/other", "unknown key `other`; known here: root, rules, names, ratio, strict, comment, rest"),
            ],
        )
