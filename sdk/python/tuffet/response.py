from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Response:
    """An answer, whatever its status."""

    status: int
    body: bytes = b""
    headers: list[tuple[str, str]] = field(default_factory=list)
    """Names in lower case, and values."""
