"""From generated records to those of this package, and back."""

from typing import Any

from componentize_py_types import Err
from wit_world.imports import policy_types as wit

from ..answers import (
    Abstain,
    Accept,
    Allow,
    Content,
    Deny,
    Drop,
    Files,
    FilesElseNext,
    LargeContent,
    Rename,
    Rendered,
    Rendering,
    SessionValues,
    Whole,
)
from ..requests import Client, ErrorCode, Mac, MacSource, Mode, Operation, Outcome, Request

# Members have the same names on both sides.
OUTCOMES = {member: Outcome[member.name] for member in wit.Outcome}
OPERATIONS = {member: Operation[member.name] for member in wit.Operation}
_MODES = {member: Mode[member.name] for member in wit.Mode}
_SOURCES = {member: MacSource[member.name] for member in wit.MacSource}
_CODES = {ErrorCode[member.name]: member for member in wit.ErrorCode}


def request(given: Any) -> Request:
    client = given.client
    macs = [Mac(mac.address, _SOURCES[mac.source]) for mac in client.macs]
    return Request(
        given.id,
        given.listener,
        OPERATIONS[given.operation],
        _MODES[given.mode],
        given.requested,
        given.path,
        Client(client.address, client.port, macs, client.class_),
        given.options,
        given.attributes,
    )


def _denial(denied: Deny) -> Any:
    return wit.Denial(_CODES[ErrorCode(denied.code)], denied.message, denied.reason)


def _values(its: SessionValues) -> Any:
    return wit.SessionValues(its.blksize, its.windowsize, its.timeout)


def _profile(its: Allow) -> Any:
    return wit.Profile(
        its.blksize,
        its.windowsize,
        its.timeout,
        its.bytes,
        _values(its.floors),
        _values(its.overrides),
        its.burst,
        its.rate,
        list(its.refuse_options),
    )


def _targets(its: Files | FilesElseNext, hook: Any) -> list[Any]:
    return [hook.Target(target.root, target.path) for target in its.targets]


def _content(its: Content, hook: Any) -> Any:
    return hook.Content(its.name, its.data.encode() if isinstance(its.data, str) else bytes(its.data))


def verdict(answer: Any, hook: Any) -> Any:
    match answer:
        case Abstain():
            return hook.Verdict_Abstain()
        case Allow():
            return hook.Verdict_Allow(_profile(answer))
        case Deny():
            return hook.Verdict_Deny(_denial(answer))
        case Drop():
            return hook.Verdict_Drop()
    raise _none("authorize", answer, "Abstain, Allow, Deny or Drop")


def resolution(answer: Any, hook: Any) -> Any:
    match answer:
        case Abstain():
            return hook.Resolution_Abstain()
        case Files():
            return hook.Resolution_Files(_targets(answer, hook))
        case FilesElseNext():
            return hook.Resolution_FilesElseNext(_targets(answer, hook))
        case Content():
            return hook.Resolution_Content(_content(answer, hook))
        case Rendered():
            return hook.Resolution_Rendered(answer.key)
        case Deny():
            return hook.Resolution_Deny(_denial(answer))
    raise _none("resolve", answer, "Abstain, Files, FilesElseNext, Content, Rendered or Deny")


def rendering(answer: Any, hook: Any) -> Any:
    match answer:
        case Rendering():
            return hook.Rendering(_content(answer.content, hook), answer.ttl)
        case Content():
            return hook.Rendering(_content(answer, hook), None)
        case Deny():
            raise Err(_denial(answer))
    raise _none("render", answer, "Rendering, Content or Deny")


def beginning(answer: Any, hook: Any) -> Any:
    match answer:
        case LargeContent():
            return hook.LargeContent(answer.name, answer.size, answer.ttl)
        case Whole():
            return None
        case Deny():
            raise Err(_denial(answer))
    raise _none("begin", answer, "LargeContent, Whole or Deny")


def part(answer: Any) -> bytes:
    match answer:
        case bytes():
            return answer
        case bytearray() | memoryview():
            return bytes(answer)
        case Deny():
            raise Err(_denial(answer))
    raise _none("part", answer, "bytes or Deny")


def acceptance(answer: Any, hook: Any) -> Any:
    match answer:
        case Abstain():
            return hook.Acceptance_Abstain()
        case Accept():
            return hook.Acceptance_Accept()
        case Rename():
            return hook.Acceptance_Rename(answer.path)
        case Deny():
            return hook.Acceptance_Deny(_denial(answer))
    raise _none("accept_upload", answer, "Abstain, Accept, Rename or Deny")


def _none(hook: str, answer: Any, wanted: str) -> TypeError:
    return TypeError(f"{hook} answered {answer!r:.100}: it must answer {wanted}")
