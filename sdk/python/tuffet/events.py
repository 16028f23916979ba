"""What ``observe`` is told. ``sdk/wit/v0.2/policy.wit`` says what each field means."""

from dataclasses import dataclass, field
from enum import StrEnum

from .requests import Outcome, Request

__all__ = ["Decision", "Event", "Finished", "Outcome", "Progressed", "Started"]


class Decision(StrEnum):
    """What was answered to a request."""

    GRANTED = "granted"
    REFUSED = "refused"
    DROPPED = "dropped"
    UNDECIDED = "undecided"


@dataclass(slots=True)
class Started:
    """A request was granted; blocks are about to move."""

    request: Request
    resolved: str | None = None
    verdict_by: str | None = None
    size: int | None = None
    decision_us: int = 0


@dataclass(slots=True)
class Progressed:
    """How far a transfer has come."""

    id: str
    bytes: int
    size: int | None = None


@dataclass(slots=True)
class Finished:
    """A request has ended."""

    request: Request
    outcome: Outcome
    detail: str | None = None
    decision: Decision = Decision.GRANTED
    verdict_by: str | None = None
    plugin_calls: int = 0
    resolved: str | None = None
    size: int | None = None
    blksize: int = 512
    windowsize: int = 1
    timeout_option: int | None = None
    tsize: int | None = None
    bytes: int = 0
    blocks: int = 0
    retransmissions: int = 0
    duplicates: int = 0
    timeouts: int = 0
    rtt_us: int | None = None
    decision_us: int | None = None
    first_block_us: int | None = None
    duration_us: int = 0
    attributes: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Event:
    unix_ms: int
    """When, in milliseconds since the beginning of 1970; needs no grant."""
    what: Started | Progressed | Finished
