"""What `observe` is given. A module of its own, since only a component with that hook has the bindings."""

from typing import Any

from wit_world.exports import observe as wit
from wit_world.imports import policy_types

from ..errors import known
from ..events import Decision, Event, Finished, MadeContent, Other, Progressed, Started
from ..requests import Outcome, Target
from . import convert


def event(given: Any) -> Event:
    value = given.kind.value
    kind: Any
    match given.kind:
        case wit.EventKind_Started():
            kind = Started(**_decided(value))
        case wit.EventKind_Progressed():
            kind = Progressed(**vars(value))
        case wit.EventKind_Finished():
            kind = Finished(**_decided(value.decided), **_ended(**vars(value)))
        case _:
            kind = Other(**vars(value))
    return Event(given.sequence, given.unix_ms, kind)


def _decided(given: Any) -> dict[str, Any]:
    return {**vars(given), "request": convert.request(given.request), "resolved": _resolved(given.resolved)}


def _resolved(given: Any) -> Target | MadeContent | None:
    match given:
        case None:
            return None
        case policy_types.Resolved_File():
            return convert.target(given.value)
    return MadeContent(given.value)


def _ended(decided: Any, outcome: str, decision: str, tried: Any, **more: Any) -> dict[str, Any]:
    return {
        "outcome": known(Outcome, outcome),
        "decision": known(Decision, decision),
        "tried": list(map(convert.target, tried)),
        **more,
    }
