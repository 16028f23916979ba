"""From generated records to those of this package, and back."""

from typing import Any

from wit_world.imports import policy_types as wit

from ..answers import Abstain, Accept, Allow, Content, Deny, Drop, Files, Rename
from ..requests import Client, ErrorCode, Mac, MacSource, Mode, Operation, Request

# Members have the same names on both sides.
_OPERATIONS = {member: Operation[member.name] for member in wit.Operation}
_MODES = {member: Mode[member.name] for member in wit.Mode}
_SOURCES = {member: MacSource[member.name] for member in wit.MacSource}
_CODES = {ErrorCode[member.name]: member for member in wit.ErrorCode}


def request(given: Any) -> Request:
    client = given.client
    macs = [Mac(mac.address, _SOURCES[mac.source]) for mac in client.macs]
    return Request(
        given.id,
        given.listener,
        _OPERATIONS[given.operation],
        _MODES[given.mode],
        given.requested,
        given.path,
        Client(client.address, client.port, macs, client.class_),
        given.options,
        given.attributes,
    )


def _denial(denied: Deny) -> Any:
    return wit.Denial(_CODES[ErrorCode(denied.code)], denied.message, denied.reason)


def verdict(answer: Any, hook: Any) -> Any:
    match answer:
        case Abstain():
            return hook.Verdict_Abstain()
        case Allow():
            return hook.Verdict_Allow(wit.Limits(answer.blksize, answer.windowsize, answer.bytes))
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
            return hook.Resolution_Files([hook.Target(target.root, target.path) for target in answer.targets])
        case Content():
            data = answer.data
            return hook.Resolution_Content(data.encode() if isinstance(data, str) else bytes(data))
        case Deny():
            return hook.Resolution_Deny(_denial(answer))
    raise _none("resolve", answer, "Abstain, Files, Content or Deny")


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
