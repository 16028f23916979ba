"""What the native tests of a plugin need: stand-ins for the server's side, in memory, and requests.

There are no grants and no quotas here, and time stands still. A test case that derives from :class:`Case`
begins with nothing in them::

    class Tests(testing.Case):
        def test_the_latest_is_the_current_version(self):
            plugin = testing.configured(Firmware, {"root": "boot", "version": "1.4.2"})
            self.assertEqual(plugin.resolve(testing.request("latest.bin")), Target("boot", "1.4.2.bin"))
"""

import hashlib
import json
import unittest
from pathlib import Path
from typing import Any, Iterable, Mapping, TypeVar
from urllib.parse import SplitResult

from . import settings_schema
from ._host import Pairs
from .errors import Code, HostError
from .plugin import Plugin
from .labels import take_label as take_label
from .records import Entry, Listed, Metadata, PastRequest, Response
from .requests import Arrival, Client, Label, Lease, Mac, MacAddresses, MacSource, Mode, Operation, Request, Upload

P = TypeVar("P", bound=Plugin)


class _Host:
    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self.keys: dict[tuple[str | None, str], Entry] = {}
        self.files: dict[tuple[str, str], tuple[bytes, str]] = {}
        self.changes = 0
        self.emitted: list[tuple[str, str]] = []
        self.logged: list[tuple[str, str, dict[str, str]]] = []
        self.responses: dict[str, Response] = {}
        self.upload: bytes | None = None
        self.metrics: dict[tuple[str, tuple[tuple[str, str], ...]], float] = {}
        self.past: list[PastRequest] = []
        self.full: set[str] = set()

    def log(self, level: str, message: str, fields: Pairs) -> None:
        self.logged.append((level, message, dict(fields)))

    def kv_get(self, namespace: str | None, key: str) -> Entry | None:
        return self.keys.get((namespace, key))

    def kv_set(self, namespace: str | None, key: str, value: bytes, ttl: int | None) -> None:
        self.changes += 1
        self.keys[namespace, key] = Entry(value, self.changes)

    def kv_delete(self, namespace: str | None, key: str) -> None:
        self.keys.pop((namespace, key), None)

    def kv_increment(self, namespace: str | None, key: str, by: int, ttl: int | None) -> int:
        entry = self.keys.get((namespace, key))
        counter = entry.value if entry else bytes(8)
        if len(counter) != 8:
            raise HostError(Code.BAD_ARGUMENT, f"the value of {key!r} is no counter")
        total = int.from_bytes(counter, "little", signed=True) + by
        total = max(-(1 << 63), min((1 << 63) - 1, total))
        self.kv_set(namespace, key, total.to_bytes(8, "little", signed=True), ttl)
        return total

    def kv_swap(
        self, namespace: str | None, key: str, revision: int | None, value: bytes, ttl: int | None
    ) -> int | None:
        entry = self.keys.get((namespace, key))
        if (entry and entry.revision) != revision:
            return None
        self.kv_set(namespace, key, value, ttl)
        return self.changes

    def kv_list(self, namespace: str | None, prefix: str, after: str | None, limit: int) -> list[Listed]:
        known = sorted((key for its, key in self.keys if its == namespace), key=str.encode)
        fits = [key for key in known if key.startswith(prefix) and (after is None or key.encode() > after.encode())]
        entries = [(key, self.keys[namespace, key]) for key in fits[: min(limit, 1000)]]
        return [Listed(key, entry.value, entry.revision) for key, entry in entries]

    def kv_delete_prefix(self, namespace: str | None, prefix: str) -> int:
        listed = self.kv_list(namespace, prefix, None, 1000)
        for its in listed:
            del self.keys[namespace, its.key]
        return len(listed)

    def stat(self, root: str, path: str) -> Metadata | None:
        data, version = self.files.get((root, path), (b"", ""))
        return Metadata(len(data), 0, version) if version else None

    def read(self, root: str, path: str, limit: int) -> bytes | None:
        data, version = self.files.get((root, path), (b"", ""))
        if len(data) > limit:
            raise HostError(Code.TOO_LARGE, f"{root}:{path} has {len(data)} bytes, more than {limit}")
        return data if version else None

    def read_at(self, root: str, path: str, version: str, offset: int, length: int) -> bytes:
        data, its = self.files.get((root, path), (b"", ""))
        if its != version:
            raise HostError(Code.CHANGED, f"{root}:{path} is not the version {version!r}")
        return data[offset : offset + length]

    def upload_read(self, offset: int, length: int) -> bytes:
        if self.upload is None:
            raise HostError(Code.WRONG_PHASE, "no upload is being decided about: testing.upload() makes one")
        return self.upload[offset : offset + length]

    def metrics_add(self, name: str, by: int, labels: Pairs) -> None:
        series = (name, tuple(sorted(labels)))
        self.metrics[series] = self.metrics.get(series, 0) + by

    def metrics_set(self, name: str, value: float, labels: Pairs) -> None:
        self.metrics[name, tuple(sorted(labels))] = value

    def history(self) -> list[PastRequest]:
        return list(self.past)

    def emit(self, sink: str, payload: str) -> None:
        if sink in self.full:
            raise HostError(Code.FULL, f"the queue of the sink {sink} is full")
        self.emitted.append((sink, payload))

    def http(self, method: str, url: str, parts: SplitResult, headers: Pairs, body: bytes, limit: int) -> Response:
        if url not in self.responses:
            raise HostError(Code.NOT_GRANTED, f"{url}: put_response() lets it answer")
        return self.responses[url]


HOST = _Host()


class Case(unittest.TestCase):
    """A test case that begins without keys, files, responses, metrics, history, lines and log."""

    def setUp(self) -> None:
        HOST.reset()
        take_label()


def configured(plugin: type[P], settings: Mapping[str, Any] | None = None) -> P:
    """A plugin with these settings, as the server makes one. Raises what ``configure`` raises."""
    made = plugin()
    # Through JSON, as the server hands them over.
    made.configure(json.loads(json.dumps(settings or {})))
    return made


def request(
    path: str,
    operation: Operation = Operation.READ,
    client: str = "192.0.2.1",
    *,
    macs: Iterable[str] | None = None,
    claimed: Iterable[str] | None = None,
    lease: Lease | None = None,
    arrival: Arrival | None = None,
    options: Mapping[str, str] | None = None,
    unix_ms: int = 0,
    labels: Mapping[str, str] | None = None,
    attributes: Mapping[str, str] | None = None,
    mode: Mode = Mode.OCTET,
    listener: str = "default",
    class_: str = "unknown",
) -> Request:
    """A request. ``macs`` are the client's MAC addresses in the neighbour table, ``claimed`` those in the name that it
    asked for; without both, the plugin does not have the grant ``client-mac``. ``labels`` are those of plugins, by name."""
    known = None
    if macs is not None or claimed is not None:
        network = [Mac(mac, MacSource.NEIGHBOUR_TABLE) for mac in macs or ()]
        known = MacAddresses(network, [Mac(mac, MacSource.REQUESTED_NAME) for mac in claimed or ()])
    return Request(
        "1",
        listener,
        operation,
        mode,
        path,
        path,
        Client(client, 49152, known, lease, class_),
        arrival,
        list((options or {}).items()),
        unix_ms,
        [Label(plugin, text) for plugin, text in (labels or {}).items()],
        list((attributes or {}).items()),
    )


def upload(path: str, content: bytes | str = b"", root: str = "boot") -> Upload:
    """An upload that is complete; :meth:`~tuffet.Upload.read` reads this content from now on."""
    data = _bytes(content)
    HOST.upload = data
    return Upload(root, path, len(data), hashlib.sha256(data).hexdigest())


def put_file(root: str, path: str, content: bytes | str) -> None:
    """Puts a file, or a new version of it, where :mod:`tuffet.files` finds it."""
    HOST.changes += 1
    HOST.files[root, path] = (_bytes(content), str(HOST.changes))


def put_response(url: str, response: Response) -> None:
    """Lets a URL answer; every other one is denied."""
    HOST.responses[url] = response


def put_history(*requests: PastRequest) -> None:
    """Sets the last requests of the client, newest first."""
    HOST.past = list(requests)


def fill(sink: str) -> None:
    """Lets a sink refuse lines from now on."""
    HOST.full.add(sink)


def metric(name: str, labels: Mapping[str, str] | None = None) -> float | None:
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


def check_settings_schema(settings: type, path: str | Path = "settings.schema.json") -> None:
    """Raises an ``AssertionError`` unless the file, which the build puts into the component, has the schema of this
    dataclass. With ``TUFFET_BLESS=1`` in the environment, writes it."""
    settings_schema.check(settings, path)


def _bytes(content: bytes | str) -> bytes:
    return content.encode() if isinstance(content, str) else content
