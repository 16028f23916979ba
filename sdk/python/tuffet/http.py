"""HTTP requests to the hosts that are granted: ``http/HOST:PORT``. Not available in ``configure``.

A request takes the time of the call that sends it, so the server should be near, and ``limits.wall`` of the
plugin long enough.

The codes of a :class:`~tuffet.HostError` are ``bad-argument`` for what is no request, ``not-granted`` where the host is
not granted or 16 requests were sent in the call (the server's log says which), ``too-large`` and ``unavailable``."""

from typing import Mapping
from urllib.parse import urlsplit

from ._host import host
from .errors import Code, HostError
from .records import Response

__all__ = ["Response", "get", "send"]


def get(url: str, limit: int = 1 << 20) -> Response:
    """Fetches what lies at a URL, of at most ``limit`` bytes."""
    return send("GET", url, limit=limit)


def send(
    method: str,
    url: str,
    headers: Mapping[str, str] | None = None,
    body: bytes | str = b"",
    limit: int = 1 << 20,
) -> Response:
    """Sends a request. ``host`` is set from the URL."""
    try:
        parts = urlsplit(url)
    except ValueError as error:
        raise HostError(Code.BAD_ARGUMENT, f"{url!r}: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise HostError(Code.BAD_ARGUMENT, f"{url!r} is not http://HOST/PATH or https://HOST/PATH")
    if isinstance(body, str):
        body = body.encode()
    response = host().http(method, url, parts, list((headers or {}).items()), body, limit)
    if len(response.body) > limit:
        raise HostError(Code.TOO_LARGE, f"{url}: the answer has more than {limit} bytes")
    return response
