"""Write policy plugins for Tuffet in Python.

A plugin is one class. ``configure`` takes its settings; each of the methods ``authorize``, ``resolve``,
``accept_upload`` and ``observe`` that it has is a hook that the server asks; with ``resolve``, it may have ``render``,
``begin`` and ``part``, which make content::

    from tuffet import Abstain, Content, Plugin, Problem, Rendered, Request, Resolution, Serve, Target

    class Menus(Plugin):
        def configure(self, settings: dict) -> None:
            self.root = settings.get("root", "")
            if not self.root:
                raise Problem("/root", "name the root that the menus are in")

        def resolve(self, request: Request) -> Resolution:
            if not request.path.startswith("menus/"):
                return Abstain()
            # A file of its own, else one that is generated.
            return Serve(Target(self.root, request.path), Rendered(request.path))

        def render(self, key: str) -> Content:
            return Content(f"menu for {key}\\n")

``python3 -m tuffet.build PROJECT -o plugin.wasm`` makes the component. ``tuffet.testing`` has what its tests
need, which run natively.

``log`` is always there; ``kv``, ``files``, ``sinks``, ``http``, ``metrics``, ``history`` and :meth:`Upload.read` need a
grant, which the plugin requests in its ``pyproject.toml``. A call that fails raises a :class:`HostError`.
"""

from . import files as files, history as history, http as http, kv as kv, log as log, metrics as metrics, sinks as sinks
from .answers import (
    Abstain as Abstain,
    Accept as Accept,
    Acceptance as Acceptance,
    Allow as Allow,
    Beginning as Beginning,
    Candidate as Candidate,
    Content as Content,
    Deny as Deny,
    Drop as Drop,
    ErrorCode as ErrorCode,
    LargeContent as LargeContent,
    Part as Part,
    Profile as Profile,
    Rename as Rename,
    Rendered as Rendered,
    Rendering as Rendering,
    Resolution as Resolution,
    Serve as Serve,
    SessionValues as SessionValues,
    Verdict as Verdict,
    Whole as Whole,
)
from .errors import Code as Code, Failure as Failure, HostError as HostError
from .events import (
    Decided as Decided,
    Decision as Decision,
    Event as Event,
    Finished as Finished,
    MadeContent as MadeContent,
    Other as Other,
    Progressed as Progressed,
    Started as Started,
)
from .labels import label as label
from .plugin import Plugin as Plugin
from .problems import Problem as Problem, Problems as Problems
from .records import PastRequest as PastRequest
from .requests import (
    Arrival as Arrival,
    Client as Client,
    Label as Label,
    Lease as Lease,
    Mac as Mac,
    MacAddresses as MacAddresses,
    MacSource as MacSource,
    Mode as Mode,
    Operation as Operation,
    Outcome as Outcome,
    Request as Request,
    Target as Target,
    Upload as Upload,
)
from .settings import Described as Described, parse as parse
