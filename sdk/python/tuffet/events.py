"""What ``observe`` is given. ``sdk/wit/policy.wit`` says what each field means."""

from dataclasses import dataclass, field
from enum import StrEnum

from .requests import Outcome, Request, Target


class Decision(StrEnum):
    """What was answered to a request: the known decisions."""

    GRANTED = "granted"
    REFUSED = "refused"
    DROPPED = "dropped"
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class MadeContent:
    """That a request got content which a plugin made."""

    name: str | None = None


@dataclass(slots=True)
class Decided:
    """What was decided about a request."""

    request: Request
    resolved: Target | MadeContent | None = None
    """What it is that the client gets; ``None`` if it was refused before that was known."""
    decided_by: str | None = None
    """The plugin that decided; ``None`` where the configuration did."""
    size: int | None = None
    """Bytes on the wire, where they are known."""
    decision_us: int | None = None


@dataclass(slots=True)
class Started(Decided):
    """A request was granted; blocks are about to move."""


@dataclass(slots=True)
class Progressed:
    """How far a transfer has come."""

    request_id: str
    transferred: int
    """Bytes that arrived, as on the wire."""
    size: int | None = None


@dataclass(slots=True, kw_only=True)
class Finished(Decided):
    """A request has ended."""

    outcome: Outcome | str
    decision: Decision | str = Decision.GRANTED
    detail: str | None = None
    plugin_calls: int = 0
    tried: list[Target] = field(default_factory=list)
    """Where the file of a refused request was looked for, in order."""
    tried_by: str | None = None
    blksize: int = 512
    windowsize: int = 1
    timeout_option: int | None = None
    tsize: int | None = None
    transferred: int = 0
    """Bytes that arrived, as on the wire."""
    blocks: int = 0
    retransmissions: int = 0
    duplicates: int = 0
    timeouts: int = 0
    rtt_us: int | None = None
    first_block_us: int | None = None
    duration_us: int = 0
    attributes: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Other:
    """An event of a kind that is not known here."""

    kind: str
    request_id: str | None = None
    attributes: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Event:
    sequence: int
    """Counts the events of one process of the server. An event that is given again has the number of before."""
    unix_ms: int
    """When, in milliseconds since the beginning of 1970; needs no grant."""
    kind: Started | Progressed | Finished | Other
