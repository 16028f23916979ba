"""What the client of a request asked for before: the grant ``client-history``.

Raises :class:`~tuffet.Denied`, also where there is no client (in ``configure``, ``render`` and ``observe``), and
:class:`~tuffet.Invalid`."""

from ._host import host
from .requests import Operation, Outcome, PastRequest

__all__ = ["PastRequest", "recent"]


def recent() -> list[PastRequest]:
    """The last requests from the client's address, newest first, at most 16. The present one is not among them."""
    return [
        PastRequest(Operation(operation), path, Outcome(outcome), ended)
        for operation, path, outcome, ended in host().history()
    ]
