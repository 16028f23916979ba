"""What is wrong with a plugin's settings."""

from typing import Iterable


class Problem(Exception):
    """Something wrong at one place: a JSON pointer into the settings, such as ``/rules/0/path``; the server
    shows the line of the YAML file. An empty pointer means the settings as a whole."""

    def __init__(self, pointer: str, message: str) -> None:
        super().__init__(f"{pointer}: {message}")
        self.pointer = pointer
        self.message = message

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and (self.pointer, self.message) == (other.pointer, other.message)

    __hash__ = Exception.__hash__


class Problems(Exception):
    """All that is wrong, so that an operator mends it in one go."""

    def __init__(self, problems: Iterable[Problem] = ()) -> None:
        self.problems = list(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        return "; ".join(map(str, self.problems))

    def add(self, pointer: str, message: str) -> None:
        self.problems.append(Problem(pointer, message))

    def check(self) -> None:
        """Raises itself if anything was added."""
        if self.problems:
            raise self


def step(pointer: str, part: str | int) -> str:
    """The pointer one step further down (RFC 6901)."""
    return f"{pointer}/{str(part).replace('~', '~0').replace('/', '~1')}"
