"""What the native tests of a plugin need: stand-ins for the server's side, in memory, and requests.

There are no grants and no quotas here, and time stands still. A test case that derives from :class:`Case`
begins with nothing in them::

    class Tests(testing.Case):
        def test_the_latest_is_the_current_version(self):
            plugin = testing.configured(Firmware, {"root": "boot", "version": "1.4.2"})
            self.assertEqual(plugin.resolve(testing.request("latest.bin")), Files(Target("boot", "1.4.2.bin")))
"""

import json
import unittest
from typing import Any, TypeVar
from urllib.parse import SplitResult

from .errors import Denied, Invalid, TooLarge
from .plugin import Plugin
from .requests import Client, Mac, MacSource, Mode, Operation, Request, Upload
from .response import Response

P = TypeVar("P", bound=Plugin)


class _Host:
    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.keys: dict[str, bytes] = {}
        self.files: dict[tuple[str, str], bytes] = {}
        self.emitted: list[tuple[str, str]] = []
        self.logged: list[tuple[str, str, dict[str, str]]] = []
        self.responses: dict[str, Response] = {}

    def log(self, level: str, message: str, fields: list[tuple[str, str]]) -> None:
        self.logged.append((level, message, dict(fields)))

    def kv_get(self, key: str) -> bytes | None:
        return self.keys.get(key)

    def kv_set(self, key: str, value: bytes, ttl: int | None) -> None:
        self.keys[key] = value

    def kv_delete(self, key: str) -> None:
        self.keys.pop(key, None)

    def kv_increment(self, key: str, by: int, ttl: int | None) -> int:
        counter = self.keys.get(key, bytes(8))
        if len(counter) != 8:
            raise Invalid(f"the value of {key!r} is no counter")
        total = int.from_bytes(counter, "little", signed=True) + by
        total = max(-(1 << 63), min((1 << 63) - 1, total))
        self.keys[key] = total.to_bytes(8, "little", signed=True)
        return total

    def stat(self, root: str, path: str) -> tuple[int, int] | None:
        found = self.files.get((root, path))
        return None if found is None else (len(found), 0)

    def read(self, root: str, path: str, limit: int) -> bytes | None:
        found = self.files.get((root, path))
        if found is not None and len(found) > limit:
            raise TooLarge(len(found))
        return found

    def emit(self, sink: str, payload: str) -> None:
        self.emitted.append((sink, payload))

    def http(
        self, method: str, url: str, parts: SplitResult, headers: list[tuple[str, str]], body: bytes, limit: int
    ) -> Response:
        if url not in self.responses:
            raise Denied(f"{url}: put_response() lets it answer")
        return self.responses[url]


HOST = _Host()


class Case(unittest.TestCase):
    """A test case that begins without keys, files, responses, lines and log."""

    def setUp(self) -> None:
        HOST.reset()


def configured(plugin: type[P], settings: dict[str, Any] | None = None) -> P:
    """A plugin with these settings, as the server makes one. Raises what ``configure`` raises."""
    made = plugin()
    # Through JSON, as the server hands them over.
    made.configure(json.loads(json.dumps(settings or {})))
    return made


def request(
    path: str,
    operation: Operation = Operation.READ,
    client: str = "192.0.2.1",
    macs: list[str] | None = None,
    options: dict[str, str] | None = None,
    mode: Mode = Mode.OCTET,
    listener: str = "default",
    class_: str = "unknown",
) -> Request:
    """A request. MAC addresses count as the kernel's neighbour table has them."""
    known = [Mac(mac, MacSource.NEIGHBOUR_TABLE) for mac in macs or []]
    whose = Client(client, 49152, known, class_)
    return Request("1", listener, operation, mode, path, path, whose, list((options or {}).items()))


def upload(path: str, content: bytes | str = b"", root: str = "boot") -> Upload:
    """An upload that is complete."""
    import hashlib

    data = content.encode() if isinstance(content, str) else content
    return Upload(root, path, len(data), hashlib.sha256(data).hexdigest())


def put_file(root: str, path: str, content: bytes | str) -> None:
    """Puts a file where :mod:`tuffet.files` finds it."""
    HOST.files[root, path] = content.encode() if isinstance(content, str) else content


def put_response(url: str, response: Response) -> None:
    """Lets a URL answer; every other one is denied."""
    HOST.responses[url] = response


def take_emitted(sink: str) -> list[Any]:
    """What went to a sink since this was asked last, as values."""
    taken = [json.loads(payload) for name, payload in HOST.emitted if name == sink]
    HOST.emitted = [(name, payload) for name, payload in HOST.emitted if name != sink]
    return taken


def take_logged() -> list[tuple[str, str, dict[str, str]]]:
    """The lines that were logged since this was asked last: level, message, fields."""
    taken, HOST.logged = HOST.logged, []
    return taken
