"""Counters and gauges of the plugin's own, among the metrics of the server: the grant ``metrics``. Not available in
``configure``.

They appear as ``tuffet_plugin_counter_total`` and ``tuffet_plugin_gauge``, with the plugin's name, the ``name`` given here,
and the labels. A plugin has at most 64 series, each a name with values of its labels, so never use what clients choose
freely. ``sdk/wit/v0.2/policy.wit`` has the rules for names.

Raises :class:`~tuffet.Denied`, :class:`~tuffet.Full` and :class:`~tuffet.Invalid`."""

from typing import Mapping

from ._host import host


def add(name: str, by: int = 1, labels: Mapping[str, str] | None = None) -> None:
    """Adds to a counter, which begins at 0: ``metrics.add("lookups", labels={"answer": "hit"})``."""
    if not 0 <= by < 1 << 64:
        raise ValueError(f"by {by}: a number of 64 bits is wanted")
    host().metrics_add(name, list((labels or {}).items()), by)


def set(name: str, value: float, labels: Mapping[str, str] | None = None) -> None:
    """Sets a gauge to a finite number."""
    host().metrics_set(name, list((labels or {}).items()), float(value))
