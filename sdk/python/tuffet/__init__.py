"""Write policy plugins for Tuffet in Python.

A plugin is one class. ``configure`` takes its settings; each of the methods ``authorize``, ``resolve``,
``accept_upload`` and ``observe`` that it has is a hook that the server asks; with ``resolve``, it may have ``render``,
``begin`` and ``part``, which make content::

    from tuffet import Abstain, Deny, Operation, Plugin, Problem, Request, Verdict

    class Uploads(Plugin):
        def configure(self, settings: dict) -> None:
            self.folder = settings.get("folder", "incoming")
            if self.folder.startswith("/"):
                raise Problem("/folder", 'paths are relative to a root: leave the first "/" out')

        def authorize(self, request: Request) -> Verdict:
            if request.operation is Operation.WRITE and not request.path.startswith(self.folder + "/"):
                return Deny("no uploads here", reason="outside of the upload folder")
            return Abstain()

``python3 -m tuffet.build PROJECT -o plugin.wasm`` makes the component. ``tuffet.testing`` has what its tests
need, which run natively.

``log`` is always there; ``kv``, ``files``, ``sinks``, ``http``, ``metrics``, ``history`` and :meth:`Upload.read` need a
grant, which the plugin requests in its ``pyproject.toml``.
"""

from . import files, history, http, kv, log, metrics, sinks
from .answers import (
    Abstain,
    Accept,
    Acceptance,
    Allow,
    Beginning,
    Content,
    Deny,
    Drop,
    Files,
    FilesElseNext,
    LargeContent,
    Part,
    Rename,
    Rendered,
    Rendering,
    Resolution,
    SessionValues,
    Target,
    Verdict,
    Whole,
)
from .errors import Denied, Full, HostError, Invalid, NoAnswer, Quota, TooLarge, Unavailable
from .events import Decision, Event, Finished, Progressed, Started
from .plugin import Plugin
from .problems import Problem, Problems
from .requests import Client, ErrorCode, Mac, MacSource, Mode, Operation, Outcome, PastRequest, Request, Upload
from .settings import parse

__all__ = [
    "Abstain",
    "Accept",
    "Acceptance",
    "Allow",
    "Beginning",
    "Client",
    "Content",
    "Decision",
    "Denied",
    "Deny",
    "Drop",
    "ErrorCode",
    "Event",
    "Files",
    "FilesElseNext",
    "Finished",
    "Full",
    "HostError",
    "Invalid",
    "LargeContent",
    "Mac",
    "MacSource",
    "Mode",
    "NoAnswer",
    "Operation",
    "Outcome",
    "Part",
    "PastRequest",
    "Plugin",
    "Problem",
    "Problems",
    "Progressed",
    "Quota",
    "Rename",
    "Rendered",
    "Rendering",
    "Request",
    "Resolution",
    "SessionValues",
    "Started",
    "Target",
    "TooLarge",
    "Unavailable",
    "Upload",
    "Verdict",
    "Whole",
    "files",
    "history",
    "http",
    "kv",
    "log",
    "metrics",
    "parse",
    "sinks",
]
