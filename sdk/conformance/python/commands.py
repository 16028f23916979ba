"""The commands of the reference guest: what a plugin may do, and what it should not."""

import json
import os
import sys
import time
from dataclasses import asdict
from typing import Any, Callable

from tuffet import Failure, HostError, Mac, Request, Upload, files, history, http, kv, log, metrics, sinks


class Commands:
    def __init__(self) -> None:
        self.calls = 0
        """Of this instance."""
        self.kept: list[bytes] = []

    def told(
        self, before: list[Any], do: list[list[Any]], request: Request | None = None, upload: Upload | None = None
    ) -> str:
        """What the commands came to, as JSON."""
        return compact([*before, *self.run_all(do, request, upload)])

    def run_all(self, do: list[list[Any]], request: Request | None = None, upload: Upload | None = None) -> list[Any]:
        return [self.run(command, request, upload) for command in do]

    def run(self, command: list[Any], request: Request | None, upload: Upload | None) -> Any:
        try:
            return self.run_one(command, request, upload)
        except HostError as error:
            return {"error": error.code}

    def run_one(self, command: list[Any], request: Request | None, upload: Upload | None) -> Any:
        match command:
            case ["request"]:
                return request and shown(request)
            case ["upload"]:
                return upload and {
                    "path": upload.path,
                    "root": upload.root,
                    "sha256": upload.sha256,
                    "size": upload.size,
                }
            case ["kv-get", space, key]:
                return text(keys(space).get(key))
            case ["kv-set", space, key, value, *ttl]:
                keys(space).set(key, value, *ttl)
            case ["kv-delete", space, key]:
                keys(space).delete(key)
            case ["kv-add", space, key, by, *ttl]:
                return keys(space).increment(key, by, *ttl)
            case ["kv-swap", space, key, revision, value]:
                return keys(space).swap(key, revision, value) is not None
            case ["kv-change", space, key, value]:
                entry = keys(space).entry(key)
                swapped = keys(space).swap(key, entry and entry.revision, value)
                return [text(entry and entry.value), swapped is not None]
            case ["kv-list", space, prefix, after, limit]:
                return [listed.key for listed in keys(space).list(prefix, after, limit)]
            case ["kv-entries", space, prefix, after, limit]:
                return [[listed.key, text(listed.value)] for listed in keys(space).list(prefix, after, limit)]
            case ["kv-delete-prefix", space, prefix]:
                return keys(space).delete_prefix(prefix)
            case ["kv-fill", key_length, value_length]:
                kv.set("k" * key_length, b"v" * value_length)
            case ["kv-sets", count]:
                return until_error(count, lambda number: kv.set(f"key{number}", "v"))
            case ["stat", root, path]:
                found = files.stat(root, path)
                return found and found.size
            case ["read", root, path, limit]:
                return text(files.read(root, path, limit))
            case ["reads", root, path, count]:
                return until_error(count, lambda _: files.read(root, path, 1 << 30))
            case ["read-at", root, path, offset, length]:
                found = files.stat(root, path)
                return found and text(files.read_at(root, path, found.version, offset, length))
            case ["read-version", root, path, version, offset, length]:
                return text(files.read_at(root, path, version, offset, length))
            case ["emit", sink, value]:
                sinks.emit(sink, value)
            case ["emit-line", sink, line]:
                sinks.emit_line(sink, line)
            case ["emits", sink, count]:
                return until_error(count, lambda number: sinks.emit(sink, number))
            case ["log", level, message, fields]:
                getattr(log, level)(message, **fields)
            case ["logs", count]:
                return until_error(count, lambda number: log.error(f"line {number} " + "x" * 2000))
            case ["upload-read", offset, length]:
                return text((upload or Upload("", "", 0, "")).read(offset, length))
            case ["count", name, by, labels]:
                metrics.add(name, by, labels)
            case ["gauge", name, value, labels]:
                metrics.set(name, value, labels)
            case ["counts", count]:
                return until_error(count, lambda number: metrics.add(f"n{number}"))
            case ["history"]:
                return [
                    [past.operation, past.path, past.outcome, past.ended_ms_ago < 600_000] for past in history.recent()
                ]
            case ["has-mac", mac]:
                return request and request.client.has_mac(mac)
            case ["macs", "network"]:
                return request and addresses(request.client.network_macs())
            case ["macs", "claimed"]:
                return request and addresses(request.client.claimed_macs())
            case ["macs", "any"]:
                return request and addresses(request.client.any_macs())
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
                self.misbehave(misdeed, *more)
        return None

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
                raise Failure(more[0])
            case "print":
                print(more[0])
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
            return [number, error.code]
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


def compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def shown(request: Request) -> dict[str, Any]:
    client = request.client
    return {
        "arrival": request.arrival and named(request.arrival),
        "attributes": dict(request.attributes),
        "class": client.class_,
        "client": client.address,
        "id": request.id,
        "labels": [[label.plugin, label.text] for label in request.labels],
        "lease": client.lease and named(client.lease),
        "listener": request.listener,
        "macs": client.macs and {"claimed": addresses(client.macs.claimed), "network": addresses(client.macs.network)},
        "mode": request.mode,
        "operation": request.operation,
        "options": dict(request.options),
        "path": request.path,
        "port": client.port,
        "requested": request.requested,
        "unix-ms": request.unix_ms,
    }


def named(record: Any) -> dict[str, Any]:
    """A record with the names of the interface."""
    return {name.replace("_", "-"): value for name, value in asdict(record).items()}


def addresses(macs: list[Mac]) -> list[list[str]]:
    return [[mac.address, mac.source] for mac in macs]
