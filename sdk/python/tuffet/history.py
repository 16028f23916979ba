"""What the client of a request asked for before: the grant ``client-history``. Not available where there is no client:
in ``configure``, ``render``, ``begin``, ``part`` and ``observe``."""

from ._host import host
from .records import PastRequest

__all__ = ["PastRequest", "recent"]


def recent() -> list[PastRequest]:
    """The last requests from the client's address, newest first, at most 16. The present one is not among them."""
    return host().history()
