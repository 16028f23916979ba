"""From generated records to those of this package, and back. Fields have the same names on both sides."""

from typing import Any, Mapping

from wit_world.imports import policy_types as wit

from ..answers import (
    Abstain,
    Accept,
    Allow,
    Content,
    Deny,
    Drop,
    ErrorCode,
    LargeContent,
    Profile,
    Rename,
    Rendered,
    Rendering,
    Serve,
    SessionValues,
    Whole,
)
from ..errors import known
from ..requests import Arrival, Client, Label, Lease, Mac, MacAddresses, MacSource, Mode, Operation, Request, Target

# Members have the same names on both sides.
OPERATIONS = {member: Operation[member.name] for member in wit.Operation}
_MODES = {member: Mode[member.name] for member in wit.Mode}
_CODES = {ErrorCode[member.name]: member for member in wit.ErrorCode}


def request(given: Any) -> Request:
    client = given.client
    macs = client.macs and MacAddresses(_macs(client.macs.network), _macs(client.macs.claimed))
    lease = client.lease and Lease(**vars(client.lease))
    return Request(
        given.id,
        given.listener,
        OPERATIONS[given.operation],
        _MODES[given.mode],
        given.requested,
        given.path,
        Client(client.address, client.port, macs, lease, client.class_),
        given.arrival and Arrival(**vars(given.arrival)),
        given.options,
        given.unix_ms,
        [Label(label.plugin, label.text) for label in given.labels],
        given.attributes,
    )


def _macs(given: Any) -> list[Mac]:
    return [Mac(mac.address, known(MacSource, mac.source)) for mac in given]


def target(given: Any) -> Target:
    return Target(given.root, given.path)


def _denial(denied: Deny) -> Any:
    return wit.Denial(_CODES[ErrorCode(denied.code)], denied.message, denied.reason)


def _values(its: SessionValues) -> Any:
    return wit.SessionValues(its.blksize, its.windowsize, its.timeout)


def _pairs(its: Mapping[str, str]) -> list[tuple[str, str]]:
    return list(its.items())


def _profile(its: Profile) -> Any:
    return wit.Profile(
        _values(its.ceilings),
        _values(its.floors),
        _values(its.overrides),
        its.max_size,
        its.burst,
        its.rate,
        list(its.refuse_options),
        _pairs(its.attributes),
    )


def _content(its: Content, hook: Any) -> Any:
    data = its.data.encode() if isinstance(its.data, str) else bytes(its.data)
    return hook.contents.Content(its.name, data, _pairs(its.attributes))


def _candidate(its: Any, hook: Any) -> Any:
    match its:
        case Target():
            return hook.Candidate_File(wit.Target(its.root, its.path))
        case Content():
            return hook.Candidate_Content(_content(its, hook))
        case Rendered():
            return hook.Candidate_Rendering(its.key)
    raise TypeError(f"{its!r:.100} is no candidate: Target, Content and Rendered are")


def verdict(answer: Any, hook: Any) -> Any:
    match answer:
        case Abstain():
            return hook.Verdict_Abstain()
        case Allow():
            return hook.Verdict_Allow(_profile(answer.profile))
        case Deny():
            return hook.Verdict_Deny(_denial(answer))
        case Drop():
            return hook.Verdict_Drop(answer.reason)
    raise _none("authorize", answer, "Abstain, Allow, Deny or Drop")


def resolution(answer: Any, hook: Any) -> Any:
    match answer:
        case Abstain():
            return hook.Resolution_Abstain()
        case Serve():
            candidates = [_candidate(candidate, hook) for candidate in answer.candidates]
            profile = answer.profile and _profile(answer.profile)
            return hook.Resolution_Serve(hook.Selection(candidates, answer.else_next, profile))
        case Target() | Content() | Rendered():
            return hook.Resolution_Serve(hook.Selection([_candidate(answer, hook)], False, None))
        case Deny():
            return hook.Resolution_Deny(_denial(answer))
        case Drop():
            return hook.Resolution_Drop(answer.reason)
    raise _none("resolve", answer, "Abstain, Serve, Target, Content, Rendered, Deny or Drop")


def rendering(answer: Any, hook: Any) -> Any:
    match answer:
        case Rendering():
            return hook.Rendered_Rendering(hook.Rendering(_content(answer.content, hook), answer.ttl))
        case Content():
            return hook.Rendered_Rendering(hook.Rendering(_content(answer, hook), None))
        case Deny():
            return hook.Rendered_Deny(_denial(answer))
    raise _none("render", answer, "Rendering, Content or Deny")


def beginning(answer: Any, hook: Any) -> Any:
    match answer:
        case LargeContent():
            large = hook.LargeContent(answer.name, answer.size, answer.ttl, _pairs(answer.attributes))
            return hook.Beginning_Parts(large)
        case Whole():
            return hook.Beginning_Whole()
        case Deny():
            return hook.Beginning_Deny(_denial(answer))
    raise _none("begin", answer, "LargeContent, Whole or Deny")


def part(answer: Any, hook: Any) -> Any:
    match answer:
        case bytes() | bytearray() | memoryview():
            return hook.MadePart_Bytes(bytes(answer))
        case Deny():
            return hook.MadePart_Deny(_denial(answer))
    raise _none("part", answer, "bytes or Deny")


def acceptance(answer: Any, hook: Any) -> Any:
    match answer:
        case Abstain():
            return hook.Acceptance_Abstain()
        case Accept():
            return hook.Acceptance_Accept()
        case Rename():
            return hook.Acceptance_Rename(hook.Destination(answer.path, answer.next_free))
        case Deny():
            return hook.Acceptance_Deny(_denial(answer))
    raise _none("accept_upload", answer, "Abstain, Accept, Rename or Deny")


def _none(hook: str, answer: Any, wanted: str) -> TypeError:
    return TypeError(f"{hook} answered {answer!r:.100}: it must answer {wanted}")
