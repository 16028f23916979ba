"""What goes wrong when a plugin calls the server."""


class HostError(Exception):
    """The base of all of them."""


class Denied(HostError):
    """Not granted, out of the root, or called in ``configure``."""


class Quota(HostError):
    """The plugin has as many keys or bytes as it may have."""


class Invalid(HostError):
    """Out of bounds: the key, the path, the payload, the URL, or the number of calls."""


class Unavailable(HostError):
    """The disk or the database failed."""


class Full(HostError):
    """The queue of the sink is full: it is slow or broken. Or the plugin has as many metrics as it may have."""


class TooLarge(HostError):
    """The file, or the answer by HTTP, is larger than the limit."""

    def __init__(self, bytes: int | None = None) -> None:
        super().__init__("more than the limit" if bytes is None else f"{bytes} bytes")
        self.bytes = bytes
        """How many bytes a file has; ``None`` for an answer by HTTP."""


class NoAnswer(HostError):
    """The host or the network failed while a request by HTTP was on its way."""
