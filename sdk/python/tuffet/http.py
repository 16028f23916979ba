"""HTTP requests to the hosts that are granted: ``http/HOST:PORT``.

A request takes the time of the call that sends it, so the server should be near, and ``limits.wall`` of the
plugin long enough. Not in ``configure``.

Raises :class:`~tuffet.Invalid` for what is no request, :class:`~tuffet.Denied` where the host is not granted
or 16 requests were sent in the call (the server's log says which), :class:`~tuffet.TooLarge` and
:class:`~tuffet.NoAnswer`."""

from typing import Mapping
from urllib.parse import urlsplit

from ._host import host
from .errors import Invalid, TooLarge
from .response import Response

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
        raise Invalid(f"{url!r}: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise Invalid(f"{url!r} is not http://HOST/PATH or https://HOST/PATH")
    if isinstance(body, str):
        body = body.encode()
    response = host().http(method, url, parts, list((headers or {}).items()), body, limit)
    if len(response.body) > limit:
        raise TooLarge()
    return response
