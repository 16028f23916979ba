"""What a hook answers."""

from dataclasses import dataclass
from typing import Iterable

from .requests import ErrorCode


@dataclass(frozen=True, slots=True)
class Abstain:
    """No opinion: the next plugin decides, at the end the configuration."""


@dataclass(frozen=True, slots=True)
class Allow:
    """Yes, with ceilings where they are given: bytes in a block, blocks in a window, bytes of the file."""

    blksize: int | None = None
    windowsize: int | None = None
    bytes: int | None = None

    def __post_init__(self) -> None:
        for name, bits in (("blksize", 16), ("windowsize", 16), ("bytes", 64)):
            value = getattr(self, name)
            if value is not None and not 0 <= value < 1 << bits:
                raise ValueError(f"Allow({name}={value}): a number of {bits} bits is wanted")


@dataclass(frozen=True, slots=True)
class Deny:
    """No. The message is sent to the client, the reason is logged."""

    message: str
    reason: str = ""
    code: ErrorCode = ErrorCode.ACCESS_VIOLATION


@dataclass(frozen=True, slots=True)
class Drop:
    """No, and without any answer."""


@dataclass(frozen=True, slots=True)
class Target:
    """A path in a root, by the root's name in the configuration."""

    root: str
    path: str


@dataclass(frozen=True, slots=True, init=False)
class Files:
    """The first of these that exists is served: ``Files(Target("boot", "a.bin"), …)``."""

    targets: tuple[Target, ...]

    def __init__(self, *targets: Target) -> None:
        object.__setattr__(self, "targets", targets)

    @classmethod
    def of(cls, root: str, paths: Iterable[str]) -> "Files":
        """Several paths of one root."""
        return cls(*(Target(root, path) for path in paths))


@dataclass(frozen=True, slots=True)
class Content:
    """The content itself; text goes out as UTF-8."""

    data: bytes | str


@dataclass(frozen=True, slots=True)
class Accept:
    """The upload becomes visible."""


@dataclass(frozen=True, slots=True)
class Rename:
    """The upload becomes visible under this path of the same root."""

    path: str


Verdict = Abstain | Allow | Deny | Drop
Resolution = Abstain | Files | Content | Deny
Acceptance = Abstain | Accept | Rename | Deny
