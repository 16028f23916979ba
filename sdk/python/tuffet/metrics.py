"""Counters and gauges of the plugin's own, among the metrics of the server: the grant ``metrics``. Not available in
``configure``.

They appear as ``tuffet_plugin_counter_total`` and ``tuffet_plugin_gauge``, with the plugin's name, the ``name`` given
here, and the labels. A plugin has at most 64 series, each a name with values of its labels, so never use what clients
choose freely. ``sdk/wit/policy.wit`` has the rules for names."""

from typing import Mapping

from . import _checks
from ._host import host


def add(name: str, by: int = 1, labels: Mapping[str, str] | None = None) -> None:
    """Adds to a counter, which begins at 0: ``metrics.add("lookups", labels={"answer": "hit"})``."""
    _checks.bits(by=(by, 64))
    host().metrics_add(name, by, list((labels or {}).items()))


def set(name: str, value: float, labels: Mapping[str, str] | None = None) -> None:
    """Sets a gauge to a finite number."""
    host().metrics_set(name, float(value), list((labels or {}).items()))
