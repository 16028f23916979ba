"""The reference guest in Python. ``../README.md`` says what it does."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from commands import Commands, compact
from tuffet import (
    Abstain,
    Accept,
    Acceptance,
    Allow,
    Beginning,
    Candidate,
    Content,
    Decided,
    Deny,
    Drop,
    ErrorCode,
    Event,
    Finished,
    LargeContent,
    MadeContent,
    Other,
    Part,
    Plugin,
    Problems,
    Profile,
    Progressed,
    Rename,
    Rendered,
    Rendering,
    Request,
    Resolution,
    Serve,
    SessionValues,
    Started,
    Target,
    Upload,
    Verdict,
    Whole,
    label,
    parse,
    sinks,
)


class Hook(StrEnum):
    AUTHORIZE = "authorize"
    RESOLVE = "resolve"
    ACCEPT_UPLOAD = "accept-upload"


ANSWERS = {
    Hook.AUTHORIZE: ("abstain", "allow", "deny", "drop", "tell"),
    Hook.RESOLVE: ("abstain", "serve", "deny", "drop", "tell"),
    Hook.ACCEPT_UPLOAD: ("abstain", "accept", "rename", "deny", "tell"),
}


@dataclass
class Rule:
    hook: Hook
    path: str
    answer: Any
    do: list[list[Any]] = field(default_factory=list)
    label: str | None = None

    def fits(self, hook: Hook, path: str) -> bool:
        if self.path.endswith("*"):
            return hook is self.hook and path.startswith(self.path[:-1])
        return hook is self.hook and path == self.path


@dataclass
class Render:
    do: list[list[Any]] = field(default_factory=list)
    name: str | None = None
    content: str | None = None
    bytes: int | None = None
    parts: int | None = None
    part_bytes: int | None = None
    each_part: list[list[Any]] = field(default_factory=list)
    ends_at: int | None = None
    ttl_seconds: int | None = None
    deny: dict[str, Any] | None = None


@dataclass
class Settings:
    rules: list[Rule] = field(default_factory=list)
    renders: dict[str, Render] = field(default_factory=dict)
    configure: list[list[Any]] = field(default_factory=list)
    observe: str | None = None


def denial(given: dict[str, str]) -> Deny:
    return Deny(given["message"], given["reason"], ErrorCode(given["code"]))


def profile(given: dict[str, Any]) -> Profile:
    fields: dict[str, Any] = {name.replace("-", "_"): value for name, value in given.items()}
    for name in fields.keys() & {"ceilings", "floors", "overrides"}:
        fields[name] = SessionValues(**fields[name])
    return Profile(**fields)


def target(given: str) -> Target:
    return Target(*given.split(":", 1))


def candidate(given: Any, path: str) -> Candidate:
    match given:
        case str():
            return target(given)
        case {"rendering": key}:
            return Rendered(key.replace("{path}", path))
        case {"bytes": count}:
            return Content(counted(count), given.get("name"))
    return Content(given["content"], given.get("name"))


def selection(given: dict[str, Any], path: str) -> Serve:
    sent = given.get("profile")
    return Serve(
        *(candidate(each, path) for each in given.get("candidates", [])),
        else_next=given.get("else-next", False),
        profile=None if sent is None else profile(sent),
    )


def counted(count: int) -> bytes:
    """So many bytes: 0 to 255, again and again."""
    return bytes(range(256)) * (count // 256) + bytes(range(count % 256))


class Reference(Plugin):
    def configure(self, settings: dict[str, Any]) -> None:
        self.settings = parse(Settings, settings)
        problems = Problems()
        for number, rule in enumerate(self.settings.rules):
            if not rule.path:
                problems.add(f"/rules/{number}/path", "a path is needed")
            word = rule.answer if isinstance(rule.answer, str) else next(iter(rule.answer))
            if word not in ANSWERS[rule.hook]:
                problems.add(f"/rules/{number}/answer", f"{rule.hook} cannot answer {word}")
        problems.check()
        self.commands = Commands()
        self.configured = self.commands.run_all(self.settings.configure)

    def answer(self, hook: Hook, request: Request, upload: Upload | None = None) -> tuple[str, Any, str]:
        """The word of the answer, with what stands behind it, and what the commands came to."""
        self.commands.calls += 1
        for rule in self.settings.rules:
            if rule.fits(hook, request.path):
                told = self.commands.told(self.configured, rule.do, request, upload)
                if rule.label is not None:
                    label(rule.label)
                if isinstance(rule.answer, str):
                    return rule.answer, None, told
                ((word, more),) = rule.answer.items()
                return word, more, told
        return "abstain", None, ""

    def authorize(self, request: Request) -> Verdict:
        match self.answer(Hook.AUTHORIZE, request):
            case "allow", given, _:
                return Allow(profile(given))
            case "deny", given, _:
                return denial(given)
            case "drop", reason, _:
                return Drop(reason)
            case "tell", _, told:
                return Deny("told", told)
        return Abstain()

    def resolve(self, request: Request) -> Resolution:
        match self.answer(Hook.RESOLVE, request):
            case "serve", given, _:
                return selection(given, request.path)
            case "drop", reason, _:
                return Drop(reason)
            case "deny", given, _:
                return denial(given)
            case "tell", _, told:
                return Content(told)
        return Abstain()

    def render(self, key: str) -> Rendering | Content | Deny:
        render = self.rendered(key)
        if isinstance(render, Deny):
            return render
        told = self.commands.told([], render.do)
        if render.deny is not None:
            return denial(render.deny)
        if render.bytes is not None:
            return Rendering(Content(counted(render.bytes), render.name), render.ttl_seconds)
        return Rendering(Content(told if render.content is None else render.content, render.name), render.ttl_seconds)

    def begin(self, key: str) -> Beginning:
        render = self.rendered(key)
        if isinstance(render, Deny):
            return render
        if render.parts is None:
            return Whole()
        self.commands.run_all(render.do)
        if render.deny is not None:
            return denial(render.deny)
        return LargeContent(render.parts, name=render.name, ttl=render.ttl_seconds)

    def part(self, key: str, offset: int, length: int) -> Part:
        render = self.rendered(key)
        if isinstance(render, Deny):
            return render
        self.commands.run_all(render.each_part)
        if render.ends_at is not None and offset >= render.ends_at:
            return Deny("it ends here", "on purpose", ErrorCode.NOT_DEFINED)
        length = length if render.part_bytes is None else render.part_bytes
        first = offset % 251
        return (bytes(range(251)) * (length // 251 + 2))[first : first + length]

    def rendered(self, key: str) -> Render | Deny:
        self.commands.calls += 1
        render = self.settings.renders.get(key) or self.settings.renders.get("*")
        return render or Deny("no such content", f"no rule for the key {key!r}", ErrorCode.FILE_NOT_FOUND)

    def accept_upload(self, request: Request, upload: Upload) -> Acceptance:
        match self.answer(Hook.ACCEPT_UPLOAD, request, upload):
            case "accept", _, _:
                return Accept()
            case "rename", given, _:
                path = given["path"].replace("{sha256}", upload.sha256)
                return Rename(path, given.get("next-free", False))
            case "deny", given, _:
                return denial(given)
            case "tell", _, told:
                return Deny("told", told)
        return Abstain()

    def observe(self, events: list[Event]) -> None:
        if self.settings.observe is None:
            return
        for event in events:
            sinks.emit_line(self.settings.observe, compact(shown(event)))


def shown(event: Event) -> dict[str, Any]:
    told: dict[str, Any]
    match event.kind:
        case Started() as start:
            told = {"started": start.request.id, **decided(start)}
        case Progressed() as progress:
            told = {
                "progressed": progress.request_id,
                "size": progress.size,
                "transferred": progress.transferred,
            }
        case Finished() as end:
            told = {
                "finished": end.request.id,
                **decided(end),
                "blksize": end.blksize,
                "blocks": end.blocks,
                "decision": end.decision,
                "detail": end.detail,
                "outcome": end.outcome,
                "retransmissions": end.retransmissions,
                "transferred": end.transferred,
                "tried": [[target.root, target.path] for target in end.tried],
                "tried-by": end.tried_by,
                "windowsize": end.windowsize,
            }
        case Other() as other:
            told = {"other": other.kind, "attributes": dict(other.attributes), "request-id": other.request_id}
    return {**told, "ms": event.unix_ms, "sequence": event.sequence}


def decided(its: Decided) -> dict[str, Any]:
    return {
        "decided-by": its.decided_by,
        "path": its.request.path,
        "resolved": resolved(its.resolved),
        "size": its.size,
    }


def resolved(its: Target | MadeContent | None) -> dict[str, Any] | None:
    match its:
        case Target():
            return {"file": [its.root, its.path]}
        case MadeContent():
            return {"content": its.name}
    return None
