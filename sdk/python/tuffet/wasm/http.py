"""Requests by HTTP over ``wasi:http/outgoing-handler``, one after the other."""

from typing import Any, Callable, NoReturn
from urllib.parse import SplitResult

from componentize_py_types import Err, Ok
from wit_world.imports import http_types as wit
from wit_world.imports import outgoing_handler
from wit_world.imports.streams import StreamError_Closed

from .._host import Pairs
from ..errors import Code, HostError
from ..records import Response

# Bytes that are read or written at once; WASI takes no more in one write.
CHUNK = 4096

_METHODS = {"GET": wit.Method_Get, "POST": wit.Method_Post, "PUT": wit.Method_Put, "DELETE": wit.Method_Delete}


def send(method: str, url: str, parts: SplitResult, headers: Pairs, body: bytes, limit: int) -> Response:
    try:
        fields = wit.Fields.from_list([(name, value.encode()) for name, value in headers])
    except Err as error:
        raise HostError(Code.BAD_ARGUMENT, f"a header: {_word(error.value)}") from None
    request = wit.OutgoingRequest(fields)
    path = (parts.path or "/") + ("?" + parts.query if parts.query else "")
    scheme = wit.Scheme_Https() if parts.scheme == "https" else wit.Scheme_Http()
    made: Any = _METHODS.get(method)
    _set("method", request.set_method, made() if made else wit.Method_Other(method))
    _set("scheme", request.set_scheme, scheme)
    _set("host", request.set_authority, parts.netloc)
    _set("path", request.set_path_with_query, path)
    outgoing = request.body()
    try:
        coming = outgoing_handler.handle(request, None)
        _write(outgoing, body)
        with coming.subscribe() as ready:
            ready.block()
        return _received(coming.get(), limit)
    except Err as error:
        _explain(url, error.value)


def _write(outgoing: Any, body: bytes) -> None:
    """An answer may come before all of the body is taken, a refusal too. Where none comes, that says why."""
    try:
        if body:
            # The stream ends before its body does.
            with outgoing.write() as stream:
                for start in range(0, len(body), CHUNK):
                    stream.blocking_write_and_flush(body[start : start + CHUNK])
        wit.OutgoingBody.finish(outgoing, None)
    except Err:
        pass


def _received(answer: Any, limit: int) -> Response:
    """An answer with one byte more than the limit at most, so that more can be told from enough."""
    match answer:
        case Ok(Ok(response)):
            pass
        case Ok(Err() as error):
            raise error
        case _:
            raise HostError(Code.UNAVAILABLE, "the answer was taken already")
    status = response.status()
    with response.headers() as fields:
        headers = [(name, value.decode("utf-8", "replace")) for name, value in fields.entries()]
    content = bytearray()
    with response.consume() as body, body.stream() as stream:
        try:
            while len(content) <= limit:
                content += stream.blocking_read(CHUNK)
        except Err as error:
            if not isinstance(error.value, StreamError_Closed):
                raise HostError(Code.UNAVAILABLE, "the connection ended before the end of the answer") from None
    return Response(status, bytes(content), headers)


def _set(what: str, setter: Callable[[Any], None], value: Any) -> None:
    try:
        setter(value)
    except Err:
        raise HostError(Code.BAD_ARGUMENT, f"the {what} cannot be sent") from None


def _explain(url: str, error: Any) -> NoReturn:
    if isinstance(error, wit.ErrorCode_HttpRequestDenied):
        raise HostError(Code.NOT_GRANTED, f"{url}: the request was refused, the server's log says why") from None
    raise HostError(Code.UNAVAILABLE, f"{url}: {_word(error)}") from None


def _word(error: Any) -> str:
    return type(error).__name__.rpartition("_")[2]
