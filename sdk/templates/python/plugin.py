"""Pins the version of a firmware: a plugin to begin with. README.md says how it is built and tried."""

from dataclasses import dataclass
from typing import Annotated, Any

from tuffet import (
    #% authorize accept-upload resolve
    Abstain,
    #% end
    #% accept-upload
    Acceptance,
    #% end
    #% authorize accept-upload
    Deny,
    #% end
    Described,
    #% observe
    Event,
    #% end
    #% observe
    Finished,
    HostError,
    #% end
    #% authorize resolve
    Operation,
    #% end
    #% observe
    Outcome,
    #% end
    Plugin,
    Problem,
    #% authorize resolve accept-upload
    Request,
    #% end
    #% resolve
    Resolution,
    #% end
    #% resolve observe
    Target,
    #% end
    #% accept-upload
    Upload,
    #% end
    #% authorize
    Verdict,
    #% end
    #% observe
    log,
    #% end
    parse,
    #% observe
    sinks,
    #% end
)


@dataclass
class Settings:
    """What the operator writes below ``settings``. A mistyped key is an error."""

    #% resolve
    root: Annotated[str, Described("The root that the firmware is in.", format="root-name")]
    #% end
    #% observe
    sink: Annotated[str, Described("The sink that receives a line for each download.", format="granted-sink-name")]
    #% end
    version: Annotated[str, Described("The current version, such as 1.4.2.")]


class Policy(Plugin):
    def configure(self, settings: dict[str, Any]) -> None:
        self.settings = parse(Settings, settings)
        if not self.settings.version or "/" in self.settings.version:
            # The server shows the line of its configuration that the pointer leads to.
            raise Problem("/version", "name a version, such as 1.4.2")
        self.current = f"firmware/{self.settings.version}.bin"
    #% authorize

    def authorize(self, request: Request) -> Verdict:
        """Other versions than the current one are denied; all else is left to others."""
        firmware = request.operation is Operation.READ and request.path.startswith("firmware/")
        if not firmware or request.path in ("firmware/latest.bin", self.current):
            return Abstain()
        # The first text is sent to the client, the second is for the log.
        return Deny("take firmware/latest.bin", reason="not the current version")
    #% end
    #% resolve

    def resolve(self, request: Request) -> Resolution:
        """``firmware/latest.bin`` is the current version; all else is left to others."""
        if request.operation is not Operation.READ or request.path != "firmware/latest.bin":
            return Abstain()
        # Several candidates, of which the first that exists is served: Serve(Target(…), Content(…))
        return Target(self.settings.root, self.current)
    #% end
    #% accept-upload

    def accept_upload(self, request: Request, upload: Upload) -> Acceptance:
        """The current version is not replaced, and no file is empty; all else is left to others."""
        if upload.path == self.current:
            return Deny("this version is in use")
        if upload.size == 0:
            return Deny("the file is empty")
        return Abstain()
    #% end
    #% observe

    def observe(self, events: list[Event]) -> None:
        """Emits a line for each file that was served."""
        for event in events:
            match event.kind:
                case Finished(outcome=Outcome.SERVED) as end:
                    line = {
                        "client": end.request.client.address,
                        "path": end.request.path,
                        "bytes": end.transferred,
                        "current": isinstance(end.resolved, Target) and end.resolved.path == self.current,
                    }
                    try:
                        sinks.emit(self.settings.sink, line)
                    except HostError as error:
                        log.warn("a download is missing in the sink", error=error)
    #% end
