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

from .errors import Denied, Full, Invalid, TooLarge
from .plugin import Plugin
from .requests import Client, Mac, MacSource, Mode, Operation, PastRequest, Request, Upload
from .response import Response

P = TypeVar("P", bound=Plugin)


class _Host:
    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.keys: dict[tuple[str | None, str], tuple[bytes, int]] = {}
        self.changes = 0
        self.files: dict[tuple[str, str], bytes] = {}
        self.emitted: list[tuple[str, str]] = []
        self.logged: list[tuple[str, str, dict[str, str]]] = []
        self.responses: dict[str, Response] = {}
        self.upload: bytes | None = None
        self.metrics: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
        self.past: list[PastRequest] = []
        self.full: set[str] = set()

    def log(self, level: str, message: str, fields: list[tuple[str, str]]) -> None:
        self.logged.append((level, message, dict(fields)))

    def kv_get(self, namespace: str | None, key: str) -> tuple[bytes, int] | None:
        return self.keys.get((namespace, key))

    def kv_set(self, namespace: str | None, key: str, value: bytes, ttl: int | None) -> None:
        self.changes += 1
        self.keys[namespace, key] = (value, self.changes)

    def kv_delete(self, namespace: str | None, key: str) -> None:
        self.keys.pop((namespace, key), None)

    def kv_increment(self, namespace: str | None, key: str, by: int, ttl: int | None) -> int:
        counter, _ = self.keys.get((namespace, key), (bytes(8), 0))
        if len(counter) != 8:
            raise Invalid(f"the value of {key!r} is no counter")
        total = int.from_bytes(counter, "little", signed=True) + by
        total = max(-(1 << 63), min((1 << 63) - 1, total))
        self.kv_set(namespace, key, total.to_bytes(8, "little", signed=True), ttl)
        return total

    def kv_swap(
        self, namespace: str | None, key: str, revision: int | None, value: bytes, ttl: int | None
    ) -> int | None:
        found = self.keys.get((namespace, key))
        if (found and found[1]) != revision:
            return None
        self.kv_set(namespace, key, value, ttl)
        return self.changes

    def kv_list(self, namespace: str | None, prefix: str, after: str | None, limit: int) -> list[str]:
        known = sorted((key for its, key in self.keys if its == namespace), key=str.encode)
        fits = [key for key in known if key.startswith(prefix) and (after is None or key.encode() > after.encode())]
        return fits[: min(limit, 1000)]

    def stat(self, root: str, path: str) -> tuple[int, int] | None:
        found = self.files.get((root, path))
        return None if found is None else (len(found), 0)

    def read(self, root: str, path: str, limit: int) -> bytes | None:
        found = self.files.get((root, path))
        if found is not None and len(found) > limit:
            raise TooLarge(len(found))
        return found

    def upload_read(self, offset: int, length: int) -> bytes:
        if self.upload is None:
            raise Denied("there is an upload only in `accept_upload`: testing.upload() has its content")
        return self.upload[offset : offset + length]

    def metrics_add(self, name: str, labels: list[tuple[str, str]], by: int) -> None:
        series = (name, tuple(sorted(labels)))
        self.metrics[series] = self.metrics.get(series, 0) + by

    def metrics_set(self, name: str, labels: list[tuple[str, str]], value: float) -> None:
        self.metrics[name, tuple(sorted(labels))] = value

    def history(self) -> list[tuple[str, str, str, int]]:
        return [(past.operation, past.path, past.outcome, past.ended_ms_ago) for past in self.past]

    def emit(self, sink: str, payload: str) -> None:
        if sink in self.full:
            raise Full("the queue of the sink is full")
        self.emitted.append((sink, payload))

    def http(
        self, method: str, url: str, parts: SplitResult, headers: list[tuple[str, str]], body: bytes, limit: int
    ) -> Response:
        if url not in self.responses:
            raise Denied(f"{url}: put_response() lets it answer")
        return self.responses[url]


HOST = _Host()


class Case(unittest.TestCase):
    """A test case that begins without keys, files, responses, metrics, history, lines and log."""

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
    """An upload that is complete; :meth:`~tuffet.Upload.read` reads this content from now on."""
    import hashlib

    data = content.encode() if isinstance(content, str) else content
    HOST.upload = data
    return Upload(root, path, len(data), hashlib.sha256(data).hexdigest())


def put_file(root: str, path: str, content: bytes | str) -> None:
    """Puts a file where :mod:`tuffet.files` finds it."""
    HOST.files[root, path] = content.encode() if isinstance(content, str) else content


def put_response(url: str, response: Response) -> None:
    """Lets a URL answer; every other one is denied."""
    HOST.responses[url] = response


def put_history(*requests: PastRequest) -> None:
    """Sets the last requests of the client, newest first."""
    HOST.past = list(requests)


def fill(sink: str) -> None:
    """Lets a sink refuse lines from now on."""
    HOST.full.add(sink)


def metric(name: str, labels: dict[str, str] | None = None) -> float | None:
    """The value of a counter or gauge; ``None`` if it was never changed."""
    return HOST.metrics.get((name, tuple(sorted((labels or {}).items()))))


def take_emitted(sink: str) -> list[Any]:
    """What went to a sink since this was asked last, as values."""
    taken = [json.loads(payload) for name, payload in HOST.emitted if name == sink]
    HOST.emitted = [(name, payload) for name, payload in HOST.emitted if name != sink]
    return taken


def take_logged() -> list[tuple[str, str, dict[str, str]]]:
    """The lines that were logged since this was asked last: level, message, fields."""
    taken, HOST.logged = HOST.logged, []
    return taken
