"""What a hook answers."""

import unicodedata
from dataclasses import dataclass, field
from typing import Any, Iterable

from .requests import ErrorCode


def _check_bits(its: Any, **bits: int) -> None:
    for name, of in bits.items():
        value = getattr(its, name)
        if value is not None and not 0 <= value < 1 << of:
            raise ValueError(f"{type(its).__name__}({name}={value}): a number of {of} bits is wanted")


@dataclass(frozen=True, slots=True)
class Abstain:
    """No opinion: the next plugin decides, at the end the configuration."""


@dataclass(frozen=True, slots=True)
class SessionValues:
    """The numbers of a session that a client may negotiate."""

    blksize: int | None = None
    """Bytes in a block, 8 to 65464 (RFC 2348)."""
    windowsize: int | None = None
    """Blocks in a window, 1 to 65535 (RFC 7440)."""
    timeout: int | None = None
    """Seconds before a packet is sent again, 1 to 255 (RFC 2349)."""

    def __post_init__(self) -> None:
        _check_bits(self, blksize=16, windowsize=16, timeout=8)


@dataclass(frozen=True, slots=True)
class Allow:
    """Yes, with this session profile: how the transfer is negotiated and sent. What is ``None`` is as configured. The
    first three are ceilings. ``sdk/wit/v0.2/policy.wit`` says how the profiles of several plugins combine."""

    blksize: int | None = None
    """The largest block that is granted, in bytes, 8 to 65464."""
    windowsize: int | None = None
    """The largest window that is granted, in blocks, 1 to 65535."""
    bytes: int | None = None
    """The largest file that may be read or written, in bytes."""
    timeout: int | None = field(default=None, kw_only=True)
    """The longest time that is acknowledged, in seconds, 1 to 255."""
    floors: SessionValues = field(default=SessionValues(), kw_only=True)
    """The least that a session is served with: a client that negotiates less gets the error ``option-refused``."""
    overrides: SessionValues = field(default=SessionValues(), kw_only=True)
    """Take the place of the configured ceilings on blocks and windows, and of the configured time-outs."""
    burst: int | None = field(default=None, kw_only=True)
    """Blocks of a window that are sent at once, at least 1; the others follow, paced."""
    rate: int | None = field(default=None, kw_only=True)
    """The most bytes of file data in a second, at least 1024."""
    refuse_options: tuple[str, ...] = field(default=(), kw_only=True)
    """Options that are not acknowledged, such as ``multicast``."""

    def __post_init__(self) -> None:
        _check_bits(self, blksize=16, windowsize=16, bytes=64, timeout=8, burst=16, rate=64)
        if isinstance(self.refuse_options, str):
            raise ValueError(f"Allow(refuse_options={self.refuse_options!r}): a list of names is wanted")
        object.__setattr__(self, "refuse_options", tuple(self.refuse_options))


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


@dataclass(frozen=True, slots=True, init=False)
class FilesElseNext:
    """As :class:`Files`. But if none of them exists, the next plugin of the chain decides, and at the end the path is
    looked up in the roots. For a write request there is no else."""

    targets: tuple[Target, ...]

    def __init__(self, *targets: Target) -> None:
        object.__setattr__(self, "targets", targets)

    @classmethod
    def of(cls, root: str, paths: Iterable[str]) -> "FilesElseNext":
        """Several paths of one root."""
        return cls(*(Target(root, path) for path in paths))


@dataclass(frozen=True, slots=True)
class Content:
    """The content itself; text goes out as UTF-8."""

    data: bytes | str
    name: str | None = None
    """What it is, for logs and observers, who see it as ``content/NAME``: at most 200 bytes of one line. See
    :meth:`named`."""

    @classmethod
    def named(cls, name: str, data: bytes | str) -> "Content":
        """Content with a name that may come from a client: what is longer than 200 bytes is cut, and control characters
        become spaces."""
        cut = name.encode()[:200].decode("utf-8", "ignore")
        return cls(data, "".join(" " if unicodedata.category(letter) == "Cc" else letter for letter in cut))


@dataclass(frozen=True, slots=True)
class Rendered:
    """The content that ``render`` makes for this key, of 1 to 1024 bytes: once for all requests with this key. The server
    keeps it in memory while there is room."""

    key: str


@dataclass(frozen=True, slots=True)
class Rendering:
    """Content for all requests with the same key: the answer of ``render``."""

    content: Content
    ttl: int | None = None
    """After this many seconds the next request has it rendered anew; ``None`` when the configuration is loaded again."""

    def __post_init__(self) -> None:
        _check_bits(self, ttl=32)


@dataclass(frozen=True, slots=True)
class LargeContent:
    """Content that the server asks for in parts: an answer of ``begin``."""

    size: int
    """The bytes of all parts."""
    name: str | None = field(default=None, kw_only=True)
    """As the name of a :class:`Content`."""
    ttl: int | None = field(default=None, kw_only=True)
    """As that of a :class:`Rendering`."""

    def __post_init__(self) -> None:
        _check_bits(self, size=64, ttl=32)


@dataclass(frozen=True, slots=True)
class Whole:
    """Leaves the content to ``render``, which makes all of it at once: an answer of ``begin``."""


@dataclass(frozen=True, slots=True)
class Accept:
    """The upload becomes visible."""


@dataclass(frozen=True, slots=True)
class Rename:
    """The upload becomes visible under this path of the same root."""

    path: str


Verdict = Abstain | Allow | Deny | Drop
Resolution = Abstain | Files | FilesElseNext | Content | Rendered | Deny
Beginning = LargeContent | Whole | Deny
Part = bytes | Deny
Acceptance = Abstain | Accept | Rename | Deny
