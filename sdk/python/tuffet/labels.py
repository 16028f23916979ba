"""Labels of requests."""

__all__ = ["label", "take_label"]

_given: str | None = None


def label(text: str) -> None:
    """Gives the request a label, such as ``canary``: with the answer of this call of ``authorize`` or ``resolve``, whatever
    it is. Plugins that are called later see it (:meth:`tuffet.Request.label_of`), and so do people. 1 to 32 letters of ASCII,
    digits, ``.``, ``_`` and ``-``; another text is an invalid answer. Use few different ones: metrics count the requests of
    each. The last call counts."""
    global _given
    _given = text


def take_label() -> str | None:
    """The label that was given since this was asked last."""
    global _given
    taken, _given = _given, None
    return taken
