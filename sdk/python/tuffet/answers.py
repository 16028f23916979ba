"""What a hook answers. ``sdk/wit/policy.wit`` says how the answers of several plugins combine."""

import unicodedata
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import Iterable, Mapping

from . import _checks
from .requests import Target


class ErrorCode(StrEnum):
    """The code of the ERROR packet that a denied client gets."""

    NOT_DEFINED = "not-defined"
    FILE_NOT_FOUND = "file-not-found"
    ACCESS_VIOLATION = "access-violation"
    DISK_FULL = "disk-full"
    FILE_EXISTS = "file-exists"
    OPTION_REFUSED = "option-refused"


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
        _checks.bits(blksize=(self.blksize, 16), windowsize=(self.windowsize, 16), timeout=(self.timeout, 8))


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """How a transfer is negotiated and sent. What is absent is as configured."""

    ceilings: SessionValues = SessionValues()
    """The most that is granted. A longer ``timeout`` is left out of the answer to the client."""
    floors: SessionValues = SessionValues()
    """The least that a session is served with: a client that negotiates less gets the error ``option-refused``."""
    overrides: SessionValues = SessionValues()
    """Take the place of the configured ceilings on blocks and windows, and of the configured time-outs."""
    max_size: int | None = None
    """The largest file that may be read or written, in bytes."""
    burst: int | None = None
    """Blocks of a window that are sent at once, at least 1; the others follow, paced."""
    rate: int | None = None
    """The most bytes of file data in a second, at least 1024."""
    refuse_options: Iterable[str] = ()
    """Options that are not acknowledged, such as ``multicast``."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    """For later versions of the interface."""

    @staticmethod
    def ceiling(*, blksize: int | None = None, windowsize: int | None = None, timeout: int | None = None) -> "Profile":
        """At most these values are granted: ``Allow(Profile.ceiling(blksize=1428))``."""
        return Profile(ceilings=SessionValues(blksize, windowsize, timeout))

    @staticmethod
    def floor(*, blksize: int | None = None, windowsize: int | None = None, timeout: int | None = None) -> "Profile":
        """A client that negotiates less gets an ERROR."""
        return Profile(floors=SessionValues(blksize, windowsize, timeout))

    def __post_init__(self) -> None:
        _checks.bits(max_size=(self.max_size, 64), burst=(self.burst, 16), rate=(self.rate, 64))
        if isinstance(self.refuse_options, str):
            raise ValueError(f"refuse_options {self.refuse_options!r}: a list of names is wanted")
        object.__setattr__(self, "refuse_options", tuple(self.refuse_options))


@dataclass(frozen=True, slots=True)
class Abstain:
    """No opinion: the next plugin decides, at the end the configuration."""


@dataclass(frozen=True, slots=True)
class Allow:
    """Yes, unless a later plugin of the chain denies."""

    profile: Profile = Profile()


@dataclass(frozen=True, slots=True)
class Deny:
    """No. The message is sent to the client, the reason is logged."""

    message: str
    reason: str = ""
    code: ErrorCode = ErrorCode.ACCESS_VIOLATION


@dataclass(frozen=True, slots=True)
class Drop:
    """No, and without any answer: the client asks again, or asks another server. The reason is logged."""

    reason: str


@dataclass(frozen=True, slots=True)
class Content:
    """The content itself; text goes out as UTF-8. It always exists."""

    data: bytes | str
    name: str | None = None
    """What it is, for logs and observers: at most 200 bytes of one line. See :meth:`named`."""
    attributes: Mapping[str, str] = field(default_factory=dict, kw_only=True)
    """As those of a profile."""

    @classmethod
    def named(cls, name: str, data: bytes | str) -> "Content":
        """Content with a name that may come from a client: it is cut after 200 bytes, and control characters become
        spaces."""
        cut = name.encode()[:200].decode("utf-8", "ignore")
        return cls(data, "".join(" " if unicodedata.category(letter) == "Cc" else letter for letter in cut))


@dataclass(frozen=True, slots=True)
class Rendered:
    """The content that ``render``, or ``begin`` and ``part``, make for this key of 1 to 1024 bytes: once for all
    requests with this key. The server keeps it in memory while there is room. It always exists."""

    key: str


Candidate = Target | Content | Rendered


@dataclass(frozen=True, slots=True, init=False)
class Serve:
    """The first of these that exists is served: ``Serve(Target("boot", "a.bin"), Rendered("a"))``. For a write request,
    the first file is where it goes, and content is left out. One candidate alone needs no ``Serve``."""

    candidates: tuple[Candidate, ...]
    else_next: bool = False
    """If none of them exists, the next plugin of the chain decides, and at the end the path is looked up in the roots.
    Otherwise there is no such file."""
    profile: Profile | None = None

    def __init__(self, *candidates: Candidate, else_next: bool = False, profile: Profile | None = None) -> None:
        object.__setattr__(self, "candidates", candidates)
        object.__setattr__(self, "else_next", else_next)
        object.__setattr__(self, "profile", profile)


@dataclass(frozen=True, slots=True)
class Rendering:
    """Content for all requests with the same key: an answer of ``render``."""

    content: Content
    ttl: int | None = None
    """After this many seconds the next request has it rendered anew. With ``None`` it holds until the configuration is
    loaded again."""

    def __post_init__(self) -> None:
        _checks.bits(ttl=(self.ttl, 32))


@dataclass(frozen=True, slots=True)
class LargeContent:
    """Content that the server asks for in parts: an answer of ``begin``."""

    size: int
    """The bytes of all parts."""
    _: KW_ONLY
    name: str | None = None
    """As the name of a :class:`Content`."""
    ttl: int | None = None
    """As that of a :class:`Rendering`."""
    attributes: Mapping[str, str] = field(default_factory=dict)
    """As those of a profile."""

    def __post_init__(self) -> None:
        _checks.bits(size=(self.size, 64), ttl=(self.ttl, 32))


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
    next_free: bool = False
    """If there is such a file already, the upload gets the first free one of the names ``PATH.1`` to ``PATH.999``."""


Verdict = Abstain | Allow | Deny | Drop
Resolution = Abstain | Serve | Candidate | Deny | Drop
Beginning = LargeContent | Whole | Deny
Part = bytes | Deny
Acceptance = Abstain | Accept | Rename | Deny
