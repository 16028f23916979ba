"""Why a call of the server failed."""

from enum import StrEnum
from typing import TypeVar

E = TypeVar("E", bound=StrEnum)


class Code(StrEnum):
    """The known codes. ``sdk/wit/policy.wit`` says what each means."""

    NOT_GRANTED = "not-granted"
    WRONG_PHASE = "wrong-phase"
    BAD_ARGUMENT = "bad-argument"
    BAD_PATH = "bad-path"
    NOT_A_FILE = "not-a-file"
    CHANGED = "changed"
    TOO_LARGE = "too-large"
    QUOTA = "quota"
    FULL = "full"
    EXHAUSTED = "exhausted"
    UNAVAILABLE = "unavailable"


class HostError(Exception):
    """What every call of the server raises, requests by HTTP included: a code for programs, a message for logs."""

    def __init__(self, code: Code | str, message: str) -> None:
        super().__init__(message)
        self.code = known(Code, code)
        """A :class:`Code`; a text where the server has a code that is not known here."""
        self.message = message


def known(words: type[E], text: str) -> E | str:
    """The member for a word, or the word itself where a later server has one more."""
    try:
        return words(text)
    except ValueError:
        return text


class Failure(Exception):
    """Raised by a hook that cannot answer: a service that it asks is away, or sent nonsense. ``on-error`` of the
    configuration decides then, and the server logs the message. Any other exception that a hook raises does the same, and its
    message has its type and place."""
