"""The commands of the reference guest: what a plugin may do, and what it should not."""

import json
import os
import sys
import time
from typing import Any, Callable

from tuffet import HostError, Request, Upload, files, history, http, kv, log, metrics, sinks

WORDS = {
    "Denied": "denied",
    "Full": "full",
    "Invalid": "invalid",
    "NoAnswer": "no-answer",
    "Quota": "quota",
    "TooLarge": "too-large",
    "Unavailable": "unavailable",
}


class Commands:
    def __init__(self) -> None:
        self.calls = 0
        """Of this instance."""
        self.kept: list[bytes] = []

    def told(self, before: list[Any], do: list[list[Any]], request: Request | None, upload: Upload | None) -> str:
        """What the commands came to, as JSON."""
        came_to = [*before, *self.run_all(do, request, upload)]
        return json.dumps(came_to, ensure_ascii=False, separators=(",", ":"))

    def run_all(self, do: list[list[Any]], request: Request | None, upload: Upload | None) -> list[Any]:
        return [self.run(command, request, upload) for command in do]

    def run(self, command: list[Any], request: Request | None, upload: Upload | None) -> Any:
        try:
            return self.run_one(command, request, upload)
        except HostError as error:
            return {"error": WORDS[type(error).__name__]}

    def run_one(self, command: list[Any], request: Request | None, upload: Upload | None) -> Any:
        match command:
            case ["request"]:
                return None if request is None else shown(request)
            case ["upload"]:
                return upload and {
                    "bytes": upload.bytes,
                    "path": upload.path,
                    "root": upload.root,
                    "sha256": upload.sha256,
                }
            case ["kv-get", key]:
                return text(kv.get(key))
            case ["kv-set", key, value]:
                return kv.set(key, value)
            case ["kv-set", key, value, ttl]:
                return kv.set(key, value, ttl)
            case ["kv-fill", key_length, value_length]:
                return kv.set("k" * key_length, b"v" * value_length)
            case ["kv-delete", key]:
                return kv.delete(key)
            case ["kv-add", key, by]:
                return kv.increment(key, by)
            case ["kv-add", key, by, ttl]:
                return kv.increment(key, by, ttl)
            case ["kv-sets", count]:
                return until_error(count, lambda number: kv.set(f"key{number}", "v"))
            case ["kv-swap", space, key, revision, value]:
                return keys(space).swap(key, revision, value) is not None
            case ["kv-change", space, key, value]:
                entry = keys(space).entry(key)
                swapped = keys(space).swap(key, entry and entry.revision, value)
                return [text(entry and entry.value), swapped is not None]
            case ["kv-list", space, prefix, after, limit]:
                return keys(space).list(prefix, after, limit)
            case ["shared-get", space, key]:
                return text(kv.Shared(space).get(key))
            case ["shared-set", space, key, value]:
                return kv.Shared(space).set(key, value)
            case ["shared-delete", space, key]:
                return kv.Shared(space).delete(key)
            case ["shared-add", space, key, by]:
                return kv.Shared(space).increment(key, by)
            case ["upload-read", offset, length]:
                return text((upload or Upload("", "", 0, "")).read(offset, length))
            case ["count", name, by, labels]:
                return metrics.add(name, by, labels)
            case ["gauge", name, value, labels]:
                return metrics.set(name, value, labels)
            case ["counts", count]:
                return until_error(count, lambda number: metrics.add(f"n{number}"))
            case ["history"]:
                return [
                    [past.operation, past.path, past.outcome, past.ended_ms_ago < 600_000] for past in history.recent()
                ]
            case ["stat", root, path]:
                found = files.stat(root, path)
                return None if found is None else found.bytes
            case ["read", root, path, limit]:
                return text(files.read(root, path, limit))
            case ["reads", root, path, count]:
                return until_error(count, lambda _: files.read(root, path, 1 << 30))
            case ["emit", sink, value]:
                return sinks.emit(sink, value)
            case ["emit-line", sink, line]:
                return sinks.emit_line(sink, line)
            case ["emits", sink, count]:
                return until_error(count, lambda number: sinks.emit(sink, number))
            case ["log", level, message, fields]:
                return getattr(log, level)(message, **fields)
            case ["logs", count]:
                return until_error(count, lambda number: log.error(f"line {number} " + "x" * 2000))
            case ["get", url, limit]:
                response = http.get(url, limit)
                return [response.status, text(response.body)]
            case ["post", url, body]:
                response = http.send("POST", url, {"x-probe": "yes"}, body)
                return [response.status, text(response.body)]
            case ["clock"]:
                return int(time.time())
            case ["random"]:
                return os.urandom(8).hex()
            case ["calls"]:
                return self.calls
            case [misdeed, *more]:
                return self.misbehave(misdeed, *more)
        raise ValueError(f"no such command: {command}")

    def misbehave(self, misdeed: str, *more: Any) -> None:
        match misdeed:
            case "loop":
                while True:
                    pass
            case "hog":
                while True:
                    self.kept.append(b"\1" * (1 << 20))
            case "grow":
                self.kept.append(b"\1" * (more[0] << 20))
            case "recurse":
                nested: list[Any] = []
                for _ in range(100_000):
                    nested = [nested]
                json.dumps(nested)
            case "sleep":
                time.sleep(more[0])
            case "exit":
                sys.exit(more[0])
            case "fail":
                raise ValueError(more[0])
            case "escape":
                escape()
            case _:
                raise ValueError(f"no such command: {misdeed}")


def until_error(count: int, call: Callable[[int], Any]) -> list[Any]:
    """How many went well, and why the next did not."""
    for number in range(count):
        try:
            call(number)
        except HostError as error:
            return [number, WORDS[type(error).__name__]]
    return [count, None]


def escape() -> None:
    """Looks for what a plugin must not find."""
    assert not os.environ, "environment"
    assert len(sys.argv) < 2, "arguments"
    for way in (lambda: os.listdir("/"), lambda: open("escaped", "w"), lambda: open("/etc/passwd")):
        try:
            found = way()
        except OSError:
            continue
        raise AssertionError(f"a file system: {found}")


def keys(space: str | None) -> Any:
    """The functions of a shared namespace, or of the plugin's own."""
    return kv if space is None else kv.Shared(space)


def text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8", "replace")


def shown(request: Request) -> dict[str, Any]:
    return {
        "attributes": dict(request.attributes),
        "class": request.client.class_,
        "client": request.client.address,
        "id": request.id,
        "listener": request.listener,
        "macs": [[mac.address, mac.source] for mac in request.client.macs],
        "mode": request.mode,
        "operation": request.operation,
        "options": dict(sorted(request.options)),
        "path": request.path,
        "port": request.client.port,
        "requested": request.requested,
    }
