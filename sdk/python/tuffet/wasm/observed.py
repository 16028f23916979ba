"""What `observe` is told. A module of its own, since only a component with that hook has the bindings."""

from typing import Any

from wit_world.exports import observe as wit

from ..events import Decision, Event, Finished, Progressed, Started
from . import convert

_DECISIONS = {member: Decision[member.name] for member in wit.Decision}


def event(given: Any) -> Event:
    value = given.what.value
    match given.what:
        case wit.Happening_Started():
            request = convert.request(value.request)
            what: Any = Started(request, value.resolved, value.verdict_by, value.size, value.decision_us)
        case wit.Happening_Progressed():
            what = Progressed(value.id, value.bytes, value.size)
        case _:
            what = Finished(
                convert.request(value.request),
                convert.OUTCOMES[value.outcome],
                value.detail,
                _DECISIONS[value.decision],
                value.verdict_by,
                value.plugin_calls,
                value.resolved,
                value.size,
                value.blksize,
                value.windowsize,
                value.timeout_option,
                value.tsize,
                value.bytes,
                value.blocks,
                value.retransmissions,
                value.duplicates,
                value.timeouts,
                value.rtt_us,
                value.decision_us,
                value.first_block_us,
                value.duration_us,
                value.attributes,
            )
    return Event(given.unix_ms, what)
